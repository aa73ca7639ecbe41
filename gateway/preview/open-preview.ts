import { PlanningError, RoundPlanner } from '../../engine/planning/round-planner.ts';
import type { RoundPositions } from '../../engine/planning/round-positions.ts';
import { systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../../engine/runtime/config.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { readOrganization } from '../../engine/store/accounts/organization-store.ts';
import { createRoundStore } from '../../engine/store/planning/round-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import type { TravelTimes } from '../../engine/travel/travel-times.ts';
import { assignmentSettingsOf } from '../../schema/assignment/assignment.ts';
import type { PreviewInput, PreviewView } from '../../schema/assignment/preview.ts';
import { refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { FairQueue } from '../fair-queue.ts';
import { RefusalError } from '../refusal-error.ts';
import { type PreviewParts, previewRound } from './preview-round.ts';

export interface PreviewOptions {
  readonly config: Config;
  readonly positions: RoundPositions;
  readonly travel: TravelTimes;
  readonly log: Log;
  readonly releaser: Releaser;
}

export interface Preview {
  /**
   * See previewRound; besides, rejects with the RefusalError of 503 OVERLOADED when too many ask for previews or plan,
   * and of 503 UNAVAILABLE while nobody can say where agents are.
   */
  round(organizationId: number, input: PreviewInput): Promise<PreviewView>;
}

const clock = systemClock;
const scheduler = systemScheduler;
const overloaded = () => refusal('OVERLOADED');

/** Plans rounds that are not carried out: a few at a time, large ones in a thread, so that other requests do not wait. */
export function openPreview({ config, positions, travel, log, releaser }: PreviewOptions): Preview {
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch previews',
    connections: LIMITS.previewsAtOnce * 2,
    statementTimeoutMs: LIMITS.readDeadlineMs,
  });
  releaser.push('postgres (previews)', () => sql.end({ timeout: 2 }));
  const planner = new RoundPlanner({ scheduler, log, pairsInTurn: LIMITS.previewPairsInTurn });
  releaser.push('planning of previews', () => planner.stop());
  const parts: PreviewParts = {
    store: createRoundStore(sql, 0),
    async readSettings(organizationId) {
      const found = await readOrganization(sql, organizationId);
      return assignmentSettingsOf(found?.organization.settings ?? {});
    },
    positions: { load: (organizationId) => loadPositions(positions, organizationId, log) },
    travel,
    planner: {
      plan: (input) =>
        planner.plan(input).catch((error) => {
          throw error instanceof PlanningError ? new RefusalError(overloaded()) : error;
        }),
    },
    clock,
  };
  const turns = new FairQueue({
    atOnce: LIMITS.previewsAtOnce,
    waiting: LIMITS.previewsWaiting,
    waitingOfOne: LIMITS.previewsWaitingOfOne,
    patience: { ms: LIMITS.previewPatienceMs, scheduler },
    full: overloaded,
  });
  return {
    round: (organizationId, input) => turns.run(organizationId, () => previewRound(parts, organizationId, input)),
  };
}

async function loadPositions(positions: RoundPositions, organizationId: number, log: Log) {
  try {
    return await positions.load(organizationId);
  } catch (error) {
    log.debug({ err: error }, 'positions could not be read');
    throw new RefusalError(refusal('UNAVAILABLE'));
  }
}

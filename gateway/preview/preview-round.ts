import { isSought } from '../../engine/domain/assignment/assignment-machine.ts';
import type { RoundPlan, RoundView } from '../../engine/domain/assignment/round-view.ts';
import { isoOf } from '../../engine/domain/shown-time.ts';
import { judgeSearch } from '../../engine/domain/tasks/task-machine.ts';
import { computedOver } from '../../engine/domain/travel/known-ways.ts';
import { proposalOf } from '../../engine/planning/proposal.ts';
import type { RoundPlanner } from '../../engine/planning/round-planner.ts';
import type { RoundPositions } from '../../engine/planning/round-positions.ts';
import { roundViewOf, type ViewOfRound } from '../../engine/planning/round-view-of.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { RoundStore, SoughtTask } from '../../engine/store/planning/round-store.ts';
import type { TravelTimes } from '../../engine/travel/travel-times.ts';
import type { AssignmentSettings } from '../../schema/assignment/assignment.ts';
import type { PreviewInput, PreviewView } from '../../schema/assignment/preview.ts';
import { notFound, type Refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { RefusalError } from '../refusal-error.ts';

export interface PreviewParts {
  readonly store: Pick<RoundStore, 'readRound'>;
  readonly readSettings: (organizationId: number) => Promise<AssignmentSettings>;
  readonly positions: RoundPositions;
  readonly travel: Pick<TravelTimes, 'prepare' | 'ways'>;
  readonly planner: Pick<RoundPlanner, 'plan'>;
  readonly clock: Clock;
}

/**
 * The proposal of a round, without carrying it out. Rejects with a RefusalError: 404 for an unknown task, 409
 * INVALID_STATUS_TRANSITION or STATUS_DERIVED for one that cannot be searched for.
 */
export async function previewRound(
  parts: PreviewParts,
  organizationId: number,
  { taskIds, at: wanted }: PreviewInput,
): Promise<PreviewView> {
  const { store, readSettings, positions, travel, planner, clock } = parts;
  const [rows, located, settings] = await Promise.all([
    store.readRound(organizationId, taskIds ? { taskIds } : { after: 0 }),
    positions.load(organizationId),
    readSettings(organizationId),
  ]);
  const refused = taskIds ? whyNot(taskIds, rows.tasks) : undefined;
  if (refused) throw new RefusalError(refused);
  const sought = taskIds ? rows.tasks : rows.tasks.filter(isSought);
  const tasks = sought.slice(0, LIMITS.previewTasks);
  const now = clock.now();
  const at = Math.max(now, wanted ? Date.parse(wanted) : now);
  const facts = { ...rows, tasks, positions: located, settings, now, at };
  const seen = await computedOver(travel, LIMITS.routingRoundMs, (ways) => roundViewOf(facts, ways));
  const view = viewAt(seen.view, at);
  const plan = await planner.plan({ view, trips: await travel.prepare(view), mode: settings.mode });
  return previewOf(plan, { ...seen, view }, tasks.length < sought.length);
}

/**
 * Agents work their shifts of that time, and are where and when they will be free as it looks now: nobody knows what
 * they will have been given by then.
 */
function viewAt(view: RoundView, at: number): RoundView {
  const nextRoundAt = view.settings.nextRoundAt + at - view.now;
  return { ...view, now: at, settings: { ...view.settings, nextRoundAt } };
}

function whyNot(taskIds: readonly number[], tasks: readonly SoughtTask[]): Refusal | undefined {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  const unknown = taskIds.find((taskId) => !byId.has(taskId));
  if (unknown !== undefined) return notFound('Task', unknown);
  for (const taskId of taskIds) {
    const { status, isJob } = byId.get(taskId)!;
    const refused = judgeSearch({ status, childIds: isJob ? [] : null });
    if (refused) return refused;
  }
  return undefined;
}

function previewOf(plan: RoundPlan, seen: ViewOfRound, isPartial: boolean): PreviewView {
  const at = (ms: number) => isoOf(seen.view.now + ms);
  const offers = plan.offers.map(({ agentId, taskIds, score, distanceM, etaMs, stops }) => ({
    agentId,
    taskIds: [...taskIds],
    score,
    distanceM: Math.round(distanceM),
    etaSeconds: etaMs.map((ms) => Math.round(ms / 1_000)),
    stops: stops.map(({ kind, taskIds: ids, arriveMs, waitMs, lateMs }) => ({
      kind,
      taskIds: [...ids],
      arrivesAt: at(arriveMs),
      waitSeconds: Math.round(waitMs / 1_000),
      lateSeconds: Math.round(lateMs / 1_000),
    })),
  }));
  const unplanned = proposalOf(plan, seen).lacking.map(({ taskId, reason, counts, nearest }) => {
    return { taskId, reason: reason ?? ('held' as const), counts: { ...counts }, nearest: [...nearest] };
  });
  return { at: at(0), offers, unplanned, isPartial };
}

import { OwnerClient } from '../../engine/bus/owner-client.ts';
import { RoundPlanner } from '../../engine/planning/round-planner.ts';
import { createRoundPositions } from '../../engine/planning/round-positions.ts';
import { type Scheduler, systemClock } from '../../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../../engine/runtime/config.ts';
import { armFaultPoints } from '../../engine/runtime/fault-points.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { SecretBox } from '../../engine/runtime/secret-box.ts';
import { readOwners } from '../../engine/store/cluster/owner-store.ts';
import { createCourierStore } from '../../engine/store/planning/courier-store.ts';
import { createFleetStore } from '../../engine/store/planning/fleet-store.ts';
import { createRoundStore } from '../../engine/store/planning/round-store.ts';
import type { RoundTurnStore } from '../../engine/store/planning/round-turn-store.ts';
import type { PositionStore } from '../../engine/store/positions/position-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { createTravelTimes, type TravelCounts } from '../../engine/travel/travel-times.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type OutboxRelay, parseHint, startOutboxRelay } from '../outbox-relay.ts';
import { createCallCouriers } from './couriers/book-couriers.ts';
import { createFleetProvider } from './couriers/fleet-provider.ts';
import { startTellingCompanies } from './couriers/notify-companies.ts';
import { type RoundCounts, RoundScheduler } from './round-scheduler.ts';
import { warmUp } from './warm-up.ts';

/** Wakes where something was committed that may help a search, and where agents have moved. */
export interface Assignment extends OutboxRelay {
  /** A message of the channel of moves: ids of organizations whose agents have told where they are. */
  moved(message: string): void;
  readonly counts: Readonly<RoundCounts>;
  readonly travel: Readonly<TravelCounts>;
  /** Organizations that are waited for, planned or left alone for a while. */
  readonly organizations: () => number;
}

export interface AssignmentOptions {
  readonly config: Config;
  readonly secretBox: SecretBox;
  /** Positions in Redis. */
  readonly kept: Pick<PositionStore, 'load'>;
  readonly turns: RoundTurnStore;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly releaser: Releaser;
}

/**
 * Looks for agents: hints say where something may have changed, a sweep finds every organization whose tasks still look
 * for somebody, and rounds propose to the owners whom to ask.
 */
export function startAssignment({
  config,
  secretBox,
  kept,
  turns,
  scheduler,
  log,
  releaser,
}: AssignmentOptions): Assignment {
  const clock = systemClock;
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch rounds',
    connections: LIMITS.roundConnections,
    statementTimeoutMs: LIMITS.readDeadlineMs,
  });
  releaser.push('postgres (rounds)', () => sql.end({ timeout: 2 }));
  const store = createRoundStore(sql);
  const owners = new OwnerClient({ readOwners: () => readOwners(sql, secretBox), scheduler, log });
  releaser.push('commands to owners', () => owners.stop());
  const travel = createTravelTimes({ engine: config.routing, clock, scheduler, log });
  releaser.push('travel times', () => travel.stop());
  const planner = new RoundPlanner({ scheduler, log });
  const ask = owners.ask.bind(owners);
  const provider = createFleetProvider(createFleetStore(sql));
  const news = startTellingCompanies(provider, scheduler, log);
  releaser.push('news for courier companies', () => news.stop());
  const bookCouriers = createCallCouriers({ provider, store: createCourierStore(sql), ask, log });
  const rounds = new RoundScheduler({
    store,
    positions: createRoundPositions({ kept, held: (organizationId) => owners.positions(organizationId), clock, log }),
    turns,
    planner,
    travel,
    ask,
    bookCouriers,
    faultPoints: armFaultPoints(config.faultPoint),
    clock,
    scheduler,
    log,
  });
  // A round in the thread is not awaited: the next process starts it again.
  releaser.push('rounds', () => Promise.all([rounds.stop(), planner.stop()]));
  void warmUp({ store, owners, planner, log });
  const relay = startOutboxRelay({
    findLagging: (after, limit) => store.findSearching(after, limit),
    wake: async (organizationIds) => rounds.nudge(await store.findSearchingOf(organizationIds)),
    scheduler,
    log,
  });
  const moved = (message: string) => rounds.moved(parseHint(message) ?? []);
  const hint = (message: string) => {
    rounds.noteHelpful(parseHint(message) ?? []);
    relay.hint(message);
  };
  return {
    ...relay,
    hint,
    moved,
    counts: rounds.counts,
    travel: travel.counts,
    organizations: () => rounds.size,
  };
}

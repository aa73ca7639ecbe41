import type { Scheduler } from '../engine/runtime/clock.ts';
import type { Releaser } from '../engine/runtime/lifecycle.ts';
import { connectPostgres, type Sql } from '../engine/store/postgres.ts';
import type { InTurn } from '../engine/store/task-lists/task-list-store.ts';
import { refusal } from '../schema/errors.ts';
import { LIMITS } from '../schema/limits.ts';
import { FairQueue, type QueueBounds } from './fair-queue.ts';

/** How routes read Postgres, which has every acknowledged change. */
export interface Reads {
  /**
   * Reads for an organization when it is its turn: a flood of one organization does not block the others. Rejects with
   * a RefusalError (503 OVERLOADED) when too many reads wait or the turn does not come in time.
   */
  run<T>(organizationId: number, read: (sql: Sql) => Promise<T>): Promise<T>;
}

/** The reads of one kind: their connections, and how many may wait for one. */
export interface ReadLane {
  /** The name that Postgres shows for the connections. */
  readonly name: string;
  readonly connections: number;
  readonly waiting: number;
  readonly waitingOfOne: number;
}

/** Single records and first pages: they take a millisecond. */
export const RECORD_READS: ReadLane = {
  name: 'dispatch records',
  connections: LIMITS.recordReadConnections,
  waiting: LIMITS.recordReadQueue,
  waitingOfOne: LIMITS.recordReadQueuePerOrganization,
};

/** The audit log and the lists of administration, whose far pages take long: record reads do not wait for them. */
export const SLOW_READS: ReadLane = {
  name: 'dispatch audit',
  connections: LIMITS.administrationReadConnections,
  waiting: LIMITS.administrationQueue,
  waitingOfOne: LIMITS.administrationQueuePerOrganization,
};

interface ReadsOptions {
  readonly databaseUrl: string;
  readonly scheduler: Pick<Scheduler, 'after'>;
  readonly releaser: Pick<Releaser, 'push'>;
}

export function openReads({ databaseUrl, scheduler, releaser }: ReadsOptions, lane: ReadLane): Reads {
  const { name, connections, waiting, waitingOfOne } = lane;
  const sql = connectPostgres(databaseUrl, { name, connections, statementTimeoutMs: LIMITS.readDeadlineMs });
  releaser.push(`postgres (${name})`, () => sql.end({ timeout: 2 }));
  const turns = new FairQueue({
    atOnce: connections,
    waiting,
    waitingOfOne,
    patience: { ms: LIMITS.administrationPatienceMs, scheduler },
    full: () => refusal('OVERLOADED'),
  });
  return { run: (organizationId, read) => turns.run(organizationId, () => read(sql)) };
}

/** The turns of the engine's lists that may take long. As Reads, they refuse 503 OVERLOADED. */
export function openListTurns(scheduler: Pick<Scheduler, 'after'>): InTurn {
  return turnsOf(scheduler, {
    atOnce: LIMITS.listConnections,
    atOnceOfOne: LIMITS.listConnectionsPerOrganization,
    waiting: LIMITS.listQueue,
    waitingOfOne: LIMITS.listQueuePerOrganization,
  });
}

/** The same of those who read the log. */
export function openLogTurns(scheduler: Pick<Scheduler, 'after'>): InTurn {
  return turnsOf(scheduler, {
    atOnce: LIMITS.logConnections,
    waiting: LIMITS.logQueue,
    waitingOfOne: LIMITS.logQueuePerOrganization,
  });
}

function turnsOf(scheduler: Pick<Scheduler, 'after'>, bounds: Omit<QueueBounds, 'patience' | 'full'>): InTurn {
  const patience = { ms: LIMITS.administrationPatienceMs, scheduler };
  const turns = new FairQueue({ ...bounds, patience, full: () => refusal('OVERLOADED') });
  return (organizationId, read) => turns.run(organizationId, read);
}

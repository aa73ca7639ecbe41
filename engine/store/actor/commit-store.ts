import { DeadlineError, withDeadline } from '../../runtime/deadline.ts';
import { connectPostgres, type Sql } from '../postgres.ts';

/** The parameters of `commit_group`; see schema/functions/commit-group.sql. */
export interface CommitParameters {
  readonly groupId: string;
  readonly shards: string;
  readonly epochs: string;
  readonly counts: string;
  readonly heads: string;
  readonly customers: string | null;
  readonly locations: string | null;
  readonly tasks: string | null;
  readonly packages: string | null;
  readonly history: string | null;
  readonly events: string | null;
  readonly eventBodies: string;
  readonly idempotency: string | null;
  readonly idempotencyBodies: string;
  readonly usage: string | null;
  readonly warehouses: string | null;
  readonly taskCounts: string | null;
  readonly organizations: string | null;
  readonly audit: string | null;
  readonly agents: string | null;
  readonly requests: string | null;
  readonly payments: string | null;
  readonly transfers: string | null;
  readonly ledgerEntries: string | null;
  readonly paidTasks: string | null;
  /** Between lines, and between bodies. */
  readonly separator: string | null;
}

/** A row of `audit_records`: a record of any kind but tasks, before and after a change; `before` is null for a new one. */
export interface AuditRecord {
  readonly organizationId: number;
  readonly recordType: 'customer' | 'warehouse' | 'agent' | 'organization' | 'payment' | 'top_up';
  readonly recordId: number;
  /** Of the record after the change. */
  readonly version: number;
  readonly at: string;
  readonly actorType: string;
  readonly actorId: number | null;
  readonly correlationId: string | null;
  readonly address: string | null;
  readonly before: object | null;
  readonly after: object;
}

/**
 * How a commit failed:
 * - `refused`: Postgres would not have these rows; nothing was written, and it would not have them again.
 * - `stale`: a head or row was not in the version that memory expected; nothing was written.
 * - `fenced`: another process owns a shard of the group; nothing was written.
 * - `failed`: nothing was written, for reasons that have nothing to do with the rows.
 * - `unknown`: the connection was lost or kept silent; it may have been written.
 */
export type CommitFailure = 'refused' | 'stale' | 'fenced' | 'failed' | 'unknown';

export class CommitError extends Error {
  readonly failure: CommitFailure;
  readonly constraint: string | undefined;

  constructor(failure: CommitFailure, message: string, constraint?: string) {
    super(message);
    this.failure = failure;
    this.constraint = constraint;
  }
}

export interface CommitStore {
  /** Resolves when the group is durable; rejects with CommitError. Groups are written in the order of the calls. */
  commit(parameters: CommitParameters): Promise<void>;
  stop(): Promise<void>;
}

/** What `commit_group` calls each of them: called by name, so that no order has to be kept. */
const SQL_NAMES = {
  groupId: 'group_id',
  shards: 'shards_in',
  epochs: 'epochs_in',
  counts: 'counts',
  heads: 'heads_in',
  customers: 'customers_in',
  locations: 'locations_in',
  tasks: 'tasks_in',
  packages: 'packages_in',
  history: 'history_in',
  events: 'events_in',
  eventBodies: 'event_bodies',
  idempotency: 'idempotency_in',
  idempotencyBodies: 'idempotency_bodies',
  usage: 'usage_in',
  warehouses: 'warehouses_in',
  taskCounts: 'task_counts_in',
  organizations: 'organizations_in',
  audit: 'audit_in',
  agents: 'agents_in',
  requests: 'requests_in',
  payments: 'payments_in',
  transfers: 'transfers_in',
  ledgerEntries: 'ledger_entries_in',
  paidTasks: 'paid_tasks_in',
  separator: 'separator',
} as const satisfies Record<keyof CommitParameters, string>;
const NAMES = Object.keys(SQL_NAMES) as (keyof CommitParameters)[];
const COMMIT_GROUP = `SELECT commit_group(${NAMES.map((name, index) => `${SQL_NAMES[name]} => $${index + 1}`).join(', ')})`;

/** Commits on a connection of its own, which is thrown away as soon as an outcome is in doubt. */
export function createCommitStore(
  url: string,
  options: { readonly statementTimeoutMs: number; readonly deadlineMs: number },
): CommitStore {
  let sql: Sql | undefined;
  /** Until the commit that was sent last has ended, well or not. */
  let lastEnd: Promise<unknown> = Promise.resolve();

  function connection(): Sql {
    sql ??= connectPostgres(url, {
      name: 'dispatch commit',
      connections: 1,
      statementTimeoutMs: options.statementTimeoutMs,
    });
    return sql;
  }

  /** Of two groups on a connection both find it broken: the one that is made then stays. */
  async function discard(broken: Sql | undefined): Promise<void> {
    if (sql === broken) sql = undefined;
    await broken?.end({ timeout: 0 });
  }

  /** Sends at once. Our patience counts from when Postgres can begin: when the commit that was sent before has ended. */
  function send(used: Sql, values: (string | null)[]): Promise<unknown> {
    const answer = used.unsafe(COMMIT_GROUP, values, { prepare: true }).execute();
    // Where the connection breaks, the commit before hears of it first.
    answer.catch(() => {});
    const end = lastEnd.then(() => withDeadline(answer, options.deadlineMs, 'the commit'));
    lastEnd = end.catch(() => {});
    return end;
  }

  return {
    async commit(parameters) {
      const used = connection();
      try {
        await send(
          used,
          NAMES.map((name) => parameters[name]),
        );
      } catch (error) {
        const failure = commitErrorOf(error);
        if (failure.failure === 'unknown') void discard(used).catch(() => {});
        throw failure;
      }
    },
    stop: () => discard(sql),
  };
}

/** program_limit_exceeded: an entry that is too long for an index. */
const ROW_TOO_LARGE = '54000';

/** Classifies what Postgres or the connection said. Anything not known to be harmless counts as unknown. */
function commitErrorOf(error: unknown): CommitError {
  if (error instanceof DeadlineError) return new CommitError('unknown', error.message);
  const {
    code,
    severity,
    constraint_name: constraint,
  } = error as {
    code?: string;
    severity?: string;
    constraint_name?: string;
  };
  const message = error instanceof Error ? error.message : String(error);
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || severity !== 'ERROR') {
    return new CommitError('unknown', message);
  }
  if (code === 'DE001') return new CommitError('fenced', message);
  if (code === 'DE002') return new CommitError('stale', message);
  if (code.startsWith('22') || code.startsWith('23') || code === ROW_TOO_LARGE) {
    return new CommitError('refused', message, constraint);
  }
  return new CommitError('failed', `${code} ${message}`);
}

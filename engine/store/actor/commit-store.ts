import { DeadlineError, withDeadline } from '../../runtime/deadline.ts';
import { connectPostgres, type Sql } from '../postgres.ts';
import { COMMITTED_TABLES, type CommittedRows } from './commit-tables.ts';

/** The parameters of `commit_group`; see schema/functions/commit-group.sql. */
export type CommitParameters = CommittedRows & {
  readonly groupId: string;
  readonly shards: string;
  readonly epochs: string;
  readonly counts: string;
  readonly eventBodies: string;
  readonly idempotencyBodies: string;
  /** Stands between lines, and between bodies. */
  readonly separator: string | null;
};

/** A row of `audit_records`: a record of any kind but tasks, before and after a change; `before` is null for a new one. */
export interface AuditRecord {
  readonly organizationId: number;
  readonly recordType: 'customer' | 'warehouse' | 'agent' | 'organization' | 'payment' | 'top_up';
  readonly recordId: number;
  /** The version of the record after the change. */
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

/** The SQL name of each parameter. The call passes them by name, so their order does not matter. */
const SQL_NAMES: readonly (readonly [keyof CommitParameters, string])[] = [
  ['groupId', 'group_id'],
  ['shards', 'shards_in'],
  ['epochs', 'epochs_in'],
  ['counts', 'counts'],
  ...COMMITTED_TABLES.map(({ field, sql }) => [field, sql] as const),
  ['eventBodies', 'event_bodies'],
  ['idempotencyBodies', 'idempotency_bodies'],
  ['separator', 'separator'],
];
const NAMES = SQL_NAMES.map(([name]) => name);
const COMMIT_GROUP = `SELECT commit_group(${SQL_NAMES.map(([, sql], index) => `${sql} => $${index + 1}`).join(', ')})`;

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

  /** Two groups on one connection both find it broken: the connection that is made then stays. */
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

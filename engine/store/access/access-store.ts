import { LIMITS } from '../../../schema/limits.ts';
import { DeadlineError, withDeadline } from '../../runtime/deadline.ts';
import { connectPostgres, type Sql } from '../postgres.ts';

/**
 * The records that access rests on. `token` is the access token of a session, which a refresh replaces while the
 * session goes on.
 */
export type AccessSubject = 'organization' | 'channel' | 'user' | 'session' | 'token';

export interface AccessChange {
  readonly subject: AccessSubject;
  /** For a token, the id of its session. */
  readonly subjectId: number;
  /** The transaction that committed it. */
  readonly xid: string;
}

/** The subjects that one caller's access rests on, as the look-up found them. */
export interface AccessSubjects {
  readonly organizationId: number;
  readonly channelId: number;
  readonly userId: number;
  /** Null for a channel's key. */
  readonly sessionId: number | null;
  /** The snapshot of the look-up; see isVisible. */
  readonly snapshot: string;
}

/** The changes noted since a cursor. */
export interface AccessPage {
  /** The cursor of the next reading. */
  readonly next: string;
  /**
   * The run of Postgres that answered. In another run, as after a failover or a restore, the same xids mean other
   * transactions.
   */
  readonly run: string;
  /** Whether other processes know that this one may remember credentials. */
  readonly isAnnounced: boolean;
  /** At most one more than `LIMITS.accessChangesSeen`. */
  readonly changes: readonly AccessChange[];
}

export interface AccessStore {
  /**
   * Reads the changes of transactions that committed since the cursor's page; none without a cursor. The cursor is the
   * snapshot of that page: every change that it did not show is in this page, in any order of commits.
   */
  poll(cursor: string | undefined): Promise<AccessPage>;
  /**
   * Whether another process may hold credentials from before this call: it was announced within their lifetime, or a
   * gateway's name changed hands since, this process's own included.
   */
  hasOthers(): Promise<boolean>;
  stop(): Promise<void>;
}

type NotedChange = readonly [subject: AccessSubject, subjectId: number, xid: string];

/** Asks on a connection of its own, which is dropped when it keeps silent. */
export function createAccessStore(url: string, incarnation: string): AccessStore {
  let sql: Sql | undefined;

  async function discard(): Promise<void> {
    const old = sql;
    sql = undefined;
    await old?.end({ timeout: 0 });
  }

  async function ask<T>(query: (sql: Sql) => PromiseLike<T>, what: string): Promise<T> {
    sql ??= connectPostgres(url, {
      name: 'dispatch access',
      connections: 1,
      statementTimeoutMs: LIMITS.accessDeadlineMs,
    });
    try {
      return await withDeadline(Promise.resolve(query(sql)), LIMITS.accessDeadlineMs, what);
    } catch (error) {
      if (error instanceof DeadlineError) void discard().catch(() => {});
      throw error;
    }
  }

  return {
    async poll(cursor) {
      const from = cursor ?? null;
      const isNew = (sql: Sql) => sql`
        xid >= pg_snapshot_xmin(${from}::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, ${from}::pg_snapshot)`;
      const page = (sql: Sql) => sql<{ next: string; run: string; isAnnounced: boolean; changes: NotedChange[] }[]>`
        SELECT pg_current_snapshot()::text AS next, pg_postmaster_start_time()::text AS run,
          EXISTS (SELECT FROM gateways g WHERE g.incarnation = ${incarnation}::uuid AND g.lease_expires_at > now())
            AS is_announced,
          coalesce((SELECT json_agg(json_build_array(c.subject, c.subject_id, c.xid)) FROM (
            SELECT subject, subject_id, xid FROM access_changes WHERE ${isNew(sql)}
            UNION ALL
            SELECT 'organization', organization_id, xid FROM deleted_organizations WHERE ${isNew(sql)}
            LIMIT ${LIMITS.accessChangesSeen + 1}) c), '[]') AS changes`;
      const [row] = await ask(page, 'asking for changes of access');
      return { ...row!, changes: row!.changes.map(([subject, subjectId, xid]) => ({ subject, subjectId, xid })) };
    },
    async hasOthers() {
      const validMs = `${LIMITS.credentialValidMs} milliseconds`;
      const others = (sql: Sql) => sql<{ found: boolean }[]>`
        SELECT EXISTS (SELECT FROM gateways g WHERE g.registered_at > now() - ${validMs}::interval
          OR (g.incarnation <> ${incarnation}::uuid AND g.lease_expires_at > now() - ${validMs}::interval)) AS found`;
      const [row] = await ask(others, 'asking for other gateways');
      return row!.found;
    },
    stop: discard,
  };
}

import { LIMITS } from '../../../schema/limits.ts';
import type { Sql } from '../postgres.ts';
import { once } from '../statements.ts';

/**
 * Tables that are partitioned by day, and how many days back they are written: a day more than callers may ask for,
 * because rows may wait for Postgres over midnight.
 */
const DAYS_BACK = {
  events: 1,
  idempotency_records: 1,
  agent_trail: LIMITS.trailPastMs / 86_400_000 + 1,
  webhook_deliveries: 1,
} as const;
export type DailyTable = keyof typeof DAYS_BACK;
export const DAILY_TABLES = Object.keys(DAYS_BACK) as readonly DailyTable[];

/**
 * Upkeep of the database. The statements about partitions need the table for themselves for a moment. Commits wait
 * behind them meanwhile, so they give up after half a second (55P03) and change nothing.
 */
export interface MaintenanceStore {
  /** Makes the partitions that are missing, to LIMITS.partitionDaysAhead days ahead. */
  ensurePartitions(table: DailyTable): Promise<void>;
  /**
   * Drops up to ten of the partitions that hold nothing younger than `keepDays` days, the oldest first. Returns their
   * number.
   */
  dropPartitions(table: DailyTable, keepDays: number): Promise<number>;
  /**
   * Lists what searches would read one by one: new tasks, and the pending entries of other indexes. Commits go on
   * meanwhile: what they add is left for the next time. `signal` ends the listing of tasks early.
   */
  listForSearch(signal?: AbortSignal): Promise<void>;
  /**
   * Deletes up to LIMITS.upkeepBatchRows of each kind: sessions that ended more than a day ago, or were revoked more
   * than 30 days ago; changes of access that every gateway has read; expired tokens; outcomes past their keys'
   * retention; answered assignment requests and notices past theirs; devices whose session has ended. Returns the
   * largest number of rows of one kind.
   */
  removeOutdated(): Promise<number>;
}

/** Indexes whose new entries wait to be worked in. */
const SEARCH_INDEXES = ['customers_trigrams', 'packages_barcode_trigrams'];

export function createMaintenanceStore(sql: Sql): MaintenanceStore {
  return {
    async ensurePartitions(table) {
      await once(makePartitions(sql, table), `making partitions of ${table}`);
    },
    async dropPartitions(table, keepDays) {
      const query = sql<{ dropped: number }[]>`
        SELECT drop_daily_partitions(${table}::regclass, make_interval(days => ${keepDays})) AS dropped`;
      const [row] = await once(query, `dropping partitions of ${table}`);
      return row!.dropped;
    },
    async listForSearch(signal) {
      await listFindables(sql, signal);
      for (const index of SEARCH_INDEXES)
        await once(sql`SELECT gin_clean_pending_list(${index}::regclass)`, `working in the entries of ${index}`);
    },
    removeOutdated: () => removeOutdated(sql),
  };
}

/** See MaintenanceStore.ensurePartitions. */
export async function makePartitions(sql: Sql, table: DailyTable): Promise<void> {
  await sql`SELECT ensure_daily_partitions(${table}::regclass, ${DAYS_BACK[table]}, ${LIMITS.partitionDaysAhead})`;
}

async function listFindables(sql: Sql, signal?: AbortSignal): Promise<void> {
  const most = LIMITS.findablesListedAtOnce;
  let total = 0;
  // Fewer than asked for are all that there were. While tasks are being made there are always more.
  for (let moved: number = most; moved === most && !signal?.aborted; total += moved) {
    const query = sql<{ moved: number }[]>`SELECT list_findables(${most}) AS moved`;
    const [row] = await once(query, 'listing new tasks for searches');
    moved = row!.moved;
  }
  // Every search reads this table from end to end, so it must not grow by what has left it.
  if (total > 0) await once(sql`VACUUM (SKIP_LOCKED) findable_fresh`, 'cutting off what was listed');
}

async function removeOutdated(sql: Sql): Promise<number> {
  const most = LIMITS.upkeepBatchRows;
  const statements = [
    sql`
    WITH gone AS (
      DELETE FROM sessions WHERE (organization_id, id) IN (
        SELECT organization_id, id FROM sessions
        WHERE coalesce(refresh_expires_at, access_expires_at) < now() - interval '1 day'
          OR revoked_at < now() - interval '30 days' LIMIT ${most})
      RETURNING organization_id, id
    ), pairs AS (
      DELETE FROM session_pairs p USING gone g WHERE p.organization_id = g.organization_id AND p.session_id = g.id
    )
    SELECT organization_id FROM gone`,
    sql`DELETE FROM access_changes WHERE (organization_id, subject, subject_id, xid) IN (
      SELECT organization_id, subject, subject_id, xid FROM access_changes
      WHERE at < now() - interval '1 hour' LIMIT ${most})`,
    sql`DELETE FROM user_tokens WHERE (organization_id, user_id, purpose, token_hash) IN (
      SELECT organization_id, user_id, purpose, token_hash FROM user_tokens WHERE expires_at < now() LIMIT ${most})`,
    sql`DELETE FROM kept_outcomes WHERE (organization_id, scope, key_hash) IN (
      SELECT organization_id, scope, key_hash FROM kept_outcomes
      WHERE at < now() - ${LIMITS.idempotencyRetentionMs} * interval '1 millisecond' LIMIT ${most})`,
    // Organization by organization, along an index: the table is large, and nearly all its rows are younger.
    sql`DELETE FROM assignment_requests WHERE (organization_id, id) IN (
      SELECT o.organization_id, old.id FROM organizations o CROSS JOIN LATERAL (
        SELECT r.id FROM assignment_requests r
        WHERE r.organization_id = o.organization_id AND r.status <> 'pending'
          AND r.created_at < now() - make_interval(days => ${LIMITS.requestRetentionDays})
        ORDER BY r.created_at, r.id LIMIT ${most}) old LIMIT ${most})`,
    sql`DELETE FROM notifications WHERE (organization_id, id) IN (
      SELECT o.organization_id, old.id FROM organizations o CROSS JOIN LATERAL (
        SELECT n.id FROM notifications n
        WHERE n.organization_id = o.organization_id
          AND n.created_at < now() - make_interval(days => ${LIMITS.noticeRetentionDays})
        ORDER BY n.created_at LIMIT ${most}) old LIMIT ${most})`,
    sql`DELETE FROM push_tokens WHERE (organization_id, id) IN (
      SELECT d.organization_id, d.id FROM push_tokens d
      WHERE NOT EXISTS (SELECT FROM live_devices l WHERE l.organization_id = d.organization_id AND l.id = d.id)
      LIMIT ${most})`,
  ];
  let rows = 0;
  for (const statement of statements) {
    const { count } = await once(statement, 'removing what is outdated');
    rows = Math.max(rows, count);
  }
  return rows;
}

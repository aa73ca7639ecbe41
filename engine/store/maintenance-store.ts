import { LIMITS } from '../../schema/limits.ts';
import { withDeadline } from '../runtime/deadline.ts';
import type { Sql } from './postgres.ts';

/** Tables that are partitioned by day. */
export type DailyTable = 'events' | 'idempotency_records';

/**
 * Upkeep of the database. Those of partitions need the table for themselves for a moment; while they wait for that,
 * commits wait behind them, so they give up after half a second (55P03), having changed nothing.
 */
export interface MaintenanceStore {
  /** Makes the partitions that are missing, from yesterday to LIMITS.partitionDaysAhead days ahead. */
  ensurePartitions(table: DailyTable): Promise<void>;
  /** Drops the partitions that hold nothing younger than `keepDays` days; returns how many those were. */
  dropPartitions(table: DailyTable, keepDays: number): Promise<number>;
  /** Works what commits have appended to the index of customer searches into it; commits go on meanwhile. */
  mergeSearchEntries(): Promise<void>;
}

export function createMaintenanceStore(sql: Sql): MaintenanceStore {
  return {
    async ensurePartitions(table) {
      const query = sql`SELECT ensure_daily_partitions(${table}::regclass, ${LIMITS.partitionDaysAhead})`;
      await withDeadline(query.execute(), LIMITS.readDeadlineMs, `making partitions of ${table}`);
    },
    async dropPartitions(table, keepDays) {
      const query = sql<{ dropped: number }[]>`
        SELECT drop_daily_partitions(${table}::regclass, make_interval(days => ${keepDays})) AS dropped`;
      const [row] = await withDeadline(query.execute(), LIMITS.readDeadlineMs, `dropping partitions of ${table}`);
      return row!.dropped;
    },
    async mergeSearchEntries() {
      const query = sql`SELECT gin_clean_pending_list('customers_trigrams'::regclass)`;
      await withDeadline(query.execute(), LIMITS.readDeadlineMs, 'working in search entries');
    },
  };
}

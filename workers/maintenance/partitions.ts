import type { Log } from '../../engine/runtime/log.ts';
import { DAILY_TABLES, type DailyTable, type MaintenanceStore } from '../../engine/store/cluster/maintenance-store.ts';
import { LIMITS } from '../../schema/limits.ts';

/** Keeps the daily partitions: makes those of the coming days, drops those beyond retention. */
export function createPartitionProcessor(store: MaintenanceStore, eventRetentionDays: number, log: Log) {
  const keepDays: Readonly<Record<DailyTable, number>> = {
    events: eventRetentionDays,
    idempotency_records: LIMITS.idempotencyPartitionDays,
    agent_trail: LIMITS.trailRetentionDays,
    webhook_deliveries: LIMITS.deliveryRetentionDays,
  };
  return async (): Promise<void> => {
    // Commits depend on the new ones, so an old one that resists must not stand in their way.
    for (const table of DAILY_TABLES) await store.ensurePartitions(table);
    for (const table of DAILY_TABLES) {
      const dropped = await store.dropPartitions(table, keepDays[table]);
      if (dropped > 0) log.info({ table, dropped }, 'dropped partitions beyond retention');
    }
  };
}

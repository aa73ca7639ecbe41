import type { Log } from '../../engine/runtime/log.ts';
import { DAILY_TABLES, type DailyTable, type MaintenanceStore } from '../../engine/store/cluster/maintenance-store.ts';
import type { JobPayload } from '../../schema/jobs.ts';
import { LIMITS } from '../../schema/limits.ts';

/** Keeps the daily partitions: makes those of the coming days, drops those beyond retention. */
export function createPartitionProcessor(store: MaintenanceStore, eventRetentionDays: number, log: Log) {
  const keepDays: Readonly<Record<DailyTable, number>> = {
    events: eventRetentionDays,
    idempotency_records: LIMITS.idempotencyPartitionDays,
    agent_trail: LIMITS.trailRetentionDays,
    webhook_deliveries: LIMITS.deliveryRetentionDays,
  };
  return async (_: JobPayload<'partitions'>, signal: AbortSignal): Promise<void> => {
    // Commits depend on the new ones, so an old one that resists must not stand in their way.
    for (const table of DAILY_TABLES) await store.ensurePartitions(table);
    for (const table of DAILY_TABLES) {
      let dropped = 0;
      for (let more = -1; more !== 0 && !signal.aborted; dropped += more) {
        more = await store.dropPartitions(table, keepDays[table]);
      }
      if (dropped > 0) log.info({ table, dropped }, 'dropped partitions beyond retention');
    }
  };
}

/** Keeps short what a search has to read beside its indexes. */
export function createSearchIndexProcessor(store: Pick<MaintenanceStore, 'listForSearch'>) {
  return (_: JobPayload<'search-index'>, signal: AbortSignal): Promise<void> => store.listForSearch(signal);
}

/** Removes sessions, devices, tokens, kept outcomes, notes of changed access, and requests and notices of long ago. */
export function createAccessUpkeepProcessor(store: Pick<MaintenanceStore, 'removeOutdated'>, log: Log) {
  return async (_: JobPayload<'access-upkeep'>, signal: AbortSignal): Promise<void> => {
    let removed = 0;
    for (
      let rows: number = LIMITS.upkeepBatchRows;
      rows >= LIMITS.upkeepBatchRows && !signal.aborted;
      removed += rows
    ) {
      rows = await store.removeOutdated();
    }
    if (removed > 0) log.info({ removed }, 'removed outdated sessions, tokens, notes and requests');
  };
}

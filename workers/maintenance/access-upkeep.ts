import type { Log } from '../../engine/runtime/log.ts';
import type { MaintenanceStore } from '../../engine/store/cluster/maintenance-store.ts';
import type { JobPayload } from '../../schema/jobs.ts';
import { LIMITS } from '../../schema/limits.ts';

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

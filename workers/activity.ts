import type { Log } from '../engine/runtime/log.ts';
import type { RelayStore } from '../engine/store/log/relay-store.ts';
import type { JobPayload } from '../schema/jobs.ts';
import { LIMITS } from '../schema/limits.ts';

/** Two wake-ups for one organization are one job. */
export function activityJobId(organizationId: number): string {
  return `activity-${organizationId}`;
}

/**
 * Counts what an organization has committed since the last count, page by page, until a look finds nothing: wake-ups
 * that came meanwhile were dropped in favour of the running job. Throws on a log with a hole.
 */
export function createActivityProcessor(store: Pick<RelayStore, 'countActivity'>, log: Log) {
  return async ({ organizationId }: JobPayload<'activity'>, signal: AbortSignal): Promise<void> => {
    for (let pages = 0; pages < LIMITS.activityPagesPerJob && !signal.aborted; pages++) {
      const page = await store.countActivity(organizationId);
      if (!page) return;
      if (page.hasHole) throw new Error(`the log of organization ${organizationId} has a hole after ${page.after}`);
      if (page.lost > 0) {
        const { lost, after } = page;
        log.warn({ organizationId, after, lost }, 'events were dropped by retention before they were counted');
      }
      if (page.counted === 0 && page.lost === 0) return;
    }
  };
}

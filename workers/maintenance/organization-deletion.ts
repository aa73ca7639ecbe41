import type { Log } from '../../engine/runtime/log.ts';
import type { DeletionStore } from '../../engine/store/deletion-store.ts';
import type { JobPayload } from '../../schema/jobs.ts';
import { activityJobId } from '../history/activity.ts';
import type { JobQueues } from '../job-runner.ts';

/**
 * Removes what is left of deleted organizations, from Postgres, from Redis and from this machine's outbox. Holds no state:
 * what there is to do stands in the tables themselves, so that it may end anywhere and begin anew. See
 * DeletionStore.notePass for the end. `removeMails` returns how many those were.
 */
export function createOrganizationDeletionProcessor(
  store: DeletionStore,
  removeMails: (organizationId: number) => Promise<number>,
  log: Log,
) {
  async function look(organizationId: number, signal: AbortSignal, queues: JobQueues): Promise<void> {
    let rows = 0;
    for (let deleted = -1; deleted !== 0; rows += deleted) {
      if (signal.aborted) return;
      deleted = await store.deleteBatch(organizationId);
    }
    await queues.forget('activity', activityJobId(organizationId));
    const mails = await removeMails(organizationId);
    const isFinished = await store.notePass(organizationId, rows + mails);
    if (rows + mails > 0) log.info({ organizationId, rows, mails }, 'removed what was stored of an organization');
    if (isFinished) log.info({ organizationId }, 'an organization is deleted');
  }

  return async (_: JobPayload<'organization-deletion'>, signal: AbortSignal, queues: JobQueues): Promise<void> => {
    const failures: unknown[] = [];
    for (const organizationId of await store.listDue()) {
      // One that cannot be removed now keeps none of the others.
      await look(organizationId, signal, queues).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
}

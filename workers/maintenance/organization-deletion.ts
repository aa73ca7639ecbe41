import type { Log } from '../../engine/runtime/log.ts';
import type { DeletionStore } from '../../engine/store/cluster/deletion-store.ts';
import type { JobPayload } from '../../schema/jobs.ts';
import { PROVIDER_STEPS } from '../../schema/money/payment.ts';
import { activityJobId } from '../activity.ts';
import type { JobQueues } from '../job-runner.ts';

interface DeletionParts {
  readonly store: DeletionStore;
  /** The deletions outside Postgres; each returns the number of deleted things. */
  readonly removals: readonly ((organizationId: number) => Promise<number>)[];
  readonly log: Log;
}

/**
 * Deletes the rest of deleted organizations, from Postgres, from Redis and from this machine's outbox. It holds no
 * state: the tables themselves name the open work, so that it may end anywhere and start again. See
 * DeletionStore.notePass for the end.
 */
export function createOrganizationDeletionProcessor({ store, removals, log }: DeletionParts) {
  async function look(organizationId: number, signal: AbortSignal, queues: JobQueues): Promise<void> {
    await logSteps(store, organizationId, log);
    let rows = 0;
    for (let deleted = -1; deleted !== 0; rows += deleted) {
      if (signal.aborted) return;
      deleted = await store.deleteBatch(organizationId);
    }
    await queues.forget('activity', activityJobId(organizationId));
    // Jobs of its webhooks and payments find nothing, and end.
    await queues.forget('webhooks');
    await queues.forget('payment-steps');
    let others = 0;
    for (const remove of removals) others += await remove(organizationId);
    const isFinished = await store.notePass(organizationId, rows + others);
    if (rows + others > 0) log.info({ organizationId, rows, others }, 'removed what was stored of an organization');
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

/** Afterwards no record names them, and nobody carries them out: an operator sees to them at the provider. */
async function logSteps(store: DeletionStore, organizationId: number, log: Log): Promise<void> {
  for (const step of PROVIDER_STEPS) {
    let payments = await store.listPayments(organizationId, step, 0);
    while (payments.length > 0) {
      log.warn(
        { organizationId, step, payments },
        'steps of payments go with their organization: look at the provider',
      );
      payments = await store.listPayments(organizationId, step, payments.at(-1)!.paymentId);
    }
  }
}

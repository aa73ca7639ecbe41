import { LIMITS } from '../../../schema/limits.ts';
import type { PaymentRecord, ProviderStep } from '../../../schema/money/payment.ts';
import type { Sql } from '../postgres.ts';
import { once } from '../statements.ts';

/** A payment with a step that its provider was still to do, or to be asked about. */
export interface DroppedPayment
  extends Pick<PaymentRecord, 'provider' | 'providerReference' | 'amountMinor' | 'currency'> {
  readonly paymentId: number;
}

/** Deletes the rows of organizations that have a tombstone. */
export interface DeletionStore {
  /** Lists the organizations to look through now, those that were deleted first in front. */
  listDue(): Promise<number[]>;
  /** Lists the payments that have the step, in the order of their ids from above `afterId`: LIMITS.paymentsPerPage. */
  listPayments(organizationId: number, step: ProviderStep, afterId: number): Promise<DroppedPayment[]>;
  /** Deletes up to LIMITS.deletionBatchRows rows. Returns their number. Safe to repeat, and to run twice at once. */
  deleteBatch(organizationId: number): Promise<number>;
  /**
   * Notes that a look through all tables has ended, with `rows` deleted. True when that finishes the deletion: nothing
   * was found LIMITS.deletionSettleMs after a look that left nothing.
   */
  notePass(organizationId: number, rows: number): Promise<boolean>;
}

export function createDeletionStore(sql: Sql): DeletionStore {
  return {
    async listDue() {
      const rows = await once(
        sql<{ organizationId: number }[]>`
          SELECT organization_id FROM deleted_organizations
          WHERE finished_at IS NULL AND (cleared_at IS NULL OR cleared_at <= now() - ${LIMITS.deletionSettleMs} * interval '1 millisecond')
          ORDER BY requested_at LIMIT ${LIMITS.deletionsPerJob}`,
        'looking for deleted organizations',
      );
      return rows.map((row) => row.organizationId);
    },
    async listPayments(organizationId, step, afterId) {
      const query = sql<DroppedPayment[]>`
        SELECT id AS payment_id, provider, provider_reference, amount_minor, currency FROM payments
        WHERE step = ${step} AND organization_id = ${organizationId} AND id > ${afterId}
        ORDER BY id LIMIT ${LIMITS.paymentsPerPage}`;
      return [...(await once(query, 'looking for steps of payments of a deleted organization'))];
    },
    async deleteBatch(organizationId) {
      const query = sql<{ deleted: number }[]>`
        SELECT delete_organization_batch(${organizationId}, ${LIMITS.deletionBatchRows}) AS deleted`;
      const [row] = await once(query, 'deleting an organization');
      return row!.deleted;
    },
    async notePass(organizationId, rows) {
      const query = sql<{ isFinished: boolean }[]>`
        UPDATE deleted_organizations SET
          finished_at = CASE WHEN ${rows}::bigint = 0 AND cleared_at <= now() - ${LIMITS.deletionSettleMs} * interval '1 millisecond' THEN now() END,
          cleared_at = CASE WHEN ${rows}::bigint = 0 THEN coalesce(cleared_at, now()) ELSE now() END
        WHERE organization_id = ${organizationId} AND finished_at IS NULL
        RETURNING finished_at IS NOT NULL AS is_finished`;
      const [row] = await once(query, 'noting a deletion');
      return row?.isFinished ?? false;
    },
  };
}

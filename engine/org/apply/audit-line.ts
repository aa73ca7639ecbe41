import type { Caller } from '../../../schema/commands.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import type { AuditRecord } from '../../store/actor/commit-store.ts';
import type { Change } from '../state/changes.ts';
import type { StateView } from '../state/state-view.ts';

type Audited = Pick<AuditRecord, 'recordType' | 'recordId' | 'version' | 'before' | 'after'>;

/**
 * The audit line of a change that is about to be applied. Undefined for tasks and their belongings: the history of
 * tasks is their audit log.
 */
export function auditLineOf(state: StateView, change: Change, caller: Caller, at: string): AuditRecord | undefined {
  const audited = auditedBy(state, change);
  if (!audited) return undefined;
  return {
    organizationId: state.organizationId,
    ...audited,
    at,
    actorType: caller.type,
    actorId: caller.id,
    correlationId: caller.origin?.correlationId ?? null,
    address: caller.origin?.address ?? null,
  };
}

function auditedBy(state: StateView, change: Change): Audited | undefined {
  switch (change.kind) {
    case 'put-customer': {
      const { id: recordId, version } = change.customer;
      const before = state.findCustomer(recordId) ?? null;
      return { recordType: 'customer', recordId, version, before, after: change.customer };
    }
    case 'put-warehouse': {
      const { warehouse, location } = change.facts;
      const was = state.findWarehouse(warehouse.id);
      const before = was ? { ...was.warehouse, location: was.location } : null;
      const { id: recordId, version } = warehouse;
      return { recordType: 'warehouse', recordId, version, before, after: { ...warehouse, location } };
    }
    case 'put-agent': {
      if (change.isByTime) return undefined;
      const { id: recordId, version } = change.agent;
      const before = state.findAgent(recordId) ?? null;
      return { recordType: 'agent', recordId, version, before, after: change.agent };
    }
    case 'put-organization': {
      const { organizationId: recordId, version } = change.organization;
      return {
        recordType: 'organization',
        recordId,
        version,
        before: state.organization,
        after: change.organization,
      };
    }
    case 'put-payment': {
      const { id: recordId, version } = change.payment;
      const before = state.findPayment(recordId);
      return {
        recordType: 'payment',
        recordId,
        version,
        before: before ? withoutCheckoutToken(before) : null,
        after: withoutCheckoutToken(change.payment),
      };
    }
    case 'move-money': {
      // Those of payments and tasks stand in their audit.
      const { transfer, entries } = change;
      if (transfer.kind !== 'top_up') return undefined;
      return { recordType: 'top_up', recordId: transfer.id, version: 1, before: null, after: { ...transfer, entries } };
    }
    default:
      return undefined;
  }
}

/** The checkout token opens the checkout page, so leave it out of the audit log. */
function withoutCheckoutToken({ checkoutToken: _, ...payment }: PaymentRecord): object {
  return payment;
}

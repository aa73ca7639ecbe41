import type { CreateTaskInput } from '../../../schema/create-task.ts';
import { type CustomerRecord, type InlineCustomerInput, splitName } from '../../../schema/customer.ts';
import type { Change } from '../changes.ts';
import type { OrgState } from '../org-state.ts';
import type { DecideContext } from './decision.ts';

export interface CustomerMatch {
  readonly record: CustomerRecord;
  readonly isNew: boolean;
  readonly changes: readonly Change[];
}

/**
 * The customer that a task is for. An inline customer matches by phone, then by e-mail where that customer has no
 * phone, else it becomes a new one. A match fills empty fields and changes none (decisions.md §3).
 */
export function matchCustomer(state: OrgState, input: CreateTaskInput, context: DecideContext): CustomerMatch {
  if (input.customerId) return { record: state.findCustomer(input.customerId)!, isNew: false, changes: [] };
  const inline = input.customer!;
  const match =
    state.findCustomerByPhone(inline.phone.e164) ??
    (inline.email ? state.findPhonelessCustomer(inline.email) : undefined);
  if (!match) {
    const customer = newCustomer(state.organizationId, inline, context);
    return { record: customer, isNew: true, changes: [{ kind: 'customer-created', customer }] };
  }
  const filled = fillEmpty(match, inline, context.now);
  return filled === match
    ? { record: match, isNew: false, changes: [] }
    : { record: filled, isNew: false, changes: [{ kind: 'customer-changed', customer: filled }] };
}

function newCustomer(organizationId: number, inline: InlineCustomerInput, context: DecideContext): CustomerRecord {
  return {
    organizationId,
    id: context.nextId('customer'),
    version: 1,
    userId: context.nextId('user'),
    customerType: 'individual',
    ...splitName(inline.name),
    email: inline.email ?? null,
    phoneE164: inline.phone.e164,
    countryCode: inline.phone.countryCode,
    phoneNumber: inline.phone.number,
    address: null,
    createdAt: context.now,
    updatedAt: context.now,
  };
}

function fillEmpty(customer: CustomerRecord, inline: InlineCustomerInput, now: string): CustomerRecord {
  const email = customer.email ?? inline.email ?? null;
  const hasPhone = customer.phoneE164 !== null;
  if (email === customer.email && hasPhone) return customer;
  return {
    ...customer,
    version: customer.version + 1,
    email,
    phoneE164: customer.phoneE164 ?? inline.phone.e164,
    countryCode: hasPhone ? customer.countryCode : inline.phone.countryCode,
    phoneNumber: hasPhone ? customer.phoneNumber : inline.phone.number,
    updatedAt: now,
  };
}

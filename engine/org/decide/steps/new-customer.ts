import { type CustomerRecord, type CustomerType, splitName } from '../../../../schema/customers/customer.ts';
import type { Refusal } from '../../../../schema/errors.ts';
import type { Phone } from '../../../../schema/fields/phone.ts';
import { checkQuota, quotaPeriod } from '../../../domain/quota.ts';
import type { Draft } from '../../state/draft.ts';
import type { DecideContext } from '../decision.ts';

/** The fields of a new customer, from any source. */
interface NewCustomer {
  readonly name: string;
  readonly phone: Phone;
  readonly email?: string | null | undefined;
  readonly address?: string | null | undefined;
  readonly customerType?: CustomerType | null | undefined;
}

/** Drafts a customer whose phone nobody has, and counts it. Refuses 403 PACKAGE_LIMIT_EXCEEDED. */
export function draftCustomer(
  draft: Draft,
  { name, phone, email, address, customerType }: NewCustomer,
  context: DecideContext,
): { readonly customer: CustomerRecord } | { readonly refusal: Refusal } {
  const { now } = context;
  const period = quotaPeriod('customers', now);
  const used = draft.usedOf('customers', period);
  const refusal = checkQuota('customers', draft.organization.limits.customers, used, 1, now);
  if (refusal) return { refusal };
  const customer: CustomerRecord = {
    organizationId: draft.organizationId,
    id: context.nextId('customer'),
    version: 1,
    userId: context.nextId('user'),
    customerType: customerType ?? 'individual',
    ...splitName(name),
    email: email ?? null,
    phoneE164: phone.e164,
    countryCode: phone.countryCode,
    phoneNumber: phone.number,
    address: address ?? null,
    createdAt: now,
    updatedAt: now,
  };
  draft.put({ kind: 'put-customer', customer });
  draft.put({ kind: 'count-usage', resource: 'customers', period, used: used + 1 });
  return { customer };
}

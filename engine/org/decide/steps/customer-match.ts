import type { CustomerRecord, InlineCustomerInput } from '../../../../schema/customers/customer.ts';
import type { Refusal } from '../../../../schema/errors.ts';
import type { Draft } from '../../state/draft.ts';
import type { DecideContext } from '../decision.ts';
import { draftCustomer } from './new-customer.ts';

/** One of the two; a customer named by its id is known to be there. */
interface CustomerChoice {
  readonly customer?: InlineCustomerInput | null | undefined;
  readonly customerId?: number | null | undefined;
}

/**
 * The customer that a task is for. An inline customer matches by phone, then by e-mail where that customer has no
 * phone, else it becomes a new one. A match fills empty fields and changes none (docs/contract.md §3). Refuses
 * 403 PACKAGE_LIMIT_EXCEEDED for one customer too many.
 */
export function matchCustomer(
  draft: Draft,
  { customer: inline, customerId }: CustomerChoice,
  context: DecideContext,
): { readonly customer: CustomerRecord } | { readonly refusal: Refusal } {
  if (customerId) return { customer: draft.findCustomer(customerId)! };
  const { phone, email } = inline!;
  const match = draft.findCustomerByPhone(phone.e164) ?? (email ? draft.findPhonelessCustomer(email) : undefined);
  if (!match) return draftCustomer(draft, inline!, context);
  const customer = fillEmpty(match, inline!, context.now);
  if (customer !== match) draft.put({ kind: 'put-customer', customer });
  return { customer };
}

function fillEmpty(customer: CustomerRecord, { phone, email }: InlineCustomerInput, now: string): CustomerRecord {
  const hasPhone = customer.phoneE164 !== null;
  if (hasPhone && (customer.email !== null || !email)) return customer;
  return {
    ...customer,
    version: customer.version + 1,
    email: customer.email ?? email ?? null,
    phoneE164: customer.phoneE164 ?? phone.e164,
    countryCode: hasPhone ? customer.countryCode : phone.countryCode,
    phoneNumber: hasPhone ? customer.phoneNumber : phone.number,
    updatedAt: now,
  };
}

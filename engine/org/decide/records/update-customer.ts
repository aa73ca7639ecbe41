import type { UpdateCustomer } from '../../../../schema/commands.ts';
import { type CustomerRecord, splitName, type UpdateCustomerInput } from '../../../../schema/customers/customer.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule } from '../rule.ts';

export const updateCustomerRule = rule<UpdateCustomer>({
  needs(needed, { customerId, input }) {
    needed.customer(customerId);
    needed.phone(input.phone?.e164);
  },
  decide: decideUpdateCustomer,
});

/**
 * PATCH /customers/:id. A field with its present value changes nothing. Refuses, in this order: 404; 412
 * PRECONDITION_FAILED for another version than the expected one; 409 CUSTOMER_PHONE_TAKEN.
 */
function decideUpdateCustomer(draft: Draft, command: UpdateCustomer, context: DecideContext): Decision {
  const { customerId, expectedVersion, input } = command;
  const before = draft.findCustomer(customerId);
  if (!before) return refuse(notFound('Customer', customerId));
  if (expectedVersion !== undefined && expectedVersion !== before.version) {
    return refuse(refusal('PRECONDITION_FAILED'));
  }
  const holder = input.phone ? draft.findCustomerByPhone(input.phone.e164) : undefined;
  if (holder && holder.id !== customerId) {
    return refuse(refusal('CUSTOMER_PHONE_TAKEN', undefined, { customerId: holder.id }));
  }
  const wanted = { ...before, ...wantedFields(input) };
  const isSame = CHANGEABLE.every((field) => wanted[field] === before[field]);
  if (isSame) return done('customer', customerId);
  const customer: CustomerRecord = { ...wanted, version: before.version + 1, updatedAt: context.now };
  draft.put({ kind: 'put-customer', customer });
  return done('customer', customerId);
}

const CHANGEABLE = ['firstName', 'lastName', 'phoneE164', 'email', 'address'] as const;

function wantedFields({ name, phone, email, address }: UpdateCustomerInput): Partial<CustomerRecord> {
  return {
    ...(name ? splitName(name) : {}),
    ...(phone ? { phoneE164: phone.e164, countryCode: phone.countryCode, phoneNumber: phone.number } : {}),
    ...(email === undefined ? {} : { email }),
    ...(address === undefined ? {} : { address }),
  };
}

import type { CreateCustomer } from '../../../../schema/commands.ts';
import { refusal } from '../../../../schema/errors.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule } from '../rule.ts';
import { draftCustomer } from '../steps/new-customer.ts';

export const createCustomerRule = rule<CreateCustomer>({
  needs: (needed, { input }) => needed.phone(input.phone.e164),
  decide: decideCreateCustomer,
});

/** POST /customers. Refuses, in this order: 409 CUSTOMER_PHONE_TAKEN; 403 PACKAGE_LIMIT_EXCEEDED. */
function decideCreateCustomer(draft: Draft, { input }: CreateCustomer, context: DecideContext): Decision {
  const holder = draft.findCustomerByPhone(input.phone.e164);
  if (holder) return refuse(refusal('CUSTOMER_PHONE_TAKEN', undefined, { customerId: holder.id }));
  const drafted = draftCustomer(draft, input, context);
  return 'refusal' in drafted ? refuse(drafted.refusal) : done('customer', drafted.customer.id, 201);
}

import * as v from 'valibot';
import { email, oneOf, requiredText, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { listQuery, pageView } from '../fields/page-query.ts';
import { type Phone, readPhone } from '../fields/phone.ts';
import { shownAs } from '../fields/shown-as.ts';
import { nullableTime, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

const WITH_EXTENSION = 'must be a phone number without an extension; write the extension into a text, such as notes';

/**
 * A phone number with its country code, taken apart. Records hold none of its extension: without a refusal all who sit behind
 * one switchboard would be one customer.
 */
export const phone = v.pipe(
  v.string('must be a string'),
  v.rawTransform<string, Phone>(({ dataset, addIssue, NEVER }) => {
    const written = readPhone(dataset.value);
    if (written && !written.hasExtension) return written.phone;
    addIssue({ message: written ? WITH_EXTENSION : 'must be a possible phone number with its country code' });
    return NEVER;
  }),
);

/** Source: docs/contract.md §3 "Inline customer". */
export const inlineCustomerInput = named(
  'InlineCustomerInput',
  v.object(
    {
      name: requiredText(LIMITS.shortTextChars),
      phone,
      email: v.nullish(email),
    },
    'must be an object',
  ),
);
export type InlineCustomerInput = v.InferOutput<typeof inlineCustomerInput>;

export const CUSTOMER_TYPES = named('CustomerType', ['individual', 'business'] as const);
export type CustomerType = (typeof CUSTOMER_TYPES)[number];

/** The body of POST /customers. `customerType` is `individual` unless it is said. */
export const createCustomerInput = named(
  'CreateCustomerInput',
  v.object(
    {
      name: requiredText(LIMITS.shortTextChars),
      phone,
      email: v.nullish(email),
      address: v.nullish(shortText),
      customerType: v.nullish(oneOf(CUSTOMER_TYPES)),
    },
    'the body must be an object',
  ),
);
export type CreateCustomerInput = v.InferOutput<typeof createCustomerInput>;

/** The body of PATCH /customers/:id: what is absent stays; null clears `email` and `address`. */
export const updateCustomerInput = named(
  'UpdateCustomerInput',
  v.object(
    {
      name: v.nullish(requiredText(LIMITS.shortTextChars)),
      phone: v.nullish(phone),
      email: v.optional(v.nullable(email)),
      address: v.optional(v.nullable(shortText)),
    },
    'the body must be an object',
  ),
);
export type UpdateCustomerInput = v.InferOutput<typeof updateCustomerInput>;

/** A row of `customers`. The user's fields stand here: a customer never logs in. */
export interface CustomerRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly userId: number;
  readonly customerType: CustomerType;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string | null;
  /** E.164 with the leading +; unique in the organization. */
  readonly phoneE164: string | null;
  readonly countryCode: string | null;
  readonly phoneNumber: string | null;
  readonly address: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The customer inside a task. */
export type CustomerOfTask = Pick<
  CustomerRecord,
  'id' | 'userId' | 'customerType' | 'firstName' | 'lastName' | 'email' | 'countryCode' | 'phoneNumber'
>;

/** A person behind a customer or an agent. */
export const userView = named(
  'Person',
  v.object({
    id: shownId,
    firstName: v.string(),
    lastName: v.string(),
    email: v.nullable(v.string()),
    phoneNumber: v.nullable(v.string()),
    countryCode: v.nullable(v.string()),
  }),
);
export type UserView = v.InferOutput<typeof userView>;

/** The customer as a task shows it. */
export const taskCustomerView = named(
  'TaskCustomer',
  v.object({
    id: shownId,
    userId: shownId,
    customerType: v.string(),
    user: userView,
  }),
);
export type TaskCustomerView = v.InferOutput<typeof taskCustomerView>;

/** The customer as the customer endpoints show it. */
export const customerView = named(
  'Customer',
  v.object({
    ...taskCustomerView.entries,
    name: v.string(),
    address: v.nullable(v.string()),
    createdAt: shownTime,
    updatedAt: shownTime,
  }),
);
export type CustomerView = v.InferOutput<typeof customerView>;

/** The deliveries of a customer in numbers; times are ISO 8601. */
const deliverySummaryView = named(
  'DeliverySummary',
  v.object({
    totalTasks: shownInteger,
    completedTasks: shownInteger,
    cancelledTasks: shownInteger,
    /** When the newest task was created; null without one. */
    lastTaskAt: nullableTime,
  }),
);
export type DeliverySummary = v.InferOutput<typeof deliverySummaryView>;

/** The customer as a read by its id shows it. */
export const customerDetailView = named(
  'CustomerDetail',
  v.object({ ...customerView.entries, deliverySummary: deliverySummaryView }),
);

export const customerListView = pageView('CustomerList', customerView);

/** A phone number in a query, where a `+` that is not percent-encoded means a space: in front of a digit it is put back. */
const queryPhone = shownAs(
  v.pipe(
    v.string(),
    v.transform((text) => text.replace(/^ (?=\d)/, '+')),
    phone,
  ),
  { description: 'The whole number with its country code, in any notation; a `+` may come unencoded' },
);

/** The query of GET /customers. `search`: part of a name, of an e-mail address or of a phone number. `phone`: the whole one. */
export const listCustomersQuery = listQuery('customers', {
  search: v.optional(shortText),
  phone: v.optional(queryPhone),
});
export type ListCustomersQuery = v.InferOutput<typeof listCustomersQuery>;

/** "  Ada  Mary Lovelace " → { firstName: 'Ada', lastName: 'Mary Lovelace' } */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...rest] = name.trim().split(/\s+/);
  return { firstName, lastName: rest.join(' ') };
}

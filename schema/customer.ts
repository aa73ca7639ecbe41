import * as v from 'valibot';
import { email, requiredText } from './fields.ts';
import { LIMITS } from './limits.ts';
import { type Phone, parsePhone } from './phone.ts';

const phone = v.pipe(
  v.string('must be a string'),
  v.rawTransform<string, Phone>(({ dataset, addIssue, NEVER }) => {
    const parsed = parsePhone(dataset.value);
    if (parsed) return parsed;
    addIssue({ message: 'must be a possible phone number with its country code' });
    return NEVER;
  }),
);

/** Source: interface.md "Inline customer object". */
export const inlineCustomerInput = v.object(
  {
    name: requiredText(LIMITS.shortTextChars),
    phone,
    email: v.nullish(email),
  },
  'must be an object',
);
export type InlineCustomerInput = v.InferOutput<typeof inlineCustomerInput>;

export const CUSTOMER_TYPES = ['individual', 'business'] as const;
export type CustomerType = (typeof CUSTOMER_TYPES)[number];

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

/** A person behind a customer or an agent. */
export const userView = v.object({
  id: v.number(),
  firstName: v.string(),
  lastName: v.string(),
  email: v.nullable(v.string()),
  phoneNumber: v.nullable(v.string()),
  countryCode: v.nullable(v.string()),
});
export type UserView = v.InferOutput<typeof userView>;

/** The customer as a task shows it. */
export const taskCustomerView = v.object({
  id: v.number(),
  userId: v.number(),
  customerType: v.string(),
  user: userView,
});
export type TaskCustomerView = v.InferOutput<typeof taskCustomerView>;

/** "  Ada  Mary Lovelace " → { firstName: 'Ada', lastName: 'Mary Lovelace' } */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...rest] = name.trim().split(/\s+/);
  return { firstName, lastName: rest.join(' ') };
}

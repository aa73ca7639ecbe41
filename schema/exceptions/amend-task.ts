import * as v from 'valibot';
import { phone } from '../customers/customer.ts';
import { locationInput } from '../customers/location.ts';
import { isoTime, longText, requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { shownAs } from '../fields/shown-as.ts';
import { timesCheck } from '../fields/times-check.ts';
import { LIMITS } from '../limits.ts';

const CLEARS = { description: 'null clears it' };
const LEAVES = { description: 'null leaves it as it is' };

const contact = named(
  'TaskContactInput',
  v.object({ name: requiredText(LIMITS.shortTextChars), phone }, 'must be an object'),
);

/** The fields of an amendment; an absent one stays. */
export const amendFields = {
  notes: shownAs(v.optional(v.nullable(longText)), CLEARS),
  description: shownAs(v.optional(v.nullable(longText)), CLEARS),
  location: shownAs(v.nullish(locationInput), LEAVES),
  pickupLocation: shownAs(v.nullish(locationInput), LEAVES),
  windowStart: shownAs(v.optional(v.nullable(isoTime)), CLEARS),
  windowEnd: shownAs(v.optional(v.nullable(isoTime)), CLEARS),
  scheduledAt: shownAs(v.nullish(isoTime), {
    description: 'Makes an asap task a scheduled one; null leaves it as it is',
  }),
  contact: shownAs(v.optional(v.nullable(contact)), {
    description: 'Who is to be met and called for this task; the customer stays as it is. null clears it',
  }),
};

/** The body of POST /tasks/:id/amend. With `now`, times that have passed are violations too, see CreateTaskOptions. */
export function amendTaskSchema(now?: () => number) {
  return v.pipe(named('AmendTaskInput', v.object(amendFields, 'the body must be an object')), timesCheck(now));
}
export type AmendTaskInput = v.InferOutput<v.ObjectSchema<typeof amendFields, undefined>>;

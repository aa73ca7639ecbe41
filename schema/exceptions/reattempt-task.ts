import * as v from 'valibot';
import { boolean, isoTime } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { shownAs } from '../fields/shown-as.ts';
import { timesCheck } from '../fields/times-check.ts';

const fields = named(
  'ReattemptTaskInput',
  v.object(
    {
      scheduledAt: shownAs(v.nullish(isoTime), { description: 'Makes the new task a scheduled one; absent: asap' }),
      windowStart: v.nullish(isoTime),
      windowEnd: v.nullish(isoTime),
      returnToPickup: shownAs(v.nullish(boolean), {
        description: 'Brings the packages back: the new task is a `return`, with the two places swapped',
      }),
    },
    'the body must be an object',
  ),
);

/**
 * The body of POST /tasks/:id/reattempt, which may be left out. With `now`, times that have passed are violations too,
 * see CreateTaskOptions.
 */
export function reattemptTaskSchema(now?: () => number) {
  return v.pipe(fields, timesCheck(now));
}
export type ReattemptTaskInput = v.InferOutput<typeof fields>;

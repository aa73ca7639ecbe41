import * as v from 'valibot';
import { boolean, isoTime, isPast } from '../fields/fields.ts';
import { shownAs } from '../fields/shown-as.ts';
import { isEmptyWindow } from '../fields/window.ts';

const fields = v.object(
  {
    scheduledAt: shownAs(v.nullish(isoTime), { description: 'Makes the new task a scheduled one; absent: asap' }),
    windowStart: v.nullish(isoTime),
    windowEnd: v.nullish(isoTime),
    returnToPickup: shownAs(v.nullish(boolean), {
      description: 'Brings the packages back: the new task is a `return`, with the two places swapped',
    }),
  },
  'the body must be an object',
);

/**
 * The body of POST /tasks/:id/reattempt, which may be left out. With `now`, times that have passed are violations too,
 * see CreateTaskOptions.
 */
export function reattemptTaskSchema(now?: () => number) {
  return v.pipe(
    fields,
    v.rawCheck(({ dataset, addIssue }) => {
      const body = dataset.value as Readonly<Record<string, unknown>> | undefined;
      if (typeof body !== 'object' || body === null) return;
      const violation = (key: string, message: string) =>
        addIssue({ message, path: [{ type: 'object', origin: 'value', input: body, key, value: body[key] }] });
      if (isEmptyWindow(body['windowStart'], body['windowEnd'])) violation('windowEnd', 'must be after windowStart');
      if (!now) return;
      for (const key of ['scheduledAt', 'windowEnd']) {
        if (isPast(body[key], now)) violation(key, 'must be in the future');
      }
    }),
  );
}
export type ReattemptTaskInput = v.InferOutput<ReturnType<typeof reattemptTaskSchema>>;

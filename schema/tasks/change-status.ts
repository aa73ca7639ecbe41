import * as v from 'valibot';
import { isoTime, longText, oneOf, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { TASK_OUTCOMES, TASK_STATUSES } from './task.ts';

const isGiven = (value: unknown) => typeof value === 'string' && value.trim() !== '';

/**
 * The body of PUT /tasks/:id/status. `occurredAt` is when the step really happened, told by a driver who was offline.
 * `outcome` belongs to `completed`; a failed one says why. `note` is what the courier left to say at the end, and
 * `overrideReason` why a dispatcher lets a task succeed without what it requires.
 */
export const changeStatusInput = v.pipe(
  named(
    'ChangeTaskStatusInput',
    v.object(
      {
        status: oneOf(TASK_STATUSES),
        reason: v.nullish(longText),
        reasonCode: v.nullish(shortText),
        occurredAt: v.nullish(isoTime),
        outcome: v.nullish(oneOf(TASK_OUTCOMES)),
        failureReason: v.nullish(longText),
        note: v.nullish(longText),
        overrideReason: v.nullish(longText),
      },
      'the body must be an object',
    ),
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    const body = dataset.value as { readonly [key: string]: unknown } | undefined;
    if (typeof body !== 'object' || body === null) return;
    const { status, outcome, failureReason, note, overrideReason } = body;
    const violation = (key: string, message: string) =>
      addIssue({ message, path: [{ type: 'object', origin: 'value', input: body, key, value: body[key] }] });
    if (outcome === 'failed' && !isGiven(failureReason))
      violation('failureReason', 'is required when the outcome is failed');
    if (outcome != null && status !== 'completed') violation('outcome', 'belongs to the status completed');
    if (isGiven(note) && status !== 'completed') violation('note', 'belongs to the status completed');
    if (isGiven(overrideReason) && (status !== 'completed' || outcome === 'failed'))
      violation('overrideReason', 'belongs to the outcome succeeded');
    if (isGiven(failureReason) && outcome !== 'failed') violation('failureReason', 'belongs to the outcome failed');
  }),
);
export type ChangeStatusInput = v.InferOutput<typeof changeStatusInput>;

/** The body of POST /tasks/:id/picked-up; `occurredAt` as above. */
export const pickUpInput = named(
  'PickUpInput',
  v.object({ occurredAt: v.nullish(isoTime) }, 'the body must be an object'),
);
export type PickUpInput = v.InferOutput<typeof pickUpInput>;

import * as v from 'valibot';
import { longText, oneOf, shortText } from './fields.ts';
import { TASK_STATUSES } from './task.ts';

/** The body of PUT /tasks/:id/status. */
export const changeStatusInput = v.object(
  {
    status: oneOf(TASK_STATUSES),
    reason: v.nullish(longText),
    reasonCode: v.nullish(shortText),
  },
  'the body must be an object',
);
export type ChangeStatusInput = v.InferOutput<typeof changeStatusInput>;

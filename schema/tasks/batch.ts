import * as v from 'valibot';
import { plainError, validationError } from '../fields/envelope.ts';
import { queryFlag } from '../fields/fields.ts';
import { IDEMPOTENCY_KEY_SHOWN } from '../fields/idempotency-key.ts';
import { named } from '../fields/named.ts';
import { shownAs } from '../fields/shown-as.ts';
import { shownInteger } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';
import { taskView } from './task-view.ts';

/** The body of POST /tasks/batch; each item is judged by itself. */
export const createTasksInput = batchOf(v.unknown());
export type CreateTasksInput = v.InferOutput<typeof createTasksInput>;

/** The same with its items told: bodies of POST /tasks, each with a key of its own where it wants one. */
export function describedBatch(task: v.GenericSchema) {
  const idempotencyKey = v.nullish(shownAs(v.string(), IDEMPOTENCY_KEY_SHOWN));
  return batchOf(v.intersect([task, named('BatchItemKey', v.object({ idempotencyKey }))]));
}

function batchOf<T extends v.GenericSchema>(item: T) {
  return named(
    'CreateTasksInput',
    v.object(
      {
        tasks: v.pipe(
          v.array(item, 'must be an array'),
          v.minLength(1, 'must not be empty'),
          v.maxLength(LIMITS.batchTasks, `must hold at most ${LIMITS.batchTasks} items`),
        ),
      },
      'the body must be an object',
    ),
  );
}

export const createTasksQuery = v.object({
  atomic: v.optional(queryFlag),
});

/** The result of each item, in their order: the task, or the error body of the single call. */
export const batchView = named(
  'TaskBatch',
  v.object({
    items: v.array(
      v.variant('status', [
        named('CreatedBatchItem', v.object({ index: shownInteger, status: v.literal('created'), task: taskView })),
        named(
          'FailedBatchItem',
          v.object({ index: shownInteger, status: v.literal('failed'), error: v.union([plainError, validationError]) }),
        ),
      ]),
    ),
    created: shownInteger,
    failed: shownInteger,
  }),
);

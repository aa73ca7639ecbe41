import * as v from 'valibot';
import { plainError, validationError } from '../fields/envelope.ts';
import { id, isoTime, longText, oneOf, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { shownAs } from '../fields/shown-as.ts';
import { shownId, shownInteger } from '../fields/shown-fields.ts';
import { timesCheck } from '../fields/times-check.ts';
import { LIMITS } from '../limits.ts';
import { taskView } from '../tasks/task-view.ts';
import { amendFields } from './amend-task.ts';

const TASK_ACTIONS = named('TaskActionKind', ['assign', 'unassign', 'auto_assign', 'cancel', 'amend'] as const);

const taskIds = v.pipe(
  v.array(id, 'must be an array'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(LIMITS.actionTasks, `must hold at most ${LIMITS.actionTasks} items`),
  shownAs(
    v.check<number[], string>((ids) => new Set(ids).size === ids.length, 'must not name a task twice'),
    { uniqueItems: true },
  ),
);

const of = (action: string) => ({ description: `Of ${action}` });

/** The fields of all actions; each takes those of its single call, and the others are ignored. */
const fields = named(
  'TaskActionsInput',
  v.object(
    {
      action: oneOf(TASK_ACTIONS),
      taskIds,
      agentId: shownAs(v.nullish(id), { description: 'Of assign, which needs it' }),
      reason: shownAs(v.nullish(longText), of('assign, unassign and cancel')),
      reasonCode: shownAs(v.nullish(shortText), of('assign, unassign and cancel')),
      occurredAt: shownAs(v.nullish(isoTime), of('cancel')),
      ...amendFields,
    },
    'the body must be an object',
  ),
);

/** The body of POST /tasks/actions. With `now`, times that have passed are violations too, see CreateTaskOptions. */
export function taskActionsSchema(now?: () => number) {
  return v.pipe(
    fields,
    v.rawCheck(({ dataset, addIssue }) => {
      const body = dataset.value as Readonly<Record<string, unknown>> | undefined;
      if (typeof body !== 'object' || body === null) return;
      if (body['action'] !== 'assign' || body['agentId'] != null) return;
      const path = { type: 'object', origin: 'value', input: body, key: 'agentId', value: body['agentId'] } as const;
      addIssue({ message: 'is required when the action is assign', path: [path] });
    }),
    timesCheck<TaskActionsInput>(now, ({ action }) => action === 'amend'),
  );
}
export type TaskActionsInput = v.InferOutput<typeof fields>;

export const taskActionsView = named(
  'TaskActionsResult',
  v.object({
    items: v.array(
      v.variant('status', [
        named('DoneAction', v.object({ taskId: shownId, status: v.literal('done'), task: taskView })),
        named(
          'FailedAction',
          v.object({ taskId: shownId, status: v.literal('failed'), error: v.union([plainError, validationError]) }),
        ),
      ]),
    ),
    done: shownInteger,
    failed: shownInteger,
  }),
);
export type TaskActionsView = v.InferOutput<typeof taskActionsView>;

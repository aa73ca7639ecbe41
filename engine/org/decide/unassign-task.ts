import type { UnassignTask } from '../../../schema/commands.ts';
import { notFound } from '../../../schema/errors.ts';
import type { TaskRecord } from '../../../schema/task.ts';
import { checkUnassignment, fieldsOfStep } from '../../domain/task-machine.ts';
import type { Draft } from '../draft.ts';
import { type DecideContext, type Decision, done, refuse } from './decision.ts';
import { followChildren } from './job-upkeep.ts';

/** POST /tasks/:id/unassign. Refuses: 404; 409 STATUS_DERIVED, INVALID_STATUS_TRANSITION. */
export function decideUnassignTask(draft: Draft, command: UnassignTask, { now }: DecideContext): Decision {
  const { taskId, input } = command;
  const facts = draft.findTask(taskId);
  if (!facts) return refuse(notFound('Task', taskId));
  const { task: before } = facts;
  const refused = checkUnassignment(before);
  if (refused) return refuse(refused);
  const status = 'awaiting_assignment';
  const reason = input.reason ?? null;
  const task: TaskRecord = {
    ...before,
    ...fieldsOfStep(status, now),
    version: before.version + 1,
    updatedAt: now,
  };
  draft.put({ kind: 'put-task', task });
  draft.put({
    kind: 'tell',
    type: 'task.status_changed',
    taskId,
    extra: { previousStatus: before.status, status, reason, previousAgentId: before.agentId },
    step: {
      kind: 'status_changed',
      fromStatus: before.status,
      toStatus: status,
      reason,
      reasonCode: input.reasonCode ?? null,
    },
  });
  if (before.parentId !== null) followChildren(draft, before.parentId, now);
  return done('task', taskId);
}

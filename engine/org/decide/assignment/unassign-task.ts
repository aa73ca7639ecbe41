import type { UnassignTask } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import { detailsOfStep } from '../../../domain/tasks/step-details.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { checkUnassignment, fieldsOfStep } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';
import { followChildren } from '../steps/job-upkeep.ts';
import { withdrawRequests } from '../steps/request-steps.ts';
import { withoutSearch } from '../steps/task-end.ts';

export const unassignTaskRule = rule<UnassignTask>({
  needs: needsTask,
  task: taskById,
  decide: decideUnassignTask,
});

/** POST /tasks/:id/unassign. Refuses: 404; 409 STATUS_DERIVED, INVALID_STATUS_TRANSITION. */
function decideUnassignTask(draft: Draft, command: UnassignTask, { now }: DecideContext): Decision {
  const { taskId, input } = command;
  const facts = draft.findTask(taskId);
  if (!facts) return refuse(notFound('Task', taskId));
  const { task: before } = facts;
  const refused = checkUnassignment(before);
  if (refused) return refuse(refused);
  const status = 'awaiting_assignment';
  const reason = input.reason ?? null;
  const ended = withoutSearch(before);
  // The found agent is taken off, so the search has found none any more.
  const autoAssignmentStatus = ended.autoAssignmentStatus === 'assigned' ? 'cancelled' : ended.autoAssignmentStatus;
  const task = changedTask(before, { ...fieldsOfStep(status, now), ...ended, autoAssignmentStatus }, now);
  withdrawRequests(draft, before.search?.open ?? [], now);
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
      details: detailsOfStep(before, task),
    },
  });
  if (before.parentId !== null) followChildren(draft, before.parentId, now);
  return done('task', taskId);
}

import type { AssignTask } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import { detailsOfStep } from '../../../domain/tasks/step-details.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { fieldsOfStep, judgeAssignment } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule, taskById } from '../rule.ts';
import { judgeFit } from '../steps/agent-fit.ts';
import { followChildren } from '../steps/job-upkeep.ts';
import { withdrawRequests } from '../steps/request-steps.ts';
import { withoutSearch } from '../steps/task-end.ts';
import { withdrawFromFull } from '../steps/task-search.ts';

export const assignTaskRule = rule<AssignTask>({
  needs(needed, { taskId, input }) {
    needed.task(taskId);
    needed.takerWithOffers(input.agentId);
  },
  task: taskById,
  decide: decideAssignTask,
});

/**
 * POST /tasks/:id/assign.
 * Refuses: 404 for the task, then for the agent; 409 STATUS_DERIVED, INVALID_STATUS_TRANSITION, AGENT_NOT_ACTIVE,
 * AGENT_SLOT_TAKEN, AGENT_OVER_CAPACITY.
 */
function decideAssignTask(draft: Draft, command: AssignTask, { now }: DecideContext): Decision {
  const { taskId, input } = command;
  const facts = draft.findTask(taskId);
  if (!facts) return refuse(notFound('Task', taskId));
  const agent = draft.findAgent(input.agentId);
  if (!agent) return refuse(notFound('Agent', input.agentId));
  const { task: before } = facts;
  const verdict = judgeAssignment(before, agent);
  if (verdict.kind === 'refused') return refuse(verdict.refusal);
  // An agent that is asked has the task from now on, with any answer: that is a step, as for another agent.
  if (verdict.kind === 'unchanged' && !before.search) return done('task', taskId);
  const unfit = judgeFit(draft, facts, agent);
  if (unfit) return refuse(unfit);
  withdrawRequests(draft, before.search?.open ?? [], now);
  const given = { agentId: agent.id, courierType: 'internal', courierId: null, courier: null } as const;
  const fields = { ...fieldsOfStep('assigned', now), ...given, ...withoutSearch(before) };
  const task = changedTask(before, fields, now);
  const reason = input.reason ?? null;
  const reasonCode = input.reasonCode ?? null;
  const { status: previousStatus } = before;
  const extra = { previousStatus, status: 'assigned', reason };
  const change = {
    kind: 'status_changed',
    fromStatus: previousStatus,
    toStatus: 'assigned',
    reason,
    reasonCode,
  } as const;
  const step = { ...change, details: detailsOfStep(before, task) };
  draft.put({ kind: 'put-task', task });
  draft.put({ kind: 'tell', type: 'task.status_changed', taskId, extra, step });
  if (before.parentId !== null) followChildren(draft, before.parentId, now);
  withdrawFromFull(draft, agent.id, now);
  return done('task', taskId);
}

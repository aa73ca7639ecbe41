import type { ReassignTask } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { fieldsOfReassignment, judgeReassignment, mayHandleExceptions } from '../../../domain/tasks/exceptions.ts';
import { isInCustody } from '../../../domain/tasks/package-machine.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule, taskById } from '../rule.ts';
import { judgeFit } from '../steps/agent-fit.ts';
import { followChildren } from '../steps/job-upkeep.ts';
import { withdrawRequests } from '../steps/request-steps.ts';
import { withoutSearch } from '../steps/task-end.ts';
import { withdrawFromFull } from '../steps/task-search.ts';

export const reassignTaskRule = rule<ReassignTask>({
  needs(needed, { taskId, input }) {
    needed.task(taskId);
    needed.takerWithOffers(input.agentId);
  },
  task: taskById,
  decide: decideReassignTask,
});

/**
 * POST /tasks/:id/reassign: from one courier to an agent, without a moment in which nobody has the task. Packages stay
 * as they are, and so does cash that was taken: its taker answers for it. Refuses, in this order: 403 for others than
 * staff; 404 for the task, then for the agent; 409 STATUS_DERIVED, INVALID_STATUS_TRANSITION, TASK_MOVED_ON,
 * AGENT_NOT_ACTIVE, AGENT_SLOT_TAKEN, AGENT_OVER_CAPACITY.
 */
export function decideReassignTask(draft: Draft, command: ReassignTask, { now }: DecideContext): Decision {
  const { taskId, input, caller } = command;
  if (!mayHandleExceptions(caller)) return refuse(refusal('FORBIDDEN'));
  const facts = draft.findTask(taskId);
  if (!facts) return refuse(notFound('Task', taskId));
  const agent = draft.findAgent(input.agentId);
  if (!agent) return refuse(notFound('Agent', input.agentId));
  const { task: before } = facts;
  const verdict = judgeReassignment(before, agent, input);
  if (verdict.kind === 'refused') return refuse(verdict.refusal);
  if (verdict.kind === 'unchanged') return done('task', taskId);
  const unfit = judgeFit(draft, facts, agent);
  if (unfit) return refuse(unfit);

  // The asked agent itself hears of no other that has taken the task.
  withdrawRequests(draft, before.search?.open ?? [], now, before.agentId === agent.id ? 'withdrawn' : 'taken');
  const ended = withoutSearch(before);
  // The found agent is taken off, so the search has found none any more.
  const autoAssignmentStatus = ended.autoAssignmentStatus === 'assigned' ? 'cancelled' : ended.autoAssignmentStatus;
  const times = fieldsOfReassignment(before.status, { keepsStatus: input.keepStatus === true }, now);
  const fields = { ...times, ...ended, autoAssignmentStatus, agentId: agent.id };
  const task = changedTask(before, fields, now);
  draft.put({ kind: 'put-task', task });
  tellReassigned(draft, facts, task, input);
  if (before.parentId !== null) followChildren(draft, before.parentId, now);
  withdrawFromFull(draft, agent.id, now);
  return done('task', taskId);
}

/** A step to `assigned` is one of the status; a task that keeps a later one is only updated. */
function tellReassigned(
  draft: Draft,
  { task: before, packages }: TaskFacts,
  { id: taskId, agentId, status }: TaskRecord,
  input: ReassignTask['input'],
): void {
  const { courierId, status: previousStatus } = before;
  // An agent that was only asked loses nothing when it is given the task.
  const isSame = before.agentId === agentId;
  const previousAgentId = isSame ? null : before.agentId;
  const { reason = null, reasonCode = null } = input;
  const inCustody = packages.filter((record) => isInCustody(record.status)).map(({ id }) => id);
  const former = courierId === null ? { previousAgentId } : { previousCourierId: courierId };
  const details = {
    agentId,
    ...(isSame ? {} : former),
    ...(inCustody.length > 0 ? { packageIdsInCustody: inCustody } : {}),
  };
  const step = {
    kind: 'reassigned',
    fromStatus: previousStatus,
    toStatus: status,
    reason,
    reasonCode,
    details,
  } as const;
  const told = { reason, previousAgentId };
  if (status === 'assigned') {
    const extra = { previousStatus, status, ...told };
    draft.put({ kind: 'tell', type: 'task.status_changed', taskId, extra, step });
  } else {
    draft.put({ kind: 'tell', type: 'task.updated', taskId, extra: { changed: ['agentId'], ...told }, step });
  }
}

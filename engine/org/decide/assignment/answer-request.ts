import type { AssignmentRequestRecord } from '../../../../schema/assignment/assignment.ts';
import type { AnswerRequest } from '../../../../schema/commands.ts';
import { notFound, type Refusal, refusal } from '../../../../schema/errors.ts';
import { closedRequest, judgeAnswer } from '../../../domain/assignment/assignment-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { judgeFit } from '../steps/agent-fit.ts';
import { draftRequest, withdrawRequests } from '../steps/request-steps.ts';
import { draftDecline, draftStatus, settingsOf } from '../steps/task-search.ts';

/**
 * POST /assignment-requests/:id/accept and /reject.
 * Refuses: 404, also for another agent's; 409 ASSIGNMENT_REQUEST_EXPIRED, ASSIGNMENT_ALREADY_TAKEN,
 * ASSIGNMENT_REQUEST_CLOSED, and when a broadcast is accepted by who can no longer take it AGENT_NOT_ACTIVE,
 * AGENT_SLOT_TAKEN, AGENT_OVER_CAPACITY.
 */
export function decideAnswerRequest(draft: Draft, command: AnswerRequest, { now }: DecideContext): Decision {
  const { requestId, answer, reason, caller } = command;
  const request = draft.findRequest(requestId);
  if (!request || (caller.role === 'agent' && request.agentId !== caller.agentId)) {
    return refuse(notFound('Assignment request', requestId));
  }
  const verdict = judgeAnswer(request, answer, now);
  if (verdict === 'unchanged') return done('request', requestId);
  if (verdict !== 'answered') return refuse(verdict);
  if (answer === 'reject') {
    draftDecline(draft, request.taskId, request, 'rejected', now, reason ?? null);
    return done('request', requestId);
  }
  const refused = request.mode === 'broadcast' ? whyNot(draft, request) : undefined;
  if (refused) return refuse(refused);
  acceptRequest(draft, request, now);
  return done('request', requestId);
}

/** What a task is once its search has found somebody. */
export const FOUND = { search: null, autoAssignmentStatus: 'assigned' } as const;

/** Gives the task to who was asked first to say yes; the others are told that it is taken. */
export function acceptRequest(draft: Draft, request: AssignmentRequestRecord, now: string): void {
  const { task: before } = draft.findTask(request.taskId)!;
  const others = before.search!.open.filter(({ id }) => id !== request.id);
  draftRequest(draft, closedRequest(request, 'accepted', now));
  let task = before;
  if (task.status !== 'assigned') {
    const given = { agentId: request.agentId, courierType: 'internal', courierId: null, courier: null } as const;
    task = draftStatus(draft, task, 'assigned', { ...given, ...FOUND }, now);
  }
  draftStatus(draft, task, 'accepted', FOUND, now);
  withdrawRequests(draft, others, now, 'taken');
}

function whyNot(draft: Draft, { taskId, agentId }: AssignmentRequestRecord): Refusal | undefined {
  const agent = draft.findAgent(agentId)!;
  if (!agent.isActive) return refusal('AGENT_NOT_ACTIVE', undefined, { agentId });
  return judgeFit(draft, draft.findTask(taskId)!, agent, settingsOf(draft).maxTasksPerAgent);
}

import type { AssignmentRequestRecord } from '../../../../schema/assignment/assignment.ts';
import type { AnswerRequest } from '../../../../schema/commands.ts';
import { notFound, type Refusal, refusal } from '../../../../schema/errors.ts';
import { judgeAnswer } from '../../../domain/assignment/assignment-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule } from '../rule.ts';
import { acceptRequest } from '../steps/accept-request.ts';
import { judgeFit } from '../steps/agent-fit.ts';
import { draftDecline, settingsOf } from '../steps/task-search.ts';

export const answerRequestRule = rule<AnswerRequest>({
  needs: (needed, { requestId, answer }) => needed.request(requestId, answer === 'accept'),
  decide: decideAnswerRequest,
});

/**
 * POST /assignment-requests/:id/accept and /reject.
 * Refuses: 404, also for another agent's; 409 ASSIGNMENT_REQUEST_EXPIRED, ASSIGNMENT_ALREADY_TAKEN,
 * ASSIGNMENT_REQUEST_CLOSED, and for a broadcast to an agent that can no longer take it AGENT_NOT_ACTIVE,
 * AGENT_SLOT_TAKEN, AGENT_OVER_CAPACITY.
 */
function decideAnswerRequest(draft: Draft, command: AnswerRequest, { now }: DecideContext): Decision {
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

/** Why the agent of a broadcast can no longer take the task. */
function whyNot(draft: Draft, { taskId, agentId }: AssignmentRequestRecord): Refusal | undefined {
  const agent = draft.findAgent(agentId)!;
  if (!agent.isActive) return refusal('AGENT_NOT_ACTIVE', undefined, { agentId });
  return judgeFit(draft, draft.findTask(taskId)!, agent, settingsOf(draft).maxTasksPerAgent);
}

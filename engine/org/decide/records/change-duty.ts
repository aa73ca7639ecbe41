import type { ChangeDuty } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import type { AgentRecord } from '../../../../schema/fleet/agent.ts';
import { maySee } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule } from '../rule.ts';

export const changeDutyRule = rule<ChangeDuty>({
  needs: (needed, { agentId }) => needed.agent(agentId),
  decide: decideChangeDuty,
});

/**
 * PUT /agents/:id/duty; agents change their own only. The present duty changes nothing. Refuses: 404; 409
 * AGENT_NOT_ACTIVE.
 */
function decideChangeDuty(draft: Draft, command: ChangeDuty, { now }: DecideContext): Decision {
  const { agentId, caller, input } = command;
  const before = maySee({ agentId }, caller) ? draft.findAgent(agentId) : undefined;
  if (!before) return refuse(notFound('Agent', agentId));
  if (before.onDuty === input.onDuty) return done('agent', agentId);
  if (!before.isActive) return refuse(refusal('AGENT_NOT_ACTIVE', undefined, { agentId }));
  draftDuty(draft, { ...before, version: before.version + 1, updatedAt: now }, input.onDuty, now);
  return done('agent', agentId);
}

/** Drafts an agent's next version with another duty, and its event. */
export function draftDuty(draft: Draft, next: AgentRecord, onDuty: boolean, now: string): void {
  draft.put({ kind: 'put-agent', agent: { ...next, onDuty, dutyChangedAt: now } });
  draft.put({ kind: 'tell-agent', type: 'agent.duty_changed', agentId: next.id, extra: { onDuty } });
}

import type { AgentRecord } from '../../../../schema/fleet/agent.ts';
import { shiftFieldsOf } from '../../../domain/assignment/agent-shifts.ts';
import type { Draft } from '../../state/draft.ts';

/**
 * Drafts what time has done to an agent's shifts since its actor looked at them: one began, one ended, or a break is over,
 * which only the searches need to know. An agent that is not active has no news.
 */
export function followShifts(draft: Draft, agentId: number, now: string): void {
  const before = draft.findAgent(agentId);
  if (!before?.deadlineAt || before.deadlineAt > now) return;
  const agent: AgentRecord = { ...before, ...shiftFieldsOf(before.shifts, now), version: before.version + 1 };
  const hasPassed = (time: string) => before.deadlineAt! <= time && time <= now;
  const ended = before.shifts!.filter(({ endsAt }) => hasPassed(endsAt));
  const begun = before.shifts!.filter(({ startsAt, endsAt }) => hasPassed(startsAt) && now < endsAt);
  const isNews = before.isActive && ended.length + begun.length > 0;
  draft.put({ kind: 'put-agent', agent: isNews ? { ...agent, updatedAt: now } : agent, isByTime: true });
  if (!isNews) return;
  const openTaskIds = draft.heldBy(agentId).map(({ taskId }) => taskId);
  for (const shift of ended) {
    draft.put({ kind: 'tell-agent', type: 'agent.shift_ended', agentId, extra: { shift, openTaskIds } });
  }
  for (const shift of begun) draft.put({ kind: 'tell-agent', type: 'agent.shift_started', agentId, extra: { shift } });
}

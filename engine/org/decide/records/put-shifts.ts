import { isDeepStrictEqual } from 'node:util';
import type { PutShifts } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import type { PutShiftsInput, WorkShift, WorkSpan } from '../../../../schema/fleet/shift.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { shiftFieldsOf, startingIn } from '../../../domain/assignment/agent-shifts.ts';
import { isoOf } from '../../../domain/shown-time.ts';
import { encodeShifts } from '../../../views/agent-view.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, refuse, violate } from '../decision.ts';
import { rule } from '../rule.ts';
import { followShifts } from './follow-shifts.ts';

export const putShiftsRule = rule<PutShifts>({
  needs(needed, { agentId }) {
    needed.agent(agentId);
    needed.loadOf(agentId);
  },
  decide: decidePutShifts,
});

/**
 * PUT /agents/:id/shifts. The same shifts again change nothing. Shifts that ended long ago leave with the next change.
 * Refuses: 404; 400 for a shift that overlaps one outside of the range; 409 TOO_MANY_SHIFTS.
 */
function decidePutShifts(draft: Draft, { agentId, input }: PutShifts, { now }: DecideContext): Decision {
  // The log has the end of a shift before its replacement.
  followShifts(draft, agentId, now);
  const before = draft.findAgent(agentId);
  if (!before) return refuse(notFound('Agent', agentId));
  const { from, to } = input;
  const given = input.shifts.map(shiftOf);
  const replaced = new Set(startingIn(before.shifts, from, to));
  const kept = (before.shifts ?? []).filter((shift) => !replaced.has(shift));
  const violations = given.flatMap((shift, index) => {
    const other = kept.find(({ startsAt, endsAt }) => startsAt < shift.endsAt && shift.startsAt < endsAt);
    return other ? `shifts.${index} must not overlap the shift from ${other.startsAt} to ${other.endsAt}` : [];
  });
  if (violations.length > 0) return violate(...violations);
  const ordered = given.sort(byStart);
  const shown: Decision = { ok: true, status: 200, shown: { kind: 'written', json: encodeShifts(ordered) } };
  if (isDeepStrictEqual(ordered, [...replaced])) return shown;
  const forgottenBefore = isoOf(Date.parse(now) - LIMITS.shiftsKeptMs);
  const shifts = [...kept.filter(({ endsAt }) => endsAt > forgottenBefore), ...ordered].sort(byStart);
  if (shifts.length > LIMITS.shiftsPerAgent)
    return refuse(refusal('TOO_MANY_SHIFTS', undefined, { limit: LIMITS.shiftsPerAgent }));
  const agent = { ...before, ...shiftFieldsOf(shifts, now), version: before.version + 1, updatedAt: now };
  draft.put({ kind: 'put-agent', agent });
  draft.put({ kind: 'tell-agent', type: 'agent.shifts_changed', agentId, extra: { from, to, shifts: ordered } });
  return shown;
}

function shiftOf({ startsAt, endsAt, breaks }: PutShiftsInput['shifts'][number]): WorkShift {
  return { startsAt, endsAt, breaks: (breaks ?? []).map(spanOf).sort(byStart) };
}

function spanOf({ startsAt, endsAt }: WorkSpan): WorkSpan {
  return { startsAt, endsAt };
}

function byStart(one: WorkSpan, other: WorkSpan): number {
  return one.startsAt < other.startsAt ? -1 : 1;
}

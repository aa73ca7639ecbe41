import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shiftFieldsOf } from '../../../../engine/domain/assignment/agent-shifts.ts';
import { NOTHING_SHOWN } from '../../../../engine/org/decide/decision.ts';
import { followShifts } from '../../../../engine/org/decide/records/follow-shifts.ts';
import { putShiftsRule } from '../../../../engine/org/decide/records/put-shifts.ts';
import type { AgentRecord } from '../../../../schema/fleet/agent.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { agentRecord, callerOf, decideOn, OWN_AGENT, stateWith, TASK } from './decide-fixture.ts';

/** 2031-05-01T12:00Z is now. */
const at = (hour: number, minute = 0) =>
  `2031-05-01T${`${hour}`.padStart(2, '0')}:${`${minute}`.padStart(2, '0')}:00.000Z`;
const shift = (from: number, to: number, ...breaks: [number, number][]) => ({
  startsAt: at(from),
  endsAt: at(to),
  breaks: breaks.map(([start, end]) => ({ startsAt: at(start), endsAt: at(end) })),
});
const EARLY = shift(6, 11);
const DAY = shift(11, 18, [13, 14]);

/** The organization with its agent in these shifts, as it was looked at last. */
function placeWith(shifts: AgentRecord['shifts'], lookedAt = at(12), fields: Partial<AgentRecord> = {}) {
  const state = stateWith('by an agent', 'accepted');
  const agents = [agentRecord({ ...shiftFieldsOf(shifts, lookedAt), ...fields })];
  state.absorbAgents({ agents, takenEmails: [], loadedAgentIds: [OWN_AGENT], heldTasks: [] });
  return state;
}

function put(
  shifts: AgentRecord['shifts'],
  input: { from?: string; to?: string; shifts: object[] },
  agentId = OWN_AGENT,
) {
  const body = { from: at(0), to: at(23), ...input } as Parameters<typeof putShiftsRule.decide>[1]['input'];
  const command = { kind: 'put-shifts', caller: callerOf('dispatcher'), agentId, input: body } as const;
  return decideOn(placeWith(shifts), (draft, context) => putShiftsRule.decide(draft, command, context));
}

describe('setting the shifts of an agent', () => {
  test('the shifts that start in the range are replaced, in order, and the agent goes off duty with the present one', () => {
    const { decision, draft } = put([EARLY, shift(23, 24)], { shifts: [shift(19, 20), { ...DAY }] });
    assert.ok(decision.ok && decision.shown.kind === 'written');
    assert.deepEqual(JSON.parse(decision.shown.json), { items: [DAY, shift(19, 20)], count: 2 });
    const { shifts, offDutyAt, deadlineAt, version } = draft.findAgent(OWN_AGENT)!;
    assert.deepEqual(shifts, [DAY, shift(19, 20), shift(23, 24)]);
    assert.deepEqual([offDutyAt, deadlineAt, version], [at(18), at(14), 2]);
    assert.deepEqual(
      draft.changes.map((change) => ('type' in change ? change.type : change.kind)),
      ['put-agent', 'agent.shifts_changed'],
    );
  });

  test('none at all leave the agent bound by duty alone', () => {
    const { draft } = put([EARLY, DAY], { shifts: [] });
    const { shifts, offDutyAt, deadlineAt } = draft.findAgent(OWN_AGENT)!;
    assert.deepEqual([shifts, offDutyAt, deadlineAt], [null, null, null]);
  });

  test('the same shifts again change nothing', () => {
    assert.deepEqual(put([EARLY, DAY], { shifts: [DAY, EARLY] }).draft.changes, []);
    assert.deepEqual(put(null, { shifts: [] }).draft.changes, []);
  });

  test('a shift that a shift before the range reaches into is refused, and so is an unknown agent', () => {
    const { decision, draft } = put([EARLY, DAY], { from: at(8), to: at(11), shifts: [shift(10, 11), shift(9, 12)] });
    assert.ok(!decision.ok && decision.refusal.code === 'VALIDATION_FAILED');
    assert.deepEqual(decision.refusal.details, {
      violations: [
        `shifts.0 must not overlap the shift from ${at(6)} to ${at(11)}`,
        `shifts.1 must not overlap the shift from ${at(6)} to ${at(11)}`,
      ],
    });
    assert.deepEqual(draft.changes, []);
    const unknown = put([DAY], { shifts: [] }, 999).decision;
    assert.ok(!unknown.ok && unknown.refusal.code === 'NOT_FOUND');
  });

  test('an agent has so many shifts at most, and those of long ago make room', () => {
    const daily = (first: number, count: number) =>
      Array.from({ length: count }, (_, day) => {
        const startsAt = new Date(Date.parse(at(12)) + (first + day) * 86_400_000).toISOString();
        return { startsAt, endsAt: startsAt.replace('T12', 'T20'), breaks: [] };
      });
    const given = { from: at(0), to: at(1), shifts: [shift(0, 1)] };
    const full = put(daily(1, LIMITS.shiftsPerAgent), given).decision;
    assert.ok(!full.ok && full.refusal.code === 'TOO_MANY_SHIFTS');
    assert.deepEqual(full.refusal.details, { limit: LIMITS.shiftsPerAgent });
    const { draft } = put(daily(-40, LIMITS.shiftsPerAgent), given);
    assert.equal(draft.findAgent(OWN_AGENT)!.shifts!.length, LIMITS.shiftsPerAgent - 9 + 1);
  });

  test('the log has the end of a shift before its replacement', () => {
    const command = { kind: 'put-shifts', caller: callerOf('dispatcher'), agentId: OWN_AGENT } as const;
    const input = { from: at(0), to: at(23), shifts: [] };
    const state = placeWith([shift(6, 12)], at(11));
    const { draft } = decideOn(state, (draft, context) => putShiftsRule.decide(draft, { ...command, input }, context));
    const types = draft.changes.flatMap((change) => (change.kind === 'tell-agent' ? change.type : []));
    assert.deepEqual(types, ['agent.shift_ended', 'agent.shifts_changed']);
  });
});

describe('time goes on', () => {
  const follow = (...of: Parameters<typeof placeWith>) =>
    decideOn(placeWith(...of), (draft, { now }) => {
      followShifts(draft, OWN_AGENT, now);
      return NOTHING_SHOWN;
    }).draft;
  const toldBy = (draft: ReturnType<typeof follow>) =>
    draft.changes.flatMap((change) => (change.kind === 'tell-agent' ? [[change.type, change.extra]] : []));

  const CASES: readonly [
    what: string,
    of: Parameters<typeof placeWith>,
    told: readonly unknown[],
    next: readonly (string | null)[],
  ][] = [
    ['nothing is due', [[DAY], at(11)], [], [at(18), at(14)]],
    [
      'a shift begins',
      [[shift(12, 18)], at(11)],
      [['agent.shift_started', { shift: shift(12, 18) }]],
      [at(18), at(18)],
    ],
    ['a shift ends', [[shift(6, 12)], at(11)], [ended(shift(6, 12))], [null, null]],
    [
      'one shift ends and the next begins',
      [[shift(6, 12), shift(12, 15)], at(11)],
      [ended(shift(6, 12)), ['agent.shift_started', { shift: shift(12, 15) }]],
      [at(15), at(15)],
    ],
    ['a whole shift has passed unseen', [[shift(8, 9), shift(19, 20)], at(7)], [ended(shift(8, 9))], [null, at(19)]],
    ['a break is over, without an event', [[shift(6, 18, [10, 12])], at(9)], [], [at(18), at(18)]],
    ['the agent is not active', [[shift(6, 12), shift(19, 20)], at(11), { isActive: false }], [], [null, at(19)]],
  ];

  function ended(over: object) {
    return ['agent.shift_ended', { shift: over, openTaskIds: [TASK] }];
  }

  for (const [what, of, told, [offDutyAt, deadlineAt]] of CASES)
    test(what, () => {
      const draft = follow(...of);
      assert.deepEqual(toldBy(draft), told);
      const after = draft.findAgent(OWN_AGENT)!;
      assert.deepEqual([after.offDutyAt, after.deadlineAt], [offDutyAt, deadlineAt]);
    });
});

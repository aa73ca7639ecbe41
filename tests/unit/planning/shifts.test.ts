import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as v from 'valibot';
import { mayWorkAt } from '../../../engine/domain/assignment/agent-shifts.ts';
import { planRound } from '../../../engine/domain/planning/plan-round.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { putShiftsRule } from '../../../engine/org/decide/records/put-shifts.ts';
import { broadcastRound } from '../../../engine/planning/broadcast-round.ts';
import { proposalOf } from '../../../engine/planning/proposal.ts';
import { roundViewOf } from '../../../engine/planning/round-view-of.ts';
import type { AgentOnDuty } from '../../../engine/store/planning/round-store.ts';
import { assignmentSettingsOf } from '../../../schema/assignment/assignment.ts';
import { putShiftsInput } from '../../../schema/fleet/shift.ts';
import { NOW as AT, agentRecord, callerOf, decideOn, OWN_AGENT, stateWith } from '../engine/decide/decide-fixture.ts';

const NOW = Date.parse(AT);
const MINUTE = 60_000;
const iso = (minute: number) => new Date(NOW + minute * MINUTE).toISOString();
const HOME = { address: null, latitude: 0.02, longitude: 0.02 };

/** The shifts of an agent after a PUT with this body; undefined when that refuses them. */
function putShifts(shifts: readonly object[]): AgentOnDuty['shifts'] | undefined {
  const parsed = v.safeParse(putShiftsInput, { from: iso(-1_000), to: iso(1_000), shifts });
  if (!parsed.success) return undefined;
  const state = stateWith('unserved', 'new');
  state.absorbAgents({ agents: [agentRecord({})], takenEmails: [], loadedAgentIds: [OWN_AGENT], heldTasks: [] });
  const caller = callerOf('dispatcher');
  const { decision, draft } = decideOn(state, (draft, context) =>
    putShiftsRule.decide(draft, { kind: 'put-shifts', caller, agentId: OWN_AGENT, input: parsed.output }, context),
  );
  assert.ok(decision.ok);
  return draft.findAgent(OWN_AGENT)!.shifts;
}

const span = (from: number, minutes: number) => ({ startsAt: iso(from), endsAt: iso(from + minutes) });

interface Wish {
  readonly latitude: number;
  readonly longitude: number;
  readonly opens: number | null;
  readonly minutes: number;
  /** When it is scheduled for; none is as soon as may be. */
  readonly at?: number;
}

function seen(agents: readonly AgentOnDuty[], wishes: readonly Wish[], searchedMinutes = 5) {
  const tasks = wishes.map(({ latitude, longitude, opens, minutes, at }, index) => ({
    taskId: index + 1,
    status: 'awaiting_assignment' as const,
    timeToServe: at === undefined ? ('asap' as const) : ('scheduled' as const),
    scheduledAt: at === undefined ? null : iso(at),
    estimatedDuration: minutes,
    createdAt: iso(-searchedMinutes),
    readyAt: null,
    windowStart: opens === null ? null : iso(opens),
    windowEnd: null,
    latitude,
    longitude,
    pickupLatitude: null,
    pickupLongitude: null,
    weightKg: 0,
    volumeM3: 0,
    packages: 0,
    requiredSkills: null,
    preferredAgentId: null,
    isJob: false,
    search: null,
  }));
  const device = { accuracy: 1, speed: 0, heading: 0, altitude: 0, battery: 1 };
  const heard = { recordedAtMs: NOW, receivedAtMs: NOW, heardAtMs: 0, latitude: 0, longitude: 0, ...device };
  const positions = agents.map(({ agentId }) => ({ agentId, ...heard }));
  const settings = assignmentSettingsOf({});
  return roundViewOf({ tasks, agents, carried: [], knowsCarried: true, positions, settings, now: NOW }, straightTravel);
}

const onDuty = (agentId: number, shifts: AgentOnDuty['shifts'], home: AgentOnDuty['home'] = null): AgentOnDuty => ({
  agentId,
  vehicle: null,
  skills: [],
  shifts,
  home,
});

const HERE: Wish = { latitude: 0, longitude: 0, opens: null, minutes: 10 };

describe('an agent with shifts', () => {
  const CASES: readonly [what: string, shifts: readonly object[], wish: Partial<Wish>, outcome: string][] = [
    ['has none', [], {}, 'offered'],
    ['works', [span(-60, 120)], {}, 'offered'],
    ['ends the service with the shift', [span(-60, 70)], {}, 'offered'],
    ['could not end the service in the shift', [span(-60, 70)], { minutes: 11 }, 'ends_before'],
    ['would wait for a window beyond the shift', [span(-60, 120)], { opens: 55 }, 'ends_before'],
    ['would wait for a scheduled time beyond the shift', [span(-60, 120)], { at: 55 }, 'ends_before'],
    ['serves at the scheduled time', [span(-60, 120)], { at: 50 }, 'offered'],
    ['has a break before the scheduled time', [{ ...span(-60, 120), breaks: [span(20, 15)] }], { at: 50 }, 'offered'],
    ['has a break at the scheduled time', [{ ...span(-60, 120), breaks: [span(45, 10)] }], { at: 50 }, 'ends_before'],
    [
      'has a break at that time and time after it',
      [{ ...span(-60, 180), breaks: [span(45, 10)] }],
      { at: 50 },
      'offered',
    ],
    ['has not begun', [span(1, 120)], {}, 'off_shift'],
    ['has gone home', [span(-60, 60)], {}, 'off_shift'],
    ['is between two shifts', [span(-60, 30), span(30, 60)], {}, 'off_shift'],
    ['has a break', [{ ...span(-60, 120), breaks: [span(-5, 30)] }], {}, 'on_break'],
  ];

  for (const mode of ['sequential', 'broadcast'] as const)
    for (const [what, given, wish, outcome] of CASES)
      test(`an agent with shifts that ${what}: ${outcome}, ${mode}`, () => {
        const round = seen([onDuty(1, putShifts(given)!)], [{ ...HERE, ...wish }], 60);
        const plan = (mode === 'sequential' ? planRound : broadcastRound)(round.view, straightTravel);
        const [first] = plan.offers;
        if (outcome === 'offered') return assert.equal(first?.agentId, 1);
        assert.equal(first, undefined);
        const [lacking] = proposalOf(plan, round).lacking;
        assert.deepEqual(lacking!.counts, { [outcome]: 1 });
        const reason = { off_shift: 'no_available_agents', ends_before: 'no_eligible_agents' }[outcome] ?? null;
        if (mode === 'sequential') assert.equal(lacking!.reason, reason);
      });

  test('an agent without time before or after its break is passed over', () => {
    const { view } = seen([onDuty(1, putShifts([{ ...span(-60, 75), breaks: [span(5, 6)] }])!)], [HERE], 60);
    const [[planned], [asked]] = [
      planRound(view, straightTravel).unplanned,
      broadcastRound(view, straightTravel).unplanned,
    ];
    assert.deepEqual([planned!.counts, asked!.counts], [{ ends_before: 1 }, { on_break: 1 }]);
  });

  test('agents on a break keep no order from one farther away who could come at once, except for a short wait', () => {
    const answerTo = (minutes: number, preferredAgentId: number | null) => {
      const paused = putShifts([{ ...span(-60, 300), breaks: [span(-5, 5 + minutes)] }])!;
      const resting = Array.from({ length: 20 }, (_, index) => onDuty(index + 1, paused));
      const { view } = seen([...resting, onDuty(99, null)], [HERE]);
      const agents = view.agents.map((one) =>
        one.agentId === 99 ? { ...one, place: { latitude: 0, longitude: 0.05 } } : one,
      );
      const orders = view.orders.map((order) => ({ ...order, preferredAgentId }));
      const { offers, unplanned } = planRound({ ...view, agents, orders }, straightTravel);
      return offers[0]?.agentId ?? Object.keys(unplanned[0]!.counts).join();
    };
    assert.deepEqual([answerTo(55, null), answerTo(55, 9)], [99, 99]);
    const [near, preferred] = [answerTo(2, null), answerTo(8, 9)];
    assert.ok(
      [near, preferred].every((answer) => String(answer).includes('on_break')),
      `${near}, ${preferred}`,
    );
  });

  test('the last way home ends before the shift does', () => {
    const homeMs = straightTravel({ latitude: 0, longitude: 0 }, HOME, null).ms;
    const shifts = putShifts([
      { startsAt: iso(-60), endsAt: new Date(NOW + 10 * MINUTE + Math.ceil(homeMs)).toISOString() },
    ])!;
    const offersTo = (minutes: number) =>
      planRound(seen([onDuty(1, shifts, HOME)], [{ ...HERE, minutes }], 60).view, straightTravel).offers.length;
    assert.deepEqual([offersTo(10), offersTo(11)], [1, 0]);
  });
});

const wishes = fc.array(
  fc.record({
    latitude: fc.integer({ min: -40, max: 40 }).map((of) => of / 1_000),
    longitude: fc.integer({ min: -40, max: 40 }).map((of) => of / 1_000),
    opens: fc.option(fc.integer({ min: -10, max: 90 })),
    minutes: fc.integer({ min: 1, max: 20 }),
  }),
  { minLength: 1, maxLength: 8 },
);
const someShifts = fc.array(
  fc
    .record({
      from: fc.integer({ min: -120, max: 60 }),
      minutes: fc.integer({ min: 20, max: 240 }),
      pause: fc.nat(200),
    })
    .map(({ from, minutes, pause }) => ({
      ...span(from, minutes),
      breaks: pause + 15 < minutes ? [span(from + pause, 15)] : [],
    })),
  { maxLength: 3 },
);

test('no plan serves before a window, past the end of a shift, or in a break that the API has set', () => {
  let [refused, bound, near] = [0, 0, 0];
  const agents = fc.array(fc.tuple(someShifts, fc.boolean()), { minLength: 1, maxLength: 4 });
  const rounds = fc.tuple(agents, wishes, fc.constantFrom(5, 60), fc.constantFrom(planRound, broadcastRound));
  fc.assert(
    fc.property(rounds, ([given, asked, searched, plan]) => {
      const people = given.flatMap(([shifts, goesHome], number) => {
        const put = putShifts(shifts);
        refused += put === undefined ? 1 : 0;
        return put === undefined ? [] : [onDuty(number + 1, put, goesHome ? HOME : null)];
      });
      const { view } = seen(people, asked, searched);
      for (const { agentId, taskIds, stops } of plan(view, straightTravel).offers) {
        const { shifts, home } = people.find((one) => one.agentId === agentId)!;
        assert.ok(mayWorkAt({ shifts }, AT), 'asked out of its shifts or in a break');
        for (const [index, { arriveMs, waitMs }] of stops.entries()) {
          const wish = asked[taskIds[index]! - 1]!;
          const beginMs = arriveMs + waitMs;
          assert.ok(wish.opens === null || beginMs >= wish.opens * MINUTE - 1, 'served before its window');
          if (!shifts) continue;
          bound += 1;
          const shift = shifts.find(({ startsAt, endsAt }) => startsAt <= AT && AT < endsAt)!;
          const doneMs = beginMs + wish.minutes * MINUTE;
          const homeMs = home ? straightTravel(wish, home, null).ms : 0;
          const leftMs = Date.parse(shift.endsAt) - NOW - doneMs - homeMs;
          assert.ok(leftMs >= -1, 'ends after the shift');
          if (leftMs < 10 * MINUTE) near += 1;
          for (const pause of shift.breaks) {
            const [from, until] = [Date.parse(pause.startsAt) - NOW, Date.parse(pause.endsAt) - NOW];
            assert.ok(doneMs <= from + 1 || arriveMs >= until - 1, 'leads into a break');
          }
        }
      }
    }),
    { seed: 20_261_125, numRuns: 500 },
  );
  assert.ok(refused > 50 && bound > 100 && near > 10, `${refused} ${bound} ${near}`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FreeAgent, OpenOrder, RoundPlan, RoundSettings } from '../../../engine/domain/assignment/round-view.ts';
import { planRound } from '../../../engine/domain/planning/plan-round.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { agent, NOW, order, roundView } from './round-fixture.ts';

const MINUTE = 60_000;
const east = (thousandths: number) => ({ latitude: 0, longitude: thousandths / 1_000 });

function plan(
  orders: readonly OpenOrder[],
  agents: readonly FreeAgent[],
  settings: Partial<RoundSettings> = {},
): RoundPlan {
  return planRound(roundView(orders, agents, settings), straightTravel);
}

/** The agent of each order. */
function pairs({ offers }: RoundPlan): [number, readonly number[]][] {
  return offers
    .map(({ agentId, taskIds }): [number, readonly number[]] => [agentId, taskIds])
    .sort((a, b) => a[0] - b[0]);
}

test('an order goes to the agent that is there soonest', () => {
  assert.deepEqual(pairs(plan([order({ dropoff: east(3.4) })], [agent(1), agent(2), agent(4)])), [[4, [1]]]);
});

test('orders are matched together: one goes to the farther agent so that the other need not wait', () => {
  // One by one, the first order would take agent 2, and leave the second one the long way from agent 1.
  const orders = [order({ taskId: 1, dropoff: east(1.6) }), order({ taskId: 2, dropoff: east(9) })];
  assert.deepEqual(pairs(plan(orders, [agent(1), agent(2)])), [
    [1, [1]],
    [2, [2]],
  ]);
});

test('an agent is asked once in a round: an order that is left over is held, and a scheduled task reports that its agent was chosen for another', () => {
  const shown = ({ unplanned }: RoundPlan) => unplanned.map(({ taskId, why, counts }) => [taskId, why, counts]);
  const both = plan([order({ taskId: 1 }), order({ taskId: 2, readyAt: NOW + 1 })], [agent(1)]);
  assert.deepEqual(pairs(both), [[1, [1]]]);
  assert.deepEqual(shown(both), [[2, 'held', { busy: 1 }]]);
  const slot = { from: NOW, until: NOW + MINUTE };
  const first = order({ taskId: 1, searchingSince: NOW - 5 * MINUTE });
  const scheduled = plan([first, order({ taskId: 2, slot })], [agent(1)]);
  assert.deepEqual(pairs(scheduled), [[1, [1]]]);
  assert.deepEqual(shown(scheduled), [[2, 'nobody', { chosen_for_another: 1 }]]);
});

for (const [why, wanted, who] of [
  ['declined', { declinedBy: [1] }, {}],
  ['skills', { requiredSkills: ['cold'] }, {}],
  [
    'capacity',
    { load: { weightKg: 5, volumeM3: 0, packages: 1 } },
    { capacity: { maxWeightKg: 4, maxVolumeM3: null, maxPackages: null } },
  ],
  ['max_tasks', {}, { openTasks: 5 }],
  ['stale_position', {}, { isStale: true }],
  ['slot', { slot: { from: NOW, until: NOW + MINUTE } }, { slots: [{ from: NOW, until: NOW + 2 * MINUTE }] }],
] as const) {
  test(`an agent that is excluded for ${why} is not asked, and the reason is reported`, () => {
    const { offers, unplanned } = plan([order(wanted)], [agent(1, who)]);
    assert.deepEqual(offers, []);
    assert.deepEqual(unplanned[0]?.counts, { [why]: 1 });
    assert.deepEqual(
      unplanned[0]?.nearest.map(({ agentId, reason }) => [agentId, reason]),
      [[1, why]],
    );
    assert.equal(unplanned[0]?.why, 'nobody');
  });
}

test('the preferred agent comes first when it can, though others are nearer', () => {
  const wanted = order({ dropoff: east(1), preferredAgentId: 9 });
  assert.deepEqual(pairs(plan([wanted], [agent(1), agent(9)])), [[9, [1]]]);
  assert.deepEqual(pairs(plan([wanted], [agent(1), agent(9, { isStale: true })])), [[1, [1]]]);
});

test('an order is kept for somebody who is soon free and then near, not given to somebody far away', () => {
  const soon = agent(1, { freeAt: NOW + MINUTE });
  const { offers, unplanned } = plan([order({ dropoff: east(1) })], [soon, agent(200)]);
  assert.deepEqual([offers.length, unplanned[0]?.why], [0, 'held']);
  const now = plan([order({ dropoff: east(1) })], [{ ...soon, freeAt: NOW }, agent(200)]);
  assert.deepEqual(pairs(now), [[1, [1]]]);
});

test('an order that has waited too long for a busy agent is given to it in advance', () => {
  const soon = agent(1, { freeAt: NOW + 5 * MINUTE });
  const waited = order({ dropoff: east(1), searchingSince: NOW - 2 * MINUTE });
  assert.deepEqual(pairs(plan([waited], [soon], { maxHoldMs: MINUTE })), [[1, [1]]]);
  assert.equal(plan([waited], [soon]).unplanned[0]?.why, 'held');
});

test('an order that is not ready yet waits, and is fetched no later', () => {
  const later = order({ pickup: east(1), dropoff: east(2), readyAt: NOW + 30 * MINUTE });
  assert.equal(plan([later], [agent(1)]).unplanned[0]?.why, 'held');
});

test('an appointment far ahead is given at once: it takes that time of the agent', () => {
  const from = NOW + 60 * 86_400_000;
  const appointment = order({ slot: { from, until: from + MINUTE } });
  assert.deepEqual(pairs(plan([appointment], [agent(1)])), [[1, [1]]]);
  const waited = { ...appointment, searchingSince: NOW - 5 * 60 * MINUTE };
  assert.deepEqual(pairs(plan([waited], [agent(1)])), [[1, [1]]], 'after hours of search, too');
});

test('orders from one place travel together when agents are short, as many as the limit and the vehicle allow', () => {
  const shop = { pickup: east(1), pickupKey: 'shop' };
  const orders = [1, 2, 3, 4].map((taskId) => order({ taskId, ...shop, dropoff: east(20 + taskId / 10) }));
  const [bundle] = plan(orders, [agent(1)]).offers;
  assert.equal(bundle?.taskIds.length, 3, 'maxBundle');
  assert.deepEqual(
    [...bundle!.taskIds],
    [...bundle!.taskIds].sort((a, b) => a - b),
    'in the order of the way',
  );
  assert.ok(bundle!.etaMs.every((ms, index) => index === 0 || ms > bundle!.etaMs[index - 1]!));
  const small = { capacity: { maxWeightKg: 2, maxVolumeM3: null, maxPackages: null } };
  assert.equal(plan(orders, [agent(1, small)]).offers[0]?.taskIds.length, 2, 'the vehicle');
});

test('orders travel together where agents are short, and not where somebody stands idle', () => {
  const [here, there] = [['here'], ['there']];
  const shop = { pickup: east(1), pickupKey: 'shop', requiredSkills: here };
  const other = { pickup: east(60), pickupKey: 'other', requiredSkills: there };
  const orders = [
    order({ taskId: 1, ...shop, dropoff: east(30) }),
    order({ taskId: 2, ...shop, dropoff: east(31) }),
    order({ taskId: 3, ...other, dropoff: east(90) }),
    order({ taskId: 4, ...other, dropoff: east(91) }),
  ];
  const agents = [
    agent(1, { skills: here }),
    agent(2, { skills: there, place: east(60) }),
    agent(3, { skills: there, place: east(60) }),
  ];
  assert.deepEqual(
    plan(orders, agents)
      .offers.map(({ taskIds }) => taskIds.toSorted().join())
      .sort(),
    ['1,2', '3', '4'],
  );
});

test('an order that has been looked for longer has its turn sooner', () => {
  const fresh = order({ taskId: 1, dropoff: east(1) });
  const waiting = (minutes: number) => ({ searchingSince: NOW - minutes * MINUTE, placedAt: NOW - minutes * MINUTE });
  const other = (minutes: number) => order({ taskId: 2, dropoff: east(30), ...waiting(minutes) });
  assert.deepEqual(pairs(plan([fresh, other(0)], [agent(10)])), [[10, [1]]], 'the nearer one first');
  assert.deepEqual(pairs(plan([fresh, other(240)], [agent(10)])), [[10, [2]]]);
});

test('the same view gives the same plan', () => {
  const orders = Array.from({ length: 30 }, (_, i) => order({ taskId: i + 1, dropoff: east((i * 37) % 101) }));
  const agents = Array.from({ length: 20 }, (_, i) => agent((i * 53) % 97));
  assert.deepEqual(plan(orders, agents), plan(orders, agents));
});

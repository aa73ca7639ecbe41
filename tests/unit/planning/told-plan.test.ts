import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FreeAgent, OpenOrder } from '../../../engine/domain/assignment/round-view.ts';
import { planRound } from '../../../engine/domain/planning/plan-round.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { agent, NOW, order, roundView } from './round-fixture.ts';

const MINUTE = 60_000;
const east = (thousandths: number) => ({ latitude: 0, longitude: thousandths / 1_000 });
const slot = { from: NOW, until: NOW + MINUTE };

/** Nothing is held: until the next round it is long. */
function planned(orders: readonly OpenOrder[], agents: readonly FreeAgent[]) {
  return planRound(
    roundView(orders, agents, { nextRoundAt: NOW + 240 * MINUTE, maxDistanceM: 50_000 }),
    straightTravel,
  );
}

for (const [when, readyAt, freeAt] of [
  ['now', null, NOW],
  ['when the agent is free', null, NOW + 9 * MINUTE],
  ['when it is ready', NOW + 90 * MINUTE, NOW],
] as const) {
  test(`an offer that begins ${when} tells when each order is there, and how far the first way is`, () => {
    const [shop, doors] = [east(10), [east(30), east(35)] as const];
    const orders = doors.map((dropoff, taskId) => order({ taskId, pickup: shop, pickupKey: 'shop', dropoff, readyAt }));
    const [offer] = planned(orders, [agent(300, { vehicleType: 'foot' }), agent(1, { freeAt })]).offers;
    const way = straightTravel(agent(1).place, shop, 'car');
    const fetchedMs = Math.max(freeAt - NOW + way.ms + MINUTE / 2, (readyAt ?? NOW) - NOW);
    // Half of the service at the shop is over by then, and at each door the whole service comes before the next way.
    const first = fetchedMs + MINUTE / 2 + straightTravel(shop, doors[0], 'car').ms;
    const second = first + MINUTE + straightTravel(doors[0], doors[1], 'car').ms;
    assert.deepEqual(offer!.taskIds, [0, 1]);
    const told = [...offer!.etaMs, offer!.score];
    for (const [at, expected] of [first, second, first + second].entries())
      assert.ok(Math.abs(told[at]! - expected) < 1, `${told} instead of ${[first, second, first + second]}`);
    assert.equal(offer!.distanceM, way.distanceM);
  });
}

test('an agent with time for one of two orders gets the one that has waited longer', () => {
  // Scheduled ones: the others would follow one after the other.
  const waited = (taskId: number, minutes: number) =>
    order({ taskId, dropoff: east(1), slot, searchingSince: NOW - minutes * MINUTE });
  for (const orders of [
    [waited(1, 0), waited(2, 240)],
    [waited(2, 240), waited(1, 0)],
  ])
    assert.deepEqual(
      planned(orders, [agent(1)]).offers.map(({ taskIds }) => taskIds),
      [[2]],
    );
});

test('the nearest agents that could take an order but take another are shown in their order, and all are counted', () => {
  const count = LIMITS.passedOverShown + 2;
  // Farther away, but there before the others.
  const agents = Array.from({ length: count }, (_, number) =>
    agent(number + 1, { vehicleType: number < count / 2 ? 'foot' : 'car' }),
  );
  const orders = Array.from({ length: count + 1 }, (_, taskId) => order({ taskId, slot }));
  const { offers, unplanned } = planned(orders, agents);
  assert.equal(offers.length, count);
  const [left] = unplanned;
  assert.deepEqual([unplanned.length, left!.why, left!.counts], [1, 'nobody', { chosen_for_another: count }]);
  assert.deepEqual(
    left!.nearest.map(({ agentId, reason }) => [agentId, reason]),
    agents.slice(0, LIMITS.passedOverShown).map(({ agentId }) => [agentId, 'chosen_for_another']),
  );
});

test('each agent near an order that another could have taken is counted with its own reason', () => {
  // There is time to fetch one of the orders, and no room for both.
  const taker = agent(1, {
    offDutyAt: NOW + 2 * MINUTE,
    capacity: { maxWeightKg: null, maxVolumeM3: null, maxPackages: 1 },
  });
  const small = agent(2, { capacity: { maxWeightKg: 0, maxVolumeM3: null, maxPackages: null } });
  const orders = [1, 2].map((taskId) => order({ taskId, pickup: east(1), pickupKey: 'shop', dropoff: east(60) }));
  const [left] = planned(orders, [taker, small]).unplanned;
  assert.deepEqual(left!.counts, { chosen_for_another: 1, capacity: 1 });
  assert.deepEqual(
    left!.nearest.map(({ agentId, reason }) => [agentId, reason]),
    [
      [1, 'chosen_for_another'],
      [2, 'capacity'],
    ],
  );
});

test('an order that nobody may take counts every agent and shows as many as the limit allows', () => {
  const agents = Array.from({ length: LIMITS.passedOverShown + 2 }, (_, number) => agent(number + 1));
  const [left] = planned([order({ requiredSkills: ['cold'] })], agents).unplanned;
  assert.deepEqual(left!.counts, { skills: agents.length });
  assert.deepEqual(
    left!.nearest.map(({ agentId }) => agentId),
    agents.slice(0, LIMITS.passedOverShown).map(({ agentId }) => agentId),
  );
});

test('an order that nobody may take counts each agent with its first reason, ways too', () => {
  const agents = [
    agent(1, { offDutyAt: NOW }),
    agent(2, { isStale: true }),
    agent(3, { openTasks: 5 }),
    agent(600),
    agent(700, { offDutyAt: NOW }),
  ];
  const { unplanned } = planned([order({ dropoff: east(0) })], agents);
  assert.deepEqual(
    unplanned.map(({ counts }) => counts),
    [{ ends_before: 1, stale_position: 1, max_tasks: 1, too_far: 2 }],
  );
  assert.deepEqual(
    unplanned[0]!.nearest.map(({ agentId, reason }) => [agentId, reason]),
    [
      [1, 'ends_before'],
      [2, 'stale_position'],
      [3, 'max_tasks'],
      [600, 'too_far'],
      [700, 'too_far'],
    ],
  );
});

for (const [why, readyAt, freeAt] of [
  ['busy', null, NOW + 9 * MINUTE],
  ['not_ready', NOW + 90 * MINUTE, NOW],
] as const)
  test(`an order that is held for an agent who is ${why} shows the nearest agents, each with its own reason`, () => {
    const agents = [agent(1, { isStale: true }), agent(2, { openTasks: 5 }), agent(3, { freeAt }), agent(400)];
    const settings = { nextRoundAt: NOW + 1_000, maxDistanceM: 20_000 };
    const view = roundView([order({ readyAt, dropoff: east(0) })], agents, settings);
    const [held] = planRound(view, straightTravel).unplanned;
    assert.deepEqual([held!.why, held!.counts], ['held', { stale_position: 1, max_tasks: 1, [why]: 1, too_far: 1 }]);
    assert.deepEqual(
      held!.nearest.map(({ agentId, reason }) => [agentId, reason]),
      [
        [1, 'stale_position'],
        [2, 'max_tasks'],
        [3, why],
        [400, 'too_far'],
      ],
    );
  });

test('the agent that an order is held for is shown, however many are nearer', () => {
  const stale = Array.from({ length: 2 * LIMITS.passedOverShown }, (_, number) => agent(number + 1, { isStale: true }));
  const meant = agent(90, { freeAt: NOW + 9 * MINUTE });
  const [held] = planRound(roundView([order()], [...stale, meant]), straightTravel).unplanned;
  assert.equal(held!.nearest.length, LIMITS.passedOverShown);
  assert.deepEqual([held!.nearest.at(-1)!.agentId, held!.nearest.at(-1)!.reason], [90, 'busy']);
});

test('each held order in a rush names the agent that it is held for', () => {
  const agents = Array.from({ length: 1_100 }, (_, number) => agent(number + 1, { freeAt: NOW + 9 * MINUTE }));
  const orders = Array.from({ length: 1_100 }, (_, taskId) => order({ taskId, dropoff: east(taskId) }));
  const { unplanned } = planRound(roundView(orders, agents), straightTravel);
  const held = unplanned.filter(({ why }) => why === 'held');
  assert.ok(held.length > 1_000, `${held.length} held`);
  for (const { counts, nearest } of held) {
    const meant = nearest.filter(({ reason }) => reason === 'busy');
    assert.deepEqual([meant.length, counts.busy], [1, 1]);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FreeAgent, RoundView, TravelTime } from '../../../engine/domain/assignment/round-view.ts';
import { planRound } from '../../../engine/domain/planning/plan-round.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { agent, NOW, order, roundView } from './round-fixture.ts';

const ORDERS = 2_000;
const AGENTS = 500;

/** Five orders from each place, all over a town, with these agents. */
function busyTown(fields: Partial<FreeAgent>): RoundView {
  const somewhere = (number: number) => ({
    latitude: ((number * 7_919) % 1_000) / 10_000,
    longitude: ((number * 104_729) % 1_000) / 10_000,
  });
  const orders = Array.from({ length: ORDERS }, (_, taskId) => {
    const place = Math.floor(taskId / 5);
    return order({ taskId, pickup: somewhere(place), pickupKey: `p${place}`, dropoff: somewhere(ORDERS + taskId) });
  });
  const agents = Array.from({ length: AGENTS }, (_, agentId) =>
    agent(agentId, { place: somewhere(2 * ORDERS + agentId), ...fields }),
  );
  return roundView(orders, agents);
}

/** How many ways the planner asks for: what it looks at, it looks at with a way. */
function waysAskedFor(view: RoundView): number {
  let ways = 0;
  const travel: TravelTime = (from, to, vehicleType) => {
    ways += 1;
    return straightTravel(from, to, vehicleType);
  };
  planRound(view, travel);
  return ways;
}

test('a round in which agents are short looks at a few dozen ways for each order', () => {
  const ways = waysAskedFor(busyTown({}));
  assert.ok(ways <= 60 * ORDERS, `${ways} ways`);
});

test('a round in which nobody is in time does not look at every agent for every order', () => {
  const ways = waysAskedFor(busyTown({ offDutyAt: NOW + 1 }));
  assert.ok(ways <= (ORDERS * AGENTS) / 2, `${ways} ways`);
});

test('a round of orders that nobody has the skills for says so of the nearest, not of every agent', () => {
  const { orders, agents } = busyTown({});
  const { unplanned } = planRound(
    roundView(
      orders.map((one) => ({ ...one, requiredSkills: ['cold'] })),
      agents,
    ),
    straightTravel,
  );
  assert.equal(unplanned.length, ORDERS);
  for (const { counts, nearest } of unplanned) {
    assert.ok(counts.skills! < AGENTS && counts.skills! >= nearest.length);
  }
});

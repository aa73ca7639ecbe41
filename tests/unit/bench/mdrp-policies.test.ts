import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdleMatching } from '../../../bench/mdrp/idle-matching.ts';
import { instanceTravel } from '../../../bench/mdrp/instance-travel.ts';
import { NearestIdle } from '../../../bench/mdrp/nearest-idle.ts';
import { NearestPair } from '../../../bench/mdrp/nearest-pair.ts';
import { PlannerPolicy } from '../../../bench/mdrp/planner-policy.ts';
import type { Policy, Sight } from '../../../bench/mdrp/policy.ts';
import type { Instance } from '../../../bench/mdrp/read-instance.ts';
import { seededNumbers } from '../../../bench/scenarios/seeded-numbers.ts';
import type { RoundView } from '../../../engine/domain/assignment/round-view.ts';
import { mdrpInstance } from './mdrp-instance.ts';

const MINUTE_MS = 60_000;

/** All orders placed, all couriers idle where they start. */
function sightOf({ orders, couriers }: Instance, now: number): Sight {
  return {
    now,
    orders: orders.map((order) => ({ order, declinedBy: new Set<string>() })),
    couriers: couriers.map((courier) => ({ courier, place: courier.start, freeAt: 0, openOrders: 0 })),
  };
}

function pairsOf(policy: Policy, sight: Sight): string[] {
  return policy.decide(sight).map(({ orderIds, courierId }) => `${orderIds.join('+')} ${courierId}`);
}

/**
 * Places along a line: a policy that looks at the first order only sends c1, the only courier near the second order.
 */
const LINE = mdrpInstance({
  restaurants: { r: [0, 0], s: [-900, 0] },
  orders: [
    { id: 'o1', at: [0, 500], restaurant: 'r', placed: 0, ready: 0 },
    { id: 'o2', at: [0, 500], restaurant: 's', placed: 0, ready: 0 },
  ],
  couriers: [
    { id: 'c1', at: [-400, 0], on: 0, off: 600 },
    { id: 'c2', at: [500, 0], on: 0, off: 600 },
  ],
});

test('nearest idle first serves the oldest order first', () => {
  assert.deepEqual(pairsOf(new NearestIdle(LINE.parameters), sightOf(LINE, 0)), ['o1 c1', 'o2 c2']);
});

test('the nearest pair goes first where several orders wait', () => {
  const day = mdrpInstance({
    restaurants: { r: [0, 0], s: [-900, 0] },
    orders: LINE.orders.map(({ id, restaurant }) => ({
      id,
      at: [0, 0],
      restaurant: restaurant.id,
      placed: 0,
      ready: 0,
    })),
    couriers: [{ id: 'c1', at: [-800, 0], on: 0, off: 600 }],
  });
  assert.deepEqual(pairsOf(new NearestPair(day.parameters), sightOf(day, 0)), ['o2 c1']);
});

test('matching looks at all orders at once', () => {
  assert.deepEqual(pairsOf(new IdleMatching(LINE.parameters, 'way'), sightOf(LINE, 0)), ['o1 c2', 'o2 c1']);
});

test('no baseline asks who is busy, has declined, or would come after the end of the shift', () => {
  const sight = sightOf(LINE, 0);
  const [first, second] = sight.couriers;
  const busy = { ...first!, freeAt: 1 };
  const ending = { ...second!, courier: { ...second!.courier, offMinute: 6 } };
  const declined = { ...sight.orders[0]!, declinedBy: new Set(['c2']) };
  const { parameters } = LINE;
  const matchings = [new IdleMatching(parameters, 'way'), new IdleMatching(parameters, 'pickup')];
  for (const baseline of [new NearestIdle(parameters), new NearestPair(parameters), ...matchings]) {
    assert.deepEqual(pairsOf(baseline, { ...sight, couriers: [busy] }), []);
    assert.deepEqual(pairsOf(baseline, { ...sight, couriers: [ending] }), []);
    assert.deepEqual(pairsOf(baseline, { ...sight, orders: [declined], couriers: [second!] }), []);
  }
});

test('matching finds the least total, and leaves out as few orders as can be', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const draw = seededNumbers(seed);
    const point = () => [draw(8_000), draw(8_000)] as const;
    const [orders, couriers] = [1 + draw(6), 1 + draw(6)];
    const day = mdrpInstance({
      restaurants: Object.fromEntries(Array.from({ length: orders }, (_, n) => [`r${n}`, point()])),
      orders: Array.from({ length: orders }, (_, n) => {
        return { id: `o${n}`, at: point(), restaurant: `r${n}`, placed: 0, ready: draw(60) };
      }),
      couriers: Array.from({ length: couriers }, (_, n) => ({ id: `c${n}`, at: point(), on: 0, off: 60 + draw(60) })),
    });
    for (const aim of ['way', 'pickup'] as const) {
      const chosen = new IdleMatching(day.parameters, aim).decide(sightOf(day, 0));
      const costs = day.orders.map((order) => day.couriers.map((courier) => costOf(aim, day, order, courier)));
      const cost = chosen.reduce((sum, { orderIds, courierId }) => {
        return sum + costs[Number(orderIds[0]!.slice(1))]![Number(courierId.slice(1))]!;
      }, 0);
      const least = leastCost(costs);
      assert.equal(chosen.length, least.assigned, `seed ${seed}`);
      assert.ok(Math.abs(cost - least.cost) < 1, `seed ${seed}: ${cost}, there is ${least.cost}`);
    }
  }
});

/** Infinite when it is too late. */
function costOf(
  aim: 'way' | 'pickup',
  { parameters }: Instance,
  order: Instance['orders'][0],
  courier: Instance['couriers'][0],
): number {
  const arrival = instanceTravel(parameters.metersPerMinute)(courier.start, order.restaurant, null).ms + 2 * MINUTE_MS;
  const pickup = Math.max(arrival, order.readyMinute * MINUTE_MS);
  if (pickup > courier.offMinute * MINUTE_MS) return Number.POSITIVE_INFINITY;
  return aim === 'way' ? arrival : pickup + 0.3 * arrival;
}

/** By trying everything. */
function leastCost(costs: readonly (readonly number[])[], row = 0, taken = 0): { assigned: number; cost: number } {
  if (row === costs.length) return { assigned: 0, cost: 0 };
  let best = leastCost(costs, row + 1, taken);
  for (const [column, cost] of costs[row]!.entries()) {
    if (!Number.isFinite(cost) || (taken & (1 << column)) !== 0) continue;
    const rest = leastCost(costs, row + 1, taken | (1 << column));
    const found = { assigned: rest.assigned + 1, cost: rest.cost + cost };
    if (found.assigned > best.assigned || (found.assigned === best.assigned && found.cost < best.cost)) best = found;
  }
  return best;
}

test('the planner is shown the day as its own view, and what it offers is carried out', () => {
  const views: RoundView[] = [];
  const policy = new PlannerPolicy(LINE, { everyMs: 30_000, maxBundle: 3, seesWindows: true }, (view) => {
    views.push(view);
    const [order, held] = view.orders;
    const offer = {
      agentId: view.agents[1]!.agentId,
      taskIds: [order!.taskId],
      score: 0,
      distanceM: 0,
      etaMs: [0],
      stops: [],
    };
    return { offers: [offer], unplanned: [{ taskId: held!.taskId, why: 'held', counts: {}, nearest: [] }] };
  });
  const sight = sightOf(LINE, 5 * MINUTE_MS);
  const orders = [{ ...sight.orders[0]!, declinedBy: new Set(['c1']) }, sight.orders[1]!];
  assert.deepEqual(pairsOf(policy, { ...sight, orders }), ['o1 c2']);
  const [{ now, settings, orders: shown, agents }] = views as [RoundView];
  assert.equal(now, 5 * MINUTE_MS);
  assert.deepEqual([settings.nextRoundAt, settings.maxBundle], [5.5 * MINUTE_MS, 3]);
  assert.deepEqual([settings.pickupServiceMs, settings.dropoffServiceMs], [4 * MINUTE_MS, 4 * MINUTE_MS]);
  assert.deepEqual(shown[0]!.declinedBy, [agents[0]!.agentId]);
  assert.deepEqual([shown[0]!.pickupKey, shown[1]!.pickupKey], ['r', 's']);
  assert.deepEqual([shown[0]!.readyAt, shown[0]!.dueAt], [0, null]);
  assert.equal(agents[0]!.offDutyAt, 600 * MINUTE_MS);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRecord, leastClickToDoor, WrongRecord } from '../../../bench/mdrp/check-record.ts';
import type { DayRecord } from '../../../bench/mdrp/day-record.ts';
import { instanceTravel } from '../../../bench/mdrp/instance-travel.ts';
import type { Assignment, Policy, Sight } from '../../../bench/mdrp/policy.ts';
import { type Refusals, RuleBroken, replayInstance } from '../../../bench/mdrp/replay-instance.ts';
import { mdrpInstance } from './mdrp-instance.ts';

const MINUTE_MS = 60_000;
const NOBODY_DECLINES: Refusals = { probability: 0, seed: 1, offerMs: 15_000 };

const DAY = mdrpInstance({
  restaurants: { r: [0, 0], s: [0, 900] },
  orders: [
    { id: 'o1', at: [1_000, 0], restaurant: 'r', placed: 0, ready: 10 },
    { id: 'o2', at: [1_000, 301], restaurant: 'r', placed: 1, ready: 5 },
  ],
  couriers: [{ id: 'c1', at: [-500, 0], on: 0, off: 60 }],
});

function deciding(decide: (sight: Sight) => readonly Assignment[], everyMs?: number): Policy {
  return { name: 'scripted', everyMs, decide };
}

/** To the first courier in sight, busy or not. */
const toFirst = deciding(({ orders, couriers }) =>
  couriers.length === 0
    ? []
    : orders.map(({ order }) => ({ courierId: couriers[0]!.courier.id, orderIds: [order.id] })),
);
/** Once both are known. */
const together = deciding(({ orders }) => (orders.length < 2 ? [] : [{ courierId: 'c1', orderIds: ['o1', 'o2'] }]));

test('travel takes the started minutes of the plane, independent of the metres of a degree', () => {
  const travel = instanceTravel(320);
  const place = (x: number, y: number) => ({ latitude: y / 111_195.08, longitude: x / 111_195.08 });
  for (let x = 0; x < 40; x++) {
    for (let y = 0; y < 40; y++) {
      // Multiples of 3 and 4 make whole minutes, where a hair would make one more.
      const [east, north] = [x * 192, y * 256];
      const least = Math.ceil(Math.sqrt(east * east + north * north) / 320);
      assert.equal(travel(place(25_888, 12_471), place(25_888 + east, 12_471 + north), null).ms, least * MINUTE_MS);
    }
  }
});

test('a courier waits for the meal, is served at both ends, and begins the next order where the last one ended', () => {
  const { assignments } = replayInstance(DAY, toFirst, NOBODY_DECLINES);
  assert.deepEqual(
    assignments.map(({ orderIds, decidedAt, pickedUpAt, droppedOffAt }) =>
      [orderIds, ...[decidedAt, pickedUpAt, ...droppedOffAt].map((at) => at / MINUTE_MS)].flat(),
    ),
    [
      ['o1', 0, 10, 24],
      ['o2', 1, 38, 53],
    ],
  );
});

test('a bundle is picked up when its last meal is ready, and dropped off in its order', () => {
  const { assignments } = replayInstance(DAY, together, NOBODY_DECLINES);
  assert.equal(assignments.length, 1);
  assert.equal(assignments[0]!.pickedUpAt, 10 * MINUTE_MS);
  assert.deepEqual(assignments[0]!.droppedOffAt, [24 * MINUTE_MS, 32 * MINUTE_MS]);
});

test('the measures are those that the rules give by hand', () => {
  assert.deepEqual(checkRecord(DAY, replayInstance(DAY, toFirst, NOBODY_DECLINES)), {
    delivered: 2,
    undelivered: 0,
    clickToDoor: { mean: 38, p90: 52 },
    readyToPickup: { mean: 16.5, p90: 33 },
    overageMean: 6,
    utilisation: 52 / 60,
    ordersPerBundle: 1,
    costPerOrder: 10,
    declined: 0,
    punctuality: { late: 0, onTimeShare: 1, lateMean: 0, lateP95: 0, waitingMean: 0 },
  });
  const none = checkRecord(
    DAY,
    replayInstance(
      DAY,
      deciding(() => []),
      NOBODY_DECLINES,
    ),
  );
  assert.deepEqual([none.delivered, none.undelivered], [0, 2]);
  assert.equal(leastClickToDoor(DAY), (24 + 19) / 2);
});

test('a decision sees what is known at its time and nothing else', () => {
  const day = mdrpInstance({
    restaurants: { r: [0, 0] },
    orders: [2, 5, 9].map((placed) => ({ id: `o${placed}`, at: [0, 0], restaurant: 'r', placed, ready: placed })),
    couriers: [
      { id: 'early', at: [0, 0], on: 0, off: 6 },
      { id: 'late', at: [0, 0], on: 7, off: 12 },
    ],
  });
  const seen: unknown[] = [];
  const watching = deciding(({ now, orders, couriers }) => {
    seen.push([now / MINUTE_MS, orders.map(({ order }) => order.id), couriers.map(({ courier }) => courier.id)].flat());
    return [];
  }, 2.5 * MINUTE_MS);
  replayInstance(day, watching, NOBODY_DECLINES);
  assert.deepEqual(seen, [
    [2.5, 'o2', 'early'],
    [5, 'o2', 'o5', 'early'],
    [7.5, 'o2', 'o5', 'late'],
    [10, 'o2', 'o5', 'o9', 'late'],
  ]);
});

test('a policy that breaks a rule is an error and no number', () => {
  const day = mdrpInstance({
    restaurants: { r: [0, 0], s: [0, 900] },
    orders: [
      { id: 'o1', at: [1_000, 0], restaurant: 'r', placed: 0, ready: 10 },
      { id: 'o2', at: [1_000, 0], restaurant: 's', placed: 0, ready: 10 },
      { id: 'unknown', at: [0, 0], restaurant: 'r', placed: 30, ready: 30 },
      { id: 'slow', at: [0, 0], restaurant: 'r', placed: 0, ready: 61 },
    ],
    couriers: [
      { id: 'c1', at: [-500, 0], on: 0, off: 60 },
      { id: 'late', at: [0, 0], on: 20, off: 60 },
    ],
  });
  const cases: readonly (readonly [courierId: string, orderIds: readonly string[], complaint: RegExp])[] = [
    ['c1', ['unknown'], /order unknown is not to be had/],
    ['late', ['o1'], /not on shift/],
    ['c9', ['o1'], /no such courier/],
    ['c1', [], /no orders/],
    ['c1', ['o9'], /there is no order o9/],
    ['c1', ['o1', 'o1'], /an order twice/],
    ['c1', ['o1', 'o2'], /orders of several restaurants/],
    ['c1', ['slow'], /picked up after the end of the shift/],
  ];
  for (const [courierId, orderIds, complaint] of cases) {
    const policy = deciding(() => [{ courierId, orderIds }]);
    const isBroken = (error: unknown) => error instanceof RuleBroken && complaint.test(error.message);
    assert.throws(() => replayInstance(day, policy, NOBODY_DECLINES), isBroken, String(complaint));
  }
  const twice = deciding(() => ['o1', 'o1'].map((id) => ({ courierId: 'c1', orderIds: [id] })));
  assert.throws(() => replayInstance(day, twice, NOBODY_DECLINES), /order o1 is not to be had/);
});

test('a record that does not follow from its decisions is found out', () => {
  const record = replayInstance(DAY, toFirst, NOBODY_DECLINES);
  const [first, second] = record.assignments as [DayRecord['assignments'][0], DayRecord['assignments'][0]];
  const forged: readonly (readonly [DayRecord['assignments'], RegExp])[] = [
    [[{ ...first, pickedUpAt: first.pickedUpAt - 1 }, second], /picked up at minute 10 in truth/],
    [[first, { ...second, droppedOffAt: [second.droppedOffAt[0]! - MINUTE_MS] }], /dropped off at minute 53 in truth/],
    [[first, { ...second, droppedOffAt: [] }], /dropped off at minute 53 in truth/],
    [[first, second, first], /order o1 does not exist or is delivered twice/],
    [[first, { ...second, decidedAt: 0 }], /decided before it was placed/],
    [[second, first], /in truth/],
    [[{ ...first, orderIds: [] }], /without orders/],
  ];
  for (const [assignments, complaint] of forged) {
    const isFound = (error: unknown) => error instanceof WrongRecord && complaint.test(error.message);
    assert.throws(() => checkRecord(DAY, { ...record, assignments }), isFound, String(complaint));
  }
  const tooLong = { ...DAY, couriers: DAY.couriers.map((courier) => ({ ...courier, offMinute: 37 })) };
  assert.throws(() => checkRecord(tooLong, record), /picked up after the shift/);
});

test('an offer that is declined costs its time, is recorded, and is not made to this courier again', () => {
  const asked: (readonly [minute: number, orderId: string, courierId: string])[] = [];
  const next = deciding(({ now, orders, couriers }) => {
    const [waiting] = orders;
    const free = couriers.find(({ courier, freeAt }) => freeAt <= now && !waiting!.declinedBy.has(courier.id));
    if (!free) return [];
    asked.push([now / MINUTE_MS, waiting!.order.id, free.courier.id]);
    return [{ courierId: free.courier.id, orderIds: [waiting!.order.id] }];
  });
  const day = mdrpInstance({
    restaurants: { r: [0, 0] },
    orders: [3, 4].map((placed) => ({ id: `o${placed}`, at: [0, 0], restaurant: 'r', placed, ready: placed })),
    couriers: ['c1', 'c2'].map((id) => ({ id, at: [0, 0], on: 0, off: 60 })),
  });
  const refusals = { probability: 1, seed: 7, offerMs: 90_000 };
  const record = replayInstance(day, next, refusals);
  assert.deepEqual(asked, [
    [3, 'o3', 'c1'],
    // When o4 is placed, neither o3 nor c1 is to be had.
    [4, 'o4', 'c2'],
    [5.5, 'o3', 'c2'],
  ]);
  assert.deepEqual(
    record.declined,
    asked.map(([minute, orderId, courierId]) => ({ courierId, orderIds: [orderId], at: minute * MINUTE_MS })),
  );
  assert.deepEqual(record.assignments, []);
  const stubborn = deciding(() => [{ courierId: 'c1', orderIds: ['o3'] }]);
  assert.throws(() => replayInstance(day, stubborn, { ...refusals, offerMs: 30_000 }), /it has declined order o3/);
});

test('about the given share of offers is declined, the same ones for the same seed', () => {
  const day = mdrpInstance({
    restaurants: { r: [0, 0] },
    orders: Array.from({ length: 300 }, (_, n) => ({ id: `o${n}`, at: [0, 0], restaurant: 'r', placed: n, ready: n })),
    couriers: [{ id: 'c1', at: [0, 0], on: 0, off: 9_999 }],
  });
  const once = deciding(({ orders, couriers }) =>
    couriers.length === 0
      ? []
      : orders
          .filter(({ declinedBy }) => declinedBy.size === 0)
          .slice(0, 1)
          .map(({ order }) => ({ courierId: 'c1', orderIds: [order.id] })),
  );
  const declinedOf = (seed: number) =>
    replayInstance(day, once, { probability: 0.2, seed, offerMs: 15_000 }).declined.map(({ orderIds }) => orderIds[0]);
  const declined = declinedOf(7);
  assert.ok(Math.abs(declined.length - 60) < 25, `${declined.length} of 300`);
  assert.deepEqual(declinedOf(7), declined);
  assert.notDeepEqual(declinedOf(8), declined);
});

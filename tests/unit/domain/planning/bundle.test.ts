import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { OpenOrder } from '../../../../engine/domain/assignment/round-view.ts';
import { bundleOf } from '../../../../engine/domain/planning/bundle.ts';
import { deliveryOf, join } from '../../../../engine/domain/planning/delivery.ts';
import { straightTravel } from '../../../../engine/domain/travel/straight-travel.ts';
import { NOW, order, roundView } from '../../planning/round-fixture.ts';

const MINUTE = 60_000;
const SEED = 20_261_122;
const { settings } = roundView([], []);
const shop = { latitude: 0, longitude: 0 };
const joining = { travel: straightTravel, settings, now: NOW, fetchAt: NOW, sums: new Float64Array(2) };
const eastward = (taskId: number) => order({ taskId, pickup: shop, dropoff: { latitude: 0, longitude: taskId / 100 } });

for (const [base, extra] of [
  [[1, 3], 2],
  [[1, 2], 3],
  [[2, 3], 1],
  [[3, 1], 2],
] as const) {
  test(`an order that joins others is brought where it delays least: ${extra} beside ${base.join(', ')}`, () => {
    const { orders } = join(bundleOf(base.map(eastward), NOW), bundleOf([eastward(extra)], NOW), joining);
    assert.deepEqual(
      orders.map(({ taskId }) => taskId),
      [1, 2, 3],
    );
  });
}

/** Until each is there, from when they are fetched, summed up. */
function sumByTheBook(orders: readonly OpenOrder[]): number {
  let [place, at, sum] = [shop, settings.pickupServiceMs / 2, 0];
  for (const { dropoff } of orders) {
    at += straightTravel(place, dropoff!, null).ms;
    sum += at;
    at += settings.dropoffServiceMs;
    place = dropoff!;
  }
  return sum;
}

function sequences(orders: readonly OpenOrder[]): OpenOrder[][] {
  if (orders.length === 0) return [[]];
  return orders.flatMap((one, at) => sequences(orders.toSpliced(at, 1)).map((rest) => [one, ...rest]));
}

const step = fc.integer({ min: -50, max: 50 }).map((each) => each / 1_000);
const homes = (most: number) =>
  fc
    .array(fc.record({ latitude: step, longitude: step }), { minLength: 2, maxLength: most, size: 'max' })
    .map((places) => places.map((dropoff, taskId) => order({ taskId, pickup: shop, dropoff })));

describe('orders that are brought together', () => {
  test('orders that are brought together are brought, up to three of them, in the order in which all are there soonest', () => {
    fc.assert(
      fc.property(homes(3), fc.nat(2), (orders, first) => {
        const [one, other] = [
          orders.slice(0, 1 + (first % (orders.length - 1))),
          orders.slice(1 + (first % (orders.length - 1))),
        ];
        const route = join(bundleOf(one, NOW), bundleOf(other, NOW), joining);
        assert.ok(Math.abs(route.offsetSumMs - sumByTheBook(route.orders)) < 1);
        const least = Math.min(...sequences(orders).map(sumByTheBook));
        assert.ok(route.offsetSumMs < least + 1, `${route.offsetSumMs}, not ${least}`);
        assert.deepEqual(new Set(route.orders), new Set(orders));
      }),
      { seed: SEED },
    );
  });

  test('orders that are brought together are each put in where it delays least beside the larger bundle as it is, or turned round', () => {
    fc.assert(
      fc.property(homes(7), (orders) => {
        const [last, rest] = [orders.at(-1)!, orders.slice(0, -1)];
        const insertions = [rest, rest.toReversed()].flatMap((each) =>
          [...each, last].map((_, place) => sumByTheBook(each.toSpliced(place, 0, last))),
        );
        for (const [one, other] of [
          [rest, [last]],
          [[last], rest],
        ] as const) {
          const route = join(bundleOf(one, NOW), bundleOf(other, NOW), joining);
          assert.ok(Math.abs(route.offsetSumMs - Math.min(...insertions)) < 1);
        }
      }),
      { seed: SEED },
    );
  });

  test('orders that are brought together ask for all of what each of them asks for', () => {
    const bundle = bundleOf(
      [
        order({
          load: { weightKg: 1, volumeM3: 20, packages: 300 },
          requiredSkills: ['cold'],
          declinedBy: [7],
          readyAt: NOW + 2,
        }),
        order({
          load: { weightKg: 4, volumeM3: 50, packages: 600 },
          requiredSkills: ['heavy'],
          declinedBy: [8],
          readyAt: null,
        }),
        order({ load: { weightKg: 0, volumeM3: 0, packages: 0 }, readyAt: NOW + 1 }),
      ],
      NOW,
    );
    assert.equal(bundle.readyAt, NOW + 2);
    assert.deepEqual(bundle.demand, {
      tasks: 3,
      load: { weightKg: 5, volumeM3: 70, packages: 900 },
      requiredSkills: ['cold', 'heavy'],
      slot: null,
      declinedBy: [7, 8],
    });
  });

  test('orders that are brought together weigh as much as they do on average: twice after half an hour, ten times at most, nothing for what was not ready', () => {
    const waited = (minutes: number, readyAt: number | null = null) =>
      order({ searchingSince: NOW - minutes * MINUTE, readyAt });
    for (const [orders, urgency] of [
      [[waited(0)], 1],
      [[waited(30)], 2],
      [[waited(3_000)], 10],
      [[waited(90, NOW - 30 * MINUTE)], 2],
      [[waited(90, NOW + 30 * MINUTE)], 1],
      [[waited(0), waited(60)], 2],
    ] as const) {
      assert.equal(bundleOf(orders, NOW).urgency, urgency);
    }
  });

  test("orders that are brought together are brought along the agent's stops, one from the door of the other", () => {
    const orders = [eastward(1), eastward(3)];
    const ways = [
      straightTravel(shop, orders[0]!.dropoff!, 'bicycle').ms,
      straightTravel(orders[0]!.dropoff!, orders[1]!.dropoff!, 'bicycle').ms,
    ] as const;
    const delivery = deliveryOf(orders, straightTravel, settings, 'bicycle');
    // Half of the service at the shop is over, and at each door the whole service comes before the next way.
    const first = MINUTE / 2 + ways[0];
    const second = first + MINUTE + ways[1];
    assert.deepEqual(delivery, {
      offsetSumMs: first + second,
      leavesMs: second + MINUTE,
      end: orders[1]!.dropoff,
      legsMs: [first, ways[1]],
    });
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Place } from '../../../engine/domain/assignment/round-view.ts';
import { distanceM } from '../../../engine/domain/travel/geo.ts';
import { cellOf } from '../../../engine/travel/place-cell.ts';
import { wantedTrips } from '../../../engine/travel/wanted-trips.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { agentAt, at, orderFrom, roundOf } from '../../support/services/town.ts';

const [SHOP, HOME, FLAT] = [at(0, 0), at(2_000, 500), at(1_800, 900)];
const SEED = 20_261_122;
const everybody = () => 'car';

function pairs(wanted: ReturnType<typeof wantedTrips>, mode = 'car'): number {
  return [...(wanted.byMode.get(mode)?.values() ?? [])].reduce((sum, ends) => sum + ends.size, 0);
}

const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const meters = fc.integer({ min: -9_000, max: 9_000 });
const inTown = fc.tuple(meters, meters).map(([east, north]) => at(east, north));
/** On both sides of it; a few hundred metres apart. */
const byTheDateLine = fc.record({
  latitude: degrees(64, 64.1),
  longitude: fc.oneof(degrees(-180, -179.8), degrees(179.8, 180)),
});

const metersBetween = (from: Place, to: Place) => distanceM(from.latitude, from.longitude, to.latitude, to.longitude);

/** The result of looking at every pair: so many of the nearest are wanted, and none that is farther. */
function assertNearest(isWanted: (place: Place) => boolean, all: readonly Place[], to: Place, count: number): void {
  const meters = all.map((place) => metersBetween(place, to));
  const [last, next] = meters.toSorted((a, b) => a - b).slice(count - 1);
  const edge = next === undefined ? Number.POSITIVE_INFINITY : (last! + next) / 2;
  for (const [index, place] of all.entries()) {
    // So near to the edge both do as well, and from a place to itself there is no way.
    if (place === to || Math.abs(meters[index]! - edge) < 0.5) continue;
    assert.equal(isWanted(place), meters[index]! < edge, `${meters[index]} m away, of ${count} within ${edge} m`);
  }
}

/** Without those that share a cell: of which of them a way leads nobody can say. */
function alone(places: readonly Place[], all: readonly Place[]): Place[] {
  const cells = all.map(cellOf);
  return places.filter((place) => cells.indexOf(cellOf(place)) === cells.lastIndexOf(cellOf(place)));
}

describe('the ways that a round wants', () => {
  test('the ways that a round wants lead from the agents to the order and from there to its end, for each mode', () => {
    const rider = agentAt(at(-900, 0), { vehicleType: 'bicycle' });
    const driver = agentAt(at(900, 0));
    const view = roundOf([rider, driver], [orderFrom(SHOP, HOME)]);
    const wanted = wantedTrips(view, (type) => type ?? undefined);
    assert.deepEqual(
      [...wanted.byMode.get('bicycle')!],
      [
        [cellOf(rider.place), new Set([cellOf(SHOP)])],
        [cellOf(SHOP), new Set([cellOf(HOME)])],
      ],
    );
    assert.equal(pairs(wanted, 'car'), 2);
    assert.deepEqual(wanted.places.get(cellOf(SHOP)), SHOP);
  });

  test('are those of the nearest agents', () => {
    const agents = Array.from({ length: 60 }, (_, index) => agentAt(at(200 + index * 200, 0)));
    const wanted = wantedTrips(roundOf(agents.reverse(), [orderFrom(SHOP, null)]), everybody);
    assert.equal(pairs(wanted), LIMITS.tripAgents);
    assert.ok(wanted.places.has(cellOf(at(200, 0))) && !wanted.places.has(cellOf(at(12_000, 0))));
  });

  for (const [where, place] of [
    ['in a town', inTown],
    ['by the date line', byTheDateLine],
  ] as const) {
    test(`are those that looking at every agent and every neighbour finds ${where}`, () => {
      const some = fc.record({
        shop: place,
        drivers: fc.array(place, { minLength: 1, maxLength: 60, size: 'max' }),
        homes: fc.array(place, { maxLength: 30, size: 'max' }),
      });
      fc.assert(
        fc.property(some, ({ shop, ...others }) => {
          const all = [shop, ...others.drivers, ...others.homes];
          const [drivers, homes] = [alone(others.drivers, all), alone(others.homes, all)];
          const orders = homes.map((home) => orderFrom(shop, home, { pickupKey: 'shop' }));
          const agents = drivers.map((driver) => agentAt(driver));
          const trips = wantedTrips(roundOf(agents, orders), everybody).byMode.get('car');
          const isWanted = (start: Place, end: Place) => trips?.get(cellOf(start))?.has(cellOf(end)) === true;
          if (orders.length === 0 || agents.length === 0) return assert.equal(trips, undefined);
          assertNearest((driver) => isWanted(driver, shop), drivers, shop, LIMITS.tripAgents);
          for (const home of homes) {
            assert.ok(isWanted(shop, home));
            if (homes.length > 1)
              assertNearest((other) => isWanted(home, other), homes, home, LIMITS.tripNeighbours + 1);
          }
        }),
        { numRuns: 100, seed: SEED },
      );
    });
  }

  test('the ways that a round wants lead on between orders of the same pickup place', () => {
    const order = (dropoff: typeof HOME, pickupKey: string | null) => orderFrom(SHOP, dropoff, { pickupKey });
    const agents = [agentAt(at(500, 500))];
    const together = wantedTrips(roundOf(agents, [order(HOME, 'shop'), order(FLAT, 'shop')]), everybody);
    assert.ok(together.byMode.get('car')!.get(cellOf(HOME))?.has(cellOf(FLAT)));
    assert.ok(together.byMode.get('car')!.get(cellOf(FLAT))?.has(cellOf(HOME)));
    const apart = wantedTrips(roundOf(agents, [order(HOME, null), order(FLAT, null)]), everybody);
    assert.equal(apart.byMode.get('car')!.get(cellOf(HOME)), undefined);
  });

  test('are none for unused positions, vehicles the engine does not know, the same place, and the far end of the world', () => {
    const order = orderFrom(SHOP, null);
    const none = [
      agentAt(at(500, 0), { isStale: true }),
      agentAt(at(500, 0), { vehicleType: 'boat' }),
      agentAt(at(5, 5)),
      agentAt({ latitude: -33.9, longitude: 18.4 }),
    ];
    for (const agent of none) {
      const wanted = wantedTrips(roundOf([agent], [order]), (type) => (type === 'boat' ? undefined : 'car'));
      assert.equal(pairs(wanted), 0);
    }
    assert.equal(wantedTrips(roundOf([], [order]), everybody).byMode.size, 0);
    assert.equal(pairs(wantedTrips(roundOf([agentAt(SHOP)], [orderFrom(null, null)]), everybody)), 0);
  });

  test('are bounded', () => {
    const agents = Array.from({ length: 200 }, (_, index) =>
      agentAt(at((index % 20) * 300, Math.floor(index / 20) * 300)),
    );
    const orders = Array.from({ length: 4_000 }, (_, index) => orderFrom(at(index * 60, -500), at(index * 60, 900)));
    const wanted = wantedTrips(roundOf(agents, orders), everybody);
    assert.equal(pairs(wanted), LIMITS.tripsOfRound);
  });
});

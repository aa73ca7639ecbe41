import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { cellOf, nearnessOf } from '../../../engine/travel/place-cell.ts';
import { TripCache } from '../../../engine/travel/trip-cache.ts';
import { type KnownTrips, type TripTable, travelOver } from '../../../engine/travel/trip-table.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { at } from '../../support/services/town.ts';

const SEED = 20_261_122;

const HERE = at(0, 0);
const THERE = at(3_000, 0);
const ELSEWHERE = at(0, 2_000);

function tableWith(known: Partial<KnownTrips>): TripTable {
  const trip = { from: [cellOf(HERE)], to: [cellOf(THERE)], ms: [700_000] };
  const [from, to, ms] = [trip.from, trip.to, trip.ms].map((list) => Float64Array.from(list));
  const modes = [{ from: from!, to: to!, ms: ms!, metersPerMs: null, ...known }];
  return {
    modeOfVehicle: new Map([
      ['car', 0],
      [null, 0],
      ['foot', -1],
    ]),
    modes,
  };
}

describe('looking a way up', () => {
  test('looking a way up gives the time that is known, and the straight distance', () => {
    const travel = travelOver(tableWith({}));
    assert.deepEqual(travel(HERE, THERE, 'car'), {
      distanceM: straightTravel(HERE, THERE, 'car').distanceM,
      ms: 700_000,
    });
    assert.equal(travel(HERE, THERE, null).ms, 700_000);
  });

  test('looking a way up gives the straight line for what nobody knows: the way back, another place, another vehicle', () => {
    const travel = travelOver(tableWith({}));
    for (const [from, to, vehicle] of [
      [THERE, HERE, 'car'],
      [HERE, ELSEWHERE, 'car'],
      [HERE, THERE, 'foot'],
      [HERE, THERE, 'rickshaw'],
    ] as const)
      assert.deepEqual(travel(from, to, vehicle), straightTravel(from, to, vehicle));
    assert.deepEqual(travelOver(null)(HERE, THERE, 'car'), straightTravel(HERE, THERE, 'car'));
  });

  test('looking a way up estimates what is not known by how fast the known ones are', () => {
    const travel = travelOver(tableWith({ metersPerMs: 0.002 }));
    const { distanceM, ms } = travel(HERE, ELSEWHERE, 'car');
    assert.equal(ms, distanceM / 0.002);
    assert.equal(travel(HERE, THERE, 'car').ms, 700_000);
  });

  test('looking a way up survives the way to another thread', () => {
    const copy = structuredClone(tableWith({ metersPerMs: 0.002 }));
    assert.equal(travelOver(copy)(HERE, THERE, 'car').ms, 700_000);
  });
});

describe('a cell', () => {
  const places = fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });

  test('a cell has a number of its own, and so has its place in the order', () => {
    const digits = ({ latitude, longitude }: { latitude: number; longitude: number }) =>
      `${Math.round(latitude * 2_000) + 0} ${Math.round(longitude * 2_000) + 0}`;
    fc.assert(
      fc.property(places, places, (one, other) => {
        const isSame = digits(one) === digits(other);
        assert.equal(cellOf(one) === cellOf(other), isSame);
        assert.equal(nearnessOf(cellOf(one)) === nearnessOf(cellOf(other)), isSame);
        assert.ok(Number.isSafeInteger(nearnessOf(cellOf(one))));
      }),
      { seed: SEED },
    );
  });
});

describe('remembered trips', () => {
  test('are found by mode and direction, also where there is no way', () => {
    const cache = new TripCache();
    cache.keep('car', 1, 2, 60, 0);
    cache.keep('car', 2, 1, null, 0);
    assert.equal(cache.find('car', 1, 2, 0), 60);
    assert.equal(cache.find('car', 2, 1, 0), null);
    assert.equal(cache.find('foot', 1, 2, 0), undefined);
    assert.equal(cache.find('car', 1, 3, 0), undefined);
  });

  test('are asked for again when they are old', () => {
    const cache = new TripCache();
    cache.keep('car', 1, 2, 60, 0);
    assert.equal(cache.find('car', 1, 2, LIMITS.tripMemoryMs - 1), 60);
    assert.equal(cache.find('car', 1, 2, LIMITS.tripMemoryMs), undefined);
    cache.keep('car', 1, 3, 90, LIMITS.tripMemoryMs);
    assert.equal(cache.find('car', 1, 2, LIMITS.tripMemoryMs), undefined, 'the old one does not come back');
    assert.equal(cache.size, 1);
  });

  test('are bounded: the oldest go first', () => {
    const cache = new TripCache();
    const starts = 500;
    const ends = (LIMITS.tripsRemembered / starts) * 2;
    for (let from = 0; from < starts; from += 1)
      for (let to = 0; to < ends; to += 1) cache.keep('car', from, to, 1, from);
    assert.ok(cache.size <= LIMITS.tripsRemembered && cache.size > LIMITS.tripsRemembered * 0.9);
    assert.equal(cache.find('car', 0, 0, starts), undefined);
    assert.equal(cache.find('car', starts - 1, 0, starts), 1);
  });
});

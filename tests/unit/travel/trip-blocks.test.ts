import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cellOf } from '../../../engine/travel/place-cell.ts';
import { blocksOf, halved, type TripBlock } from '../../../engine/travel/trip-blocks.ts';
import type { Trips } from '../../../engine/travel/wanted-trips.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { at } from '../../support/services/town.ts';

const SEED = 20_261_122;

const cells = fc.integer({ min: 0, max: 300 });
const manyTrips = fc
  .array(fc.tuple(cells, cells), { minLength: 1, maxLength: 600 })
  .map((pairs) => pairs.reduce((trips: Trips, [from, to]) => withTrip(trips, from, to), new Map()));

function withTrip(trips: Trips, from: number, to: number): Trips {
  return trips.set(from, (trips.get(from) ?? new Set<number>()).add(to));
}

function pairsOf(blocks: readonly TripBlock[]): Set<string> {
  return new Set(blocks.flatMap(({ from, to }) => from.flatMap((start) => to.map((end) => `${start}-${end}`))));
}

describe('the tables that are asked for', () => {
  test('the tables that are asked for have every trip in them, and no more places than an engine takes', () => {
    fc.assert(
      fc.property(manyTrips, (trips) => {
        const blocks = blocksOf(trips);
        const pairs = pairsOf(blocks);
        for (const [from, ends] of trips) for (const to of ends) assert.ok(pairs.has(`${from}-${to}`));
        for (const { from, to } of blocks) {
          assert.ok(from.length >= 1 && from.length <= LIMITS.routingBlockPlaces);
          assert.ok(to.length >= 1 && to.length <= LIMITS.routingBlockPlaces);
        }
      }),
      { seed: SEED },
    );
  });

  test('the tables that are asked for put together what lies together: two quarters of a town are not mixed', () => {
    const quarter = (eastM: number) =>
      Array.from({ length: 50 }, (_, index) => cellOf(at(eastM + index * 80, index * 60)));
    const trips: Trips = new Map();
    const quarters = [quarter(-40_000), quarter(40_000)];
    // Every other trip is of the other quarter, as they would come.
    for (let index = 0; index < 50; index += 1)
      for (const cellsOfOne of quarters) withTrip(trips, cellsOfOne[index]!, cellsOfOne[(index * 7 + 3) % 50]!);
    const blocks = blocksOf(trips);
    assert.equal(blocks.length, 2);
    for (const { from, to } of blocks)
      assert.ok(quarters.some((cellsOfOne) => [...from, ...to].every((cell) => cellsOfOne.includes(cell))));
  });

  test('are halved until a single trip is left', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), (rows, columns) => {
        const block = { from: [...Array(rows).keys()], to: [...Array(columns).keys()] };
        const halves = halved(block);
        if (rows * columns === 1) return assert.equal(halves, undefined);
        assert.deepEqual(pairsOf(halves!), pairsOf([block]));
        const sizes = halves!.map(({ from, to }) => from.length * to.length);
        assert.equal(sizes[0]! + sizes[1]!, rows * columns);
        assert.ok(Math.max(...sizes) <= Math.ceil((rows * columns * 2) / 3));
      }),
      { seed: SEED },
    );
  });
});

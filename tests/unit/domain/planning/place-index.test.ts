import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Place } from '../../../../engine/domain/assignment/round-view.ts';
import { PlaceIndex } from '../../../../engine/domain/planning/place-index.ts';
import { distanceM } from '../../../../engine/domain/travel/geo.ts';
import { rounds } from '../../../support/runner/rounds.ts';

const anywhere = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
/** A few corners on both sides of the date line, where many meet. */
const corners = fc.record({
  latitude: fc.integer({ min: -2, max: 2 }).map((step) => step / 100),
  longitude: fc.constantFrom(-180, -179.99, 179.99, 180),
});
const town = fc.record({
  latitude: fc.double({ min: 52.4, max: 52.6, noNaN: true }),
  longitude: fc.double({ min: 13.2, max: 13.6, noNaN: true }),
});
const kinds: readonly (readonly [string, fc.Arbitrary<Place>])[] = [
  ['all over the globe', anywhere],
  ['at few places beside the date line', corners],
  ['in a town', town],
];

function indexOf(places: readonly Place[], members: readonly number[] = [...places.keys()]): PlaceIndex {
  return new PlaceIndex(
    places.map((place) => ({ place })),
    members,
  );
}

function metersTo(from: Place, { latitude, longitude }: Place): number {
  return distanceM(from.latitude, from.longitude, latitude, longitude);
}

/** A metre, or what the distance on the plane may be off. */
function assertSameDistances(found: readonly number[], expected: readonly number[]): void {
  assert.equal(found.length, expected.length);
  for (const [rank, meters] of found.entries())
    assert.ok(Math.abs(meters - expected[rank]!) <= 1 + meters * 2e-5, `${rank}: ${meters}, not ${expected[rank]}`);
}

describe('an index of places', () => {
  for (const [where, place] of kinds) {
    test(`an index of places finds the nearest first of those ${where}, as if it had looked at all`, () => {
      fc.assert(
        fc.property(
          fc.array(place, { maxLength: 120, size: 'max' }),
          place,
          fc.nat(40),
          fc.nat(4),
          (places, from, wanted, every) => {
            const isFit = (member: number) => member % (every + 1) === 0;
            const fitness = { isFit, looks: places.length };
            const found = indexOf(places).nearest(from, wanted, fitness);
            assert.equal(new Set(found).size, found.length);
            assert.ok(found.every(isFit));
            const all = places.filter((_, member) => isFit(member)).map((one) => metersTo(from, one));
            const nearest = all.sort((a, b) => a - b).slice(0, wanted);
            assertSameDistances(
              found.map((member) => metersTo(from, places[member]!)),
              nearest,
            );
          },
        ),
        { numRuns: rounds(300), seed: 20_261_122 },
      );
    });
  }

  test('an index of places knows its members only, by their own numbers', () => {
    const places = Array.from({ length: 50 }, (_, east) => ({ latitude: 0, longitude: east / 100 }));
    const members = [3, 40, 41, 7];
    const index = indexOf(places, members);
    assert.deepEqual(index.nearest({ latitude: 0, longitude: 0.405 }, 3).sort(), [40, 41, 7].sort());
    assert.deepEqual(index.nearest(null, 9).toSorted(), members.toSorted());
    assert.deepEqual(indexOf(places, []).nearest(places[0]!, 5), []);
  });

  test('an index of places looks at no more than it may, at those near by', () => {
    const places = Array.from({ length: 5_000 }, (_, east) => ({ latitude: 0, longitude: east / 1_000 }));
    const looked: number[] = [];
    const isFit = (member: number) => {
      looked.push(member);
      return false;
    };
    assert.deepEqual(indexOf(places).nearest(places[2_500]!, 1, { isFit, looks: 100 }), []);
    assert.equal(looked.length, 100);
    assert.ok(
      looked.every((member) => Math.abs(member - 2_500) <= 100),
      `${looked}`,
    );
  });
});

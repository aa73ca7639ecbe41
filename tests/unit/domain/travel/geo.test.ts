import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isInBox } from '../../../../engine/domain/bounding-box.ts';
import { distanceM } from '../../../../engine/domain/travel/geo.ts';

const SEED = 20_261_122;

const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const place = fc.tuple(latitude, longitude);
type Place = readonly [latitude: number, longitude: number];

const EARTH_RADIUS_M = 6_371_008.8;

/** Another way to the same: the angle between the vectors that lead from the centre to both places. */
function angleBetweenVectorsM(one: Place, other: Place): number {
  const [a, b] = [vectorTo(one), vectorTo(other)];
  const cross = Math.hypot(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
  return EARTH_RADIUS_M * Math.atan2(cross, a.x * b.x + a.y * b.y + a.z * b.z);
}

function vectorTo([lat, lon]: Place) {
  const [north, east] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180];
  return { x: Math.cos(north) * Math.cos(east), y: Math.cos(north) * Math.sin(east), z: Math.sin(north) };
}

function assertNear(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= 0.01 + expected * 1e-5, `${what}: ${actual}, expected ${expected}`);
}

describe('distances', () => {
  test('agree with the angle between vectors, wherever two places are', () => {
    fc.assert(
      fc.property(place, place, (one, other) => {
        assertNear(distanceM(...one, ...other), angleBetweenVectorsM(one, other), `${one} to ${other}`);
      }),
      { seed: SEED },
    );
  });

  test('agree with it for places near each other, also across the antimeridian and beside the poles', () => {
    const step = fc.double({ min: -0.3, max: 0.3, noNaN: true });
    const corner = fc.tuple(fc.constantFrom(0, 48, 79.95, -80, 89.9, -90), fc.constantFrom(0, 180, -180, 179.9));
    fc.assert(
      fc.property(fc.oneof(place, corner), step, step, ([lat, lon], north, east) => {
        const otherLat = Math.min(90, Math.max(-90, lat + north));
        const otherLon = ((lon + east + 540) % 360) - 180;
        const expected = angleBetweenVectorsM([lat, lon], [otherLat, otherLon]);
        assertNear(distanceM(lat, lon, otherLat, otherLon), expected, `${lat}, ${lon} by ${north}, ${east}`);
      }),
      { seed: SEED },
    );
  });

  test('are the same both ways, never negative, and none from a place to itself', () => {
    fc.assert(
      fc.property(place, place, (one, other) => {
        assert.equal(distanceM(...one, ...one), 0);
        assert.ok(distanceM(...one, ...other) >= 0);
        assertNear(distanceM(...one, ...other), distanceM(...other, ...one), 'back');
      }),
      { seed: SEED },
    );
  });

  for (const [what, one, other, expected] of [
    ['from London to Paris', [51.5074, -0.1278], [48.8566, 2.3522], 343_556],
    ['across the antimeridian in Fiji', [-16.8, 179.99], [-16.8, -179.99], 2_129],
    ['from pole to pole', [90, 0], [-90, 120], 20_015_115],
    ['at a pole, where longitudes mean nothing', [90, 0], [90, 180], 0],
    ['between antipodes', [12, 30], [-12, -150], 20_015_115],
    ['of a metre', [52, 13], [52.000008993, 13], 1],
  ] as const) {
    test(what, () => {
      const distance = distanceM(...(one as Place), ...(other as Place));
      assert.ok(Math.abs(distance - expected) < 1, `${distance}`);
    });
  }
});

describe('boxes', () => {
  const europe = { west: -10, south: 35, east: 30, north: 70 };
  const pacific = { west: 170, south: -30, east: -170, north: 10 };
  for (const [what, box, [lat, lon], expected] of [
    ['a place within', europe, [50, 10], true],
    ['a corner', europe, [35, -10], true],
    ['a place to the east', europe, [50, 31], false],
    ['a place to the south', europe, [34, 10], false],
    ['a place east of the antimeridian', pacific, [0, -175], true],
    ['a place west of the antimeridian', pacific, [0, 175], true],
    ['a place on the other side of the Earth', pacific, [0, 0], false],
    ['the antimeridian by its other name', { ...europe, west: -180, east: -170 }, [50, 180], true],
    ['a pole, which has every longitude', { west: 0, south: 80, east: 1, north: 90 }, [90, 100], true],
    ['a pole beyond the box', europe, [90, 10], false],
  ] as const) {
    test(`${what} is ${expected ? 'inside' : 'outside'}`, () => assert.equal(isInBox(box, lat, lon), expected));
  }

  test('a box across the antimeridian has what its complement lacks', () => {
    fc.assert(
      fc.property(longitude, longitude, longitude, (west, east, lon) => {
        fc.pre(lon !== west && lon !== east && Math.abs(lon) !== 180);
        const [box, complement] = [
          { west, south: -80, east, north: 80 },
          { west: east, south: -80, east: west, north: 80 },
        ];
        fc.pre(west !== east);
        assert.notEqual(isInBox(box, 0, lon), isInBox(complement, 0, lon));
      }),
      { seed: SEED },
    );
  });
});

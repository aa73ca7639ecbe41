import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFromFuture, isImpossible } from '../../../../engine/domain/travel/location-rule.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const UNSAID = {
  accuracy: Number.NaN,
  speed: Number.NaN,
  heading: Number.NaN,
  altitude: Number.NaN,
  battery: Number.NaN,
};

function pointAt(recordedAtMs: number, latitude: number, longitude: number) {
  return { recordedAtMs, latitude, longitude, ...UNSAID };
}

const cases: readonly (readonly [what: string, point: ReturnType<typeof pointAt>, isImpossible: boolean])[] = [
  ['of now', pointAt(NOON, 52.52, 13.405), false],
  ['of long ago', pointAt(0, 52.52, 13.405), false],
  ['of what a fast clock takes for now', pointAt(NOON + LIMITS.pointFutureMs, 52.52, 13.405), false],
  ['of later than clocks can differ', pointAt(NOON + LIMITS.pointFutureMs + 1, 52.52, 13.405), true],
  ['where receivers without a fix believe they are', pointAt(NOON, 0, 0), true],
  ['on the equator', pointAt(NOON, 0, 6.73), false],
  ['on the meridian', pointAt(NOON, 51.5, 0), false],
];

for (const [what, point, expected] of cases) {
  test(`a point ${what} is ${expected ? 'impossible' : 'possible'}`, () => {
    assert.equal(isImpossible(point, NOON), expected);
  });
}

test('a point is from the future by the clock of the gateway', () => {
  const recordedAtMs = NOON + LIMITS.pointFutureMs + 1;
  assert.equal(isFromFuture({ recordedAtMs }, NOON), true);
  assert.equal(isFromFuture({ recordedAtMs }, NOON + 1), false);
});

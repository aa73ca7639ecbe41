import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as v from 'valibot';
import { devicePointsInput, ownPointsInput } from '../../../schema/fleet/position.ts';
import { readDevicePoints, readOwnPoints } from '../../../schema/fleet/read-points.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { rounds } from '../../support/runner/rounds.ts';

const SEED = 20_261_122;

const time = fc
  .date({ min: new Date('1999-12-01'), max: new Date('2100-02-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const oddTime = fc.oneof(
  time.map((text) => text.replace(/\.\d{3}/, '')),
  time.map((text) => text.replace('Z', '+02:00')),
  fc.constantFrom('2026-02-30T10:00:00.000Z', '2028-02-29T10:00:00.000Z', '2026-13-01T00:00:00Z', '2026-11-21', ''),
  fc.constantFrom(
    '2026-11-21T24:00:00.000Z',
    '2026-11-21T10:60:00Z',
    '2026-11-21T1x:00:00Z',
    '2026-11-21T10:00:00.1xxZ',
  ),
);
const number = fc.oneof(
  fc.double({ min: -400, max: 400, noNaN: true }),
  fc.constantFrom<unknown>(-90, 90, 180, -180, 0, -0, 1e9, null, undefined, '1', true, []),
);
const likely = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
const point = fc.record(
  {
    agentId: likely(fc.integer({ min: 1, max: 99 }), fc.constantFrom<unknown>(0, -1, 1.5, '7', null, 2 ** 53)),
    latitude: likely(fc.double({ min: -90, max: 90, noNaN: true }), number),
    longitude: likely(fc.double({ min: -180, max: 180, noNaN: true }), number),
    recordedAt: likely(time, oddTime),
    accuracy: likely(fc.double({ min: 0, max: 100, noNaN: true }), number),
    speed: likely(fc.double({ min: 0, max: 50, noNaN: true }), number),
    heading: likely(fc.integer({ min: 0, max: 360 }), number),
    altitude: likely(fc.constant(12.5), number),
    battery: likely(fc.integer({ min: 0, max: 100 }), number),
  },
  { requiredKeys: ['agentId', 'latitude', 'longitude', 'recordedAt'] },
);
const body = fc.record({
  points: likely(fc.array(point, { maxLength: 3 }), fc.constantFrom<unknown>(null, {}, [null], [[]])),
});

test('reading without the schema gives the same points as the schema', () => {
  let read = 0;
  fc.assert(
    fc.property(body, (sent) => {
      for (const [reader, schema] of [
        [readOwnPoints, ownPointsInput],
        [readDevicePoints, devicePointsInput],
      ] as const) {
        const quick = reader(sent);
        if (!quick) continue;
        read += 1;
        const whole = v.safeParse(schema, sent);
        assert.ok(whole.success, JSON.stringify(whole.issues?.[0]?.message));
        const named = (points: readonly object[]) =>
          points.map((one) => ({ ...one, ...(reader === readOwnPoints ? { agentId: null } : {}) }));
        assert.deepEqual(named(quick.points), named(whole.output.points));
      }
    }),
    { numRuns: rounds(3_000), seed: SEED },
  );
  assert.ok(read > 500, `only ${read} bodies were read`);
});

test('bodies as devices send them are read, in both usual forms of time', () => {
  for (const recordedAt of [
    '2026-11-21T10:20:30.123Z',
    '2026-11-21T10:20:30Z',
    '2000-01-01T00:00:00.000Z',
    '2099-12-31T23:59:59.999Z',
    '2028-02-29T10:00:00.000Z',
  ]) {
    const sent = { points: [{ agentId: 7, latitude: 52.5, longitude: 13.4, recordedAt, speed: null }] };
    assert.equal(readDevicePoints(sent)?.points[0]?.recordedAtMs, Date.parse(recordedAt));
    assert.equal(readOwnPoints(sent)?.points[0]?.latitude, 52.5);
  }
});

test('a list that is empty or too long is left to the schema', () => {
  const one = { agentId: 7, latitude: 52.5, longitude: 13.4, recordedAt: '2026-11-21T10:20:30.123Z' };
  const many = (length: number) => ({ points: Array.from({ length }, () => one) });
  assert.equal(readOwnPoints(many(0)), undefined);
  assert.equal(readOwnPoints(many(LIMITS.pointsOfOneAgent))?.points.length, LIMITS.pointsOfOneAgent);
  assert.equal(readOwnPoints(many(LIMITS.pointsOfOneAgent + 1)), undefined);
  assert.equal(readDevicePoints(many(LIMITS.pointsOfDeviceGateway + 1)), undefined);
});

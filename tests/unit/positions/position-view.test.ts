import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileSerializer } from '../../../engine/views/parts/serializer.ts';
import { encodePosition } from '../../../engine/views/position-view.ts';
import { positionView } from '../../../schema/fleet/position.ts';
import { rounds } from '../../support/runner/rounds.ts';

const SEED = 20_261_122;

const serialize = compileSerializer(positionView);
const orNull = (value: number) => (Number.isNaN(value) ? null : value);

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const NOTABLE = [0, -0, 1e-6, -1e-6, 1e-7, 9.9999995, 52.5, 52.51, 52.000001, 52.001, 0.999999, 179.999999, 180];
/** Degrees as devices send them, and any others. */
const degrees = (most: number) =>
  fc.oneof(
    fc.integer({ min: -most * 1e6, max: most * 1e6 }).map((millionths) => millionths / 1e6),
    fc.integer({ min: -most * 1e3, max: most * 1e3 }).map((thousandths) => thousandths / 1e3),
    fc.constantFrom(...NOTABLE.filter((value) => value <= most)),
    fc.double({ noNaN: true, min: -most, max: most }),
  );
const said = fc.oneof(fc.constant(Number.NaN), fc.double({ noNaN: true, min: 0, max: 100_000 }), fc.nat(360));
/** Near one another, as those of one tick are, and far off. */
const moment = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 10, 21, 11, 59, 58), max: Date.UTC(2026, 10, 21, 12, 0, 2) }),
  fc.integer({ min: Date.UTC(1969), max: Date.UTC(2200) }),
);

test('a position is encoded to the bytes of its schema', () => {
  const shown = fc.record({
    agentId: id,
    latitude: degrees(90),
    longitude: degrees(180),
    accuracy: said,
    heading: said,
    speed: said,
    recordedAtMs: moment,
    receivedAtMs: moment,
    onDuty: fc.boolean(),
    activeTaskId: fc.option(id),
  });
  fc.assert(
    fc.property(shown, fc.boolean(), (position, isStale) => {
      const { recordedAtMs, receivedAtMs, accuracy, heading, speed, ...rest } = position;
      const times = {
        recordedAt: new Date(recordedAtMs).toISOString(),
        receivedAt: new Date(receivedAtMs).toISOString(),
      };
      const numbers = { accuracy: orNull(accuracy), heading: orNull(heading), speed: orNull(speed) };
      assert.equal(encodePosition(position, isStale), serialize({ ...rest, ...numbers, ...times, isStale }));
    }),
    { numRuns: rounds(1_000), seed: SEED },
  );
});

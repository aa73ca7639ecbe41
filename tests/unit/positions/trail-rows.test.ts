import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TrailRows } from '../../../engine/store/positions/trail-rows.ts';
import { readRows, trailPoint } from './read-rows.ts';

const SEED = 20_261_122;

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const few = fc.integer({ min: 1, max: 3 });
const moment = fc.integer({ min: Date.UTC(1970), max: Date.UTC(2200) });
const real = fc.oneof(fc.constant(Number.NaN), fc.float({ noNaN: true, min: -1_000, max: 100_000 }));
const point = fc.record({
  latitude: fc.double({ noNaN: true, min: -90, max: 90 }),
  longitude: fc.double({ noNaN: true, min: -180, max: 180 }),
  recordedAtMs: moment,
  accuracy: real,
  speed: real,
  heading: real,
  altitude: real,
  battery: real,
});

test('rows are what was put down, byte for byte, also in memory that held others', () => {
  const rows = new TrailRows(20);
  const noted = fc.array(fc.tuple(id, id, point, moment), { maxLength: 20 });
  fc.assert(
    fc.property(noted, (points) => {
      rows.clear();
      for (const each of points) rows.append(...each);
      assert.equal(rows.count, points.length);
      assert.deepEqual(
        readRows(rows.toCopy()),
        points.map(([organizationId, agentId, { recordedAtMs, latitude, longitude, ...rest }, receivedAtMs]) => ({
          organizationId,
          agentId,
          recordedAtMs,
          receivedAtMs,
          doubles: [latitude, longitude],
          reals: [rest.accuracy, rest.speed, rest.heading, rest.altitude, rest.battery].map((value) =>
            Number.isNaN(value) ? null : value,
          ),
        })),
      );
    }),
    { seed: SEED },
  );
});

test('rows of some organizations are taken away, the others stay in order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(few, real), { maxLength: 30 }), few, (noted, gone) => {
      const rows = new TrailRows(31);
      for (const [index, [organizationId, speed]] of noted.entries())
        rows.append(organizationId, index + 1, trailPoint({ speed }), 0);
      assert.deepEqual(rows.organizationIds(), new Set(noted.map(([organizationId]) => organizationId)));
      rows.remove(new Set([gone]));
      rows.append(gone, 99, trailPoint({}), 0);
      const left = noted.flatMap(([organizationId], index) => (organizationId === gone ? [] : [index + 1]));
      assert.deepEqual(
        readRows(rows.toCopy()).map(({ agentId }) => agentId),
        [...left, 99],
      );
      assert.equal(rows.count, left.length + 1);
    }),
    { seed: SEED },
  );
});

test('the rows of a day are found among those of others, in their order', () => {
  const midnight = Date.UTC(2026, 10, 21);
  const hour = fc.integer({ min: -30, max: 30 });
  fc.assert(
    fc.property(fc.array(fc.tuple(hour, real), { minLength: 1, maxLength: 30 }), (noted) => {
      const rows = new TrailRows(30);
      const byDay = new Map<number, number[]>();
      for (const [index, [hours, speed]] of noted.entries()) {
        const recordedAtMs = midnight + hours * 3_600_000;
        rows.append(1, index + 1, trailPoint({ recordedAtMs, speed }), 0);
        const day = Math.floor(hours / 24);
        byDay.set(day, [...(byDay.get(day) ?? []), index + 1]);
      }
      const found = [...rows.days()].map((day) => rows.ofDay(day));
      assert.deepEqual(
        found.map((ofDay) => readRows(ofDay.toCopy()).map(({ agentId }) => agentId)),
        [...byDay.values()],
      );
      assert.deepEqual(
        found.map(({ count }) => count),
        [...byDay.values()].map(({ length }) => length),
      );
    }),
    { seed: SEED },
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Stop, TravelTime } from '../../../../engine/domain/assignment/round-view.ts';
import { latePrice } from '../../../../engine/domain/stops/lateness.ts';
import { Schedule } from '../../../../engine/domain/stops/schedule.ts';

const SEED = 20_261_125;
const NOW = 1_000_000;
const START = { place: { latitude: 0, longitude: 0 }, at: NOW, vehicleType: null };

/** Whole numbers, so that sums in another order are the same; one-way streets, so that no detour is always longer. */
const travel: TravelTime = (from, to) => {
  const ms = Math.abs(to.longitude - from.longitude) * 7 + ((from.latitude * 13 + to.latitude * 5) % 31);
  return { distanceM: ms, ms };
};

const place = fc.record({ latitude: fc.nat(9), longitude: fc.integer({ min: -40, max: 40 }) });
const stop: fc.Arbitrary<Stop> = fc.record({
  place: fc.option(place, { freq: 8 }),
  earliest: fc.oneof(fc.constant(Number.NEGATIVE_INFINITY), fc.integer({ min: NOW, max: NOW + 2_500 })),
  serviceMs: fc.nat(120),
  dueAt: fc.option(fc.integer({ min: NOW - 200, max: NOW + 2_500 })),
  weight: fc.nat(1),
});
const stops = fc.array(stop, { maxLength: 8 });

/** The beginning of each stop, and the cost of all, worked out from the first to the last. */
function byTheBook(given: readonly Stop[], delayOf: (index: number) => number = () => 0) {
  let [where, at, cost] = [START.place, START.at, 0];
  const begins: number[] = [];
  for (const [index, { place: to, earliest, serviceMs, dueAt, weight }] of given.entries()) {
    if (to !== null && to !== where) at += travel(where, to, null).ms;
    at = Math.max(at, earliest) + delayOf(index);
    begins.push(at);
    cost += weight * (at - START.at) + latePrice(at, dueAt, START.at);
    at += serviceMs;
    where = to ?? where;
  }
  return { begins, cost };
}

const isLate = ({ dueAt }: Stop, beginAt: number) => dueAt !== null && beginAt > dueAt;

describe('a schedule', () => {
  test('a schedule begins no stop early, and costs what it costs stop by stop', () => {
    fc.assert(
      fc.property(stops, (given) => {
        const schedule = new Schedule(START, given, travel);
        const { begins, cost } = byTheBook(given);
        assert.deepEqual([...schedule.beginAts], begins);
        assert.equal(schedule.cost, cost);
        for (const [index, { earliest }] of given.entries()) assert.ok(schedule.beginAts[index]! >= earliest);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  test('a schedule says of an insertion anywhere what a new schedule says', () => {
    let [waits, latecomers] = [0, 0];
    fc.assert(
      fc.property(stops, fc.array(stop, { minLength: 1, maxLength: 2 }), (given, inserted) => {
        const schedule = new Schedule(START, given, travel);
        for (let index = 0; index <= given.length; index += 1) {
          const after = byTheBook(given.toSpliced(index, 0, ...inserted));
          assert.equal(schedule.costOfInsertion(index, inserted), after.cost - schedule.cost);
          if (index < given.length && schedule.waitsAt(index)) waits += 1;
          if (given.some((one, at) => isLate(one, schedule.beginAts[at]!))) latecomers += 1;
        }
      }),
      { seed: SEED, numRuns: 2_000 },
    );
    assert.ok(waits > 500 && latecomers > 500, `${waits} ${latecomers}`);
  });

  test('a schedule has slack at each stop up to the moment at which one more comes late', () => {
    fc.assert(
      fc.property(stops, fc.nat(7), (given, at) => {
        fc.pre(at < given.length);
        const schedule = new Schedule(START, given, travel);
        const lateWith = (delay: number) =>
          byTheBook(given, (index) => (index === at ? delay : 0)).begins.flatMap((beginAt, index) =>
            isLate(given[index]!, beginAt) ? [index] : [],
          );
        const slack = schedule.slacks[at]!;
        assert.ok(slack >= 0);
        const enough = Math.min(slack, 1e9);
        const fewer = lateWith(enough);
        // With no bound nothing on time can come late: what has no time, or is late already.
        assert.deepEqual(fewer, lateWith(0));
        if (Number.isFinite(slack)) assert.ok(lateWith(slack + 1).length > fewer.length);
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });
});

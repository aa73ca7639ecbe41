import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Stop, TravelTime } from '../../../../engine/domain/assignment/round-view.ts';
import { latePrice } from '../../../../engine/domain/stops/lateness.ts';
import { NO_RESTS, type Rests } from '../../../../engine/domain/stops/rests.ts';
import { Schedule, type Start } from '../../../../engine/domain/stops/schedule.ts';
import { rounds } from '../../../support/runner/rounds.ts';

const SEED = 20_261_125;
const NOW = 1_000_000;
const START: Start = { place: { latitude: 0, longitude: 0 }, at: NOW, vehicleType: null, rests: NO_RESTS };

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

/** Breaks inside of shifts, and the time between these, in order and apart. */
const rests: fc.Arbitrary<Rests> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 300 }), fc.boolean()), { maxLength: 6 })
  .map((spans) => {
    let from = NOW - 300;
    const slots = spans.map(([afterMs, lastsMs, isBreak]) => {
      const slot = { from: from + afterMs, until: from + afterMs + lastsMs };
      from = slot.until;
      return { slot, isBreak };
    });
    const those = (wanted: boolean) => slots.flatMap(({ slot, isBreak }) => (isBreak === wanted ? slot : []));
    return { breaks: those(true), timeOff: those(false) };
  });

/** The first moment at which an agent can set out for a stop and takes nothing of a rest. */
function firstMoment({ breaks, timeOff }: Rests, from: number, endOf: (outAt: number) => number): number {
  const ends = [...breaks, ...timeOff].map(({ until }) => until).filter((until) => until > from);
  const isFit = (outAt: number) =>
    breaks.every((pause) => endOf(outAt) <= pause.from || outAt >= pause.until) &&
    timeOff.every((off) => outAt <= off.from || outAt >= off.until);
  return [from, ...ends.sort((one, other) => one - other)].find(isFit)!;
}

/** The beginning of each stop, and the cost of all, worked out from the first to the last. */
function byTheBook(
  given: readonly Stop[],
  delayOf: (index: number) => number = () => 0,
  { place, at: startAt, rests: around }: Start = START,
) {
  let [where, at, cost] = [place, startAt, 0];
  const begins: number[] = [];
  for (const [index, { place: to, earliest, serviceMs, dueAt, weight }] of given.entries()) {
    const wayMs = to !== null && to !== where ? travel(where, to, null).ms : 0;
    const outAt = firstMoment(around, at, (out) => Math.max(out + wayMs, earliest) + serviceMs);
    at = Math.max(outAt + wayMs, earliest) + delayOf(index);
    begins.push(at);
    cost += weight * (at - START.at) + latePrice(at, dueAt, START.at);
    at += serviceMs;
    where = to ?? where;
  }
  return { begins, cost, leaveAt: at };
}

const isLate = ({ dueAt }: Stop, beginAt: number) => dueAt !== null && beginAt > dueAt;

describe('a schedule', () => {
  test('a schedule begins no stop early, and costs what it costs stop by stop', () => {
    fc.assert(
      fc.property(stops, rests, (given, around) => {
        const start = { ...START, rests: around };
        const schedule = new Schedule(start, given, travel);
        const { begins, cost } = byTheBook(given, undefined, start);
        assert.deepEqual([...schedule.beginAts], begins);
        assert.equal(schedule.cost, cost);
        for (const [index, { earliest, serviceMs }] of given.entries()) {
          const beginAt = schedule.beginAts[index]!;
          assert.ok(beginAt >= earliest);
          for (const { from, until } of around.breaks)
            assert.ok(beginAt + serviceMs <= from || schedule.arriveAts[index]! >= until, 'into a break');
        }
      }),
      { seed: SEED, numRuns: rounds(300) },
    );
  });

  test('a schedule says of an insertion anywhere what a new schedule says', () => {
    let [waits, latecomers, resting] = [0, 0, 0];
    const around = fc.oneof(fc.constant(NO_RESTS), rests);
    fc.assert(
      fc.property(stops, fc.array(stop, { minLength: 1, maxLength: 2 }), around, (given, inserted, restsAround) => {
        const start = { ...START, rests: restsAround };
        const schedule = new Schedule(start, given, travel);
        for (let index = 0; index <= given.length; index += 1) {
          const after = byTheBook(given.toSpliced(index, 0, ...inserted), undefined, start);
          assert.equal(schedule.costOfInsertion(index, inserted), after.cost - schedule.cost);
          const longer = schedule.with(index, inserted);
          assert.deepEqual([[...longer.beginAts], longer.cost], [after.begins, after.cost]);
          if (index < given.length && schedule.waitMs(index) > 0) waits += 1;
          if (given.some((one, at) => isLate(one, schedule.beginAts[at]!))) latecomers += 1;
          if (after.cost !== byTheBook(given.toSpliced(index, 0, ...inserted)).cost) resting += 1;
        }
      }),
      { seed: SEED, numRuns: rounds(2_000) },
    );
    assert.ok(Math.min(waits, latecomers, resting) > 500, `${waits} ${latecomers} ${resting}`);
  });

  test('a schedule says how much sooner each stop would begin without a time of its own', () => {
    fc.assert(
      fc.property(stops, rests, (given, around) => {
        const start = { ...START, rests: around };
        const schedule = new Schedule(start, given, travel);
        for (const [index, one] of given.entries()) {
          const untimed = given.with(index, { ...one, earliest: Number.NEGATIVE_INFINITY });
          const { begins } = byTheBook(untimed, undefined, start);
          assert.equal(schedule.waitMs(index), schedule.beginAts[index]! - begins[index]!);
        }
      }),
      { seed: SEED, numRuns: rounds(500) },
    );
  });

  test('a schedule says of a beginning elsewhere, earlier or later, what a new schedule says', () => {
    fc.assert(
      fc.property(stops, rests, place, fc.integer({ min: -300, max: 900 }), (given, around, from, later) => {
        const start = { ...START, rests: around };
        const schedule = new Schedule(start, given, travel);
        const other = byTheBook(given, undefined, { ...start, place: from, at: NOW + later });
        const coming = new Float64Array(2);
        schedule.come(from, NOW + later, coming);
        assert.deepEqual([...coming], [other.cost - schedule.cost, other.leaveAt]);
      }),
      { seed: SEED, numRuns: rounds(2_000) },
    );
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
      { seed: SEED, numRuns: rounds(2_000) },
    );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRecord } from '../../../bench/mdrp/check-record.ts';
import { PlannerPolicy } from '../../../bench/mdrp/planner-policy.ts';
import type { Policy } from '../../../bench/mdrp/policy.ts';
import { replayInstance } from '../../../bench/mdrp/replay-instance.ts';
import { etaErrorsOf, judgeEtaErrors } from '../../../bench/punctuality/eta-errors.ts';
import { judgePunctuality, type PolicyMeasures } from '../../../bench/punctuality/judge-punctuality.ts';
import { MADE_UP_CLASSES, madeUpDay } from '../../../bench/punctuality/made-up-days.ts';
import { daysInTraffic, placeAt } from '../../../bench/punctuality/noisy-day.ts';
import { hopelessOf, withWindows } from '../../../bench/punctuality/promised-windows.ts';
import { planRound } from '../../../engine/domain/planning/plan-round.ts';
import { mdrpInstance } from './mdrp-instance.ts';

const NOBODY_DECLINES = { probability: 0, seed: 1, offerMs: 15_000 };
const PLAIN = mdrpInstance({
  restaurants: { r: [0, 0] },
  orders: [
    { id: 'o1', at: [1_000, 0], restaurant: 'r', placed: 0, ready: 10 },
    { id: 'o2', at: [1_000, 901], restaurant: 'r', placed: 1, ready: 5 },
    { id: 'o3', at: [9_000, 0], restaurant: 'r', placed: 20, ready: 30 },
  ],
  couriers: [{ id: 'c1', at: [-500, 0], on: 0, off: 300 }],
});
const DAY = withWindows(PLAIN);

const inTurn: Policy = {
  name: 'in turn',
  everyMs: undefined,
  decide: ({ orders }) => orders.map(({ order }) => ({ courierId: 'c1', orderIds: [order.id] })),
};

test('the window is the half hour of the clock that ends with or after the promised minute 40', () => {
  assert.deepEqual(
    DAY.orders.map(({ window }) => [window!.from, window!.until]),
    [
      [30, 60],
      [30, 60],
      [30, 60],
    ],
  );
  // The last one is 90 minutes away.
  assert.equal(hopelessOf(DAY), 1);
});

test('a courier waits at the door for the window, and what is served after it is late by so many minutes', () => {
  const { punctuality } = checkRecord(DAY, replayInstance(DAY, inTurn, NOBODY_DECLINES));
  // There at 22 and done at 34; 14 minutes of service and way back, at the second door at 62, at the third at 174.
  const [second, third] = [2, 174 - 60];
  assert.deepEqual(punctuality, {
    late: 2,
    onTimeShare: 1 - 2 / 3,
    lateMean: (second + third) / 3,
    lateP95: third,
    waitingMean: 8 / 3,
  });
});

test('a planner that knows of no windows plans as on a day without any', () => {
  const planned = (day: typeof DAY, seesWindows: boolean) => {
    const policy = new PlannerPolicy(day, { everyMs: 30_000, maxBundle: 3, seesWindows }, planRound);
    return replayInstance(day, policy, NOBODY_DECLINES).assignments[0]!.decidedAt;
  };
  assert.equal(planned(DAY, false), planned(PLAIN, true));
  // It knows that the courier would wait at the door.
  assert.ok(planned(DAY, true) > planned(DAY, false));
});

test('late orders of all days are judged together, click-to-door day by day', () => {
  const base = checkRecord(DAY, replayInstance(DAY, inTurn, NOBODY_DECLINES));
  const measures = (late: number, mean: number): PolicyMeasures => ({
    ...base,
    policy: 'p',
    clickToDoor: { mean, p90: mean },
    punctuality: { ...base.punctuality, late },
  });
  const met = (planner: PolicyMeasures, blind: PolicyMeasures) => {
    const slack = { planner: measures(10, 30), blind: measures(10, 30) };
    const others = { nearestIdle: measures(0, 0), withoutWindows: measures(0, 0) };
    const days = [
      { planner, blind, ...others },
      { ...slack, ...others },
    ];
    return judgePunctuality(days, 'given').map((verdict) => verdict.met);
  };
  assert.deepEqual(met(measures(60, 103), measures(90, 100)), [true, true]);
  assert.deepEqual(met(measures(61, 104), measures(90, 100)), [false, false]);
});

test('an ETA in traffic is judged at acceptance, by what is known then, and the same seed makes the same day', () => {
  const record = replayInstance(DAY, inTurn, NOBODY_DECLINES);
  const errors = etaErrorsOf(DAY, record, 7);
  assert.deepEqual(etaErrorsOf(DAY, record, 7), errors);
  assert.notDeepEqual(etaErrorsOf(DAY, record, 8), errors);
  assert.equal(errors.orders, 3);
  // The third way is 90 minutes long, and the straight line knows of no orders before it.
  assert.ok(errors.stops < errors.straight / 2, JSON.stringify(errors));
  const [courier] = daysInTraffic(DAY, record, 7);
  for (const [index, { pickup, dropoff, acceptedAt }] of courier!.orders.entries()) {
    const before = courier!.orders[index - 1]?.dropoff.leftAt ?? 0;
    assert.ok(pickup.arrivedAt > Math.max(before, acceptedAt) && dropoff.beganAt >= dropoff.arrivedAt);
    for (const { place, arrivedAt, leftAt } of [pickup, dropoff]) {
      const { latitude, longitude } = placeAt(courier!, (arrivedAt + leftAt) / 2);
      assert.deepEqual([latitude, longitude], [place.latitude, place.longitude]);
    }
  }
});

test('the verdict on ETAs wants every day better than the straight line', () => {
  const day = { name: 'd', orders: 9, stops: 2, straight: 3 };
  assert.equal(judgeEtaErrors([day, { ...day, stops: 2.9 }]).met, true);
  assert.equal(judgeEtaErrors([day, { ...day, stops: 3 }]).met, false);
});

test('a made-up day is the same for the same seed, and all of its orders can be brought in time', () => {
  for (const kind of MADE_UP_CLASSES) {
    const day = madeUpDay(kind, 1);
    assert.deepEqual(madeUpDay(kind, 1), day);
    assert.notDeepEqual(madeUpDay(kind, 2).orders, day.orders);
    assert.equal(hopelessOf(day), 0, kind);
    const widths = day.orders.map(({ window }) => window!.until - window!.from);
    const [least, most] = kind.endsWith('1') ? [19, 41] : [59, 121];
    assert.ok(Math.min(...widths) >= least && Math.max(...widths) <= most, kind);
  }
});

test('made-up places lie around few centres by their class', () => {
  /** The squares of a kilometre that hold a door. */
  const squares = (kind: (typeof MADE_UP_CLASSES)[number]) =>
    new Set(
      madeUpDay(kind, 1).orders.map(({ dropOff: { x, y } }) => `${Math.floor(x / 1_000)},${Math.floor(y / 1_000)}`),
    ).size;
  assert.ok(squares('c1') < squares('rc1') && squares('rc1') < squares('r1'));
});

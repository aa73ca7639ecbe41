import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type {
  FreeAgent,
  OpenOrder,
  PlannedOffer,
  RoundView,
  Slot,
} from '../../../engine/domain/assignment/round-view.ts';
import { planRound } from '../../../engine/domain/planning/plan-round.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { agent, NOW, order, roundView } from './round-fixture.ts';

const SEED = 20_261_125;
const MINUTE = 60_000;
const east = (thousandths: number) => ({ latitude: 0, longitude: thousandths / 1_000 });
const minutes = (of: number) => NOW + of * MINUTE;
const planned = (orders: readonly OpenOrder[], agents: readonly FreeAgent[], nextRoundAt = NOW + 240 * MINUTE) =>
  planRound(roundView(orders, agents, { nextRoundAt }), straightTravel);
const who = ({ offers }: ReturnType<typeof planned>) => offers.map(({ agentId, taskIds }) => [agentId, taskIds]);

describe('a round with windows', () => {
  test('a round with windows serves what is due before what costs less to serve first', () => {
    const near = order({ taskId: 1, dropoff: east(9), searchingSince: NOW - 5 * MINUTE });
    const far = order({ taskId: 2, dropoff: east(-11) });
    assert.deepEqual(who(planned([near, far], [agent(1)])), [[1, [1]]]);
    const due = { ...far, dueAt: NOW + straightTravel(east(1), east(-11), 'car').ms };
    assert.deepEqual(who(planned([near, due], [agent(1)])), [[1, [2]]]);
    // Somebody else comes the longer way where that is the only one in time.
    const other = agent(30, { place: east(-25) });
    const both = [
      { ...near, dueAt: NOW + 5 * MINUTE },
      { ...due, dueAt: NOW + 8 * MINUTE },
    ];
    assert.deepEqual(who(planned(both, [agent(1), other])), [
      [1, [1]],
      [30, [2]],
    ]);
  });

  test('a round with windows has nobody leave for a window before it would wait at the door', () => {
    const orders = [order({ dropoff: east(10), windowStart: minutes(60), dueAt: minutes(90) })];
    const { offers, unplanned } = planned(orders, [agent(1)], NOW + 5 * MINUTE);
    assert.deepEqual([offers, unplanned[0]!.why, unplanned[0]!.counts], [[], 'held', { not_ready: 1 }]);
    const [offer] = planned(orders, [agent(1)], NOW + 59 * MINUTE).offers;
    assert.equal(offer!.etaMs[0], 60 * MINUTE);
    const [stop] = offer!.stops;
    assert.equal(stop!.arriveMs + stop!.waitMs, 60 * MINUTE);
    assert.ok(stop!.waitMs > 50 * MINUTE);
  });

  test('a round with windows plans what cannot be on time with anybody the soonest possible, and says how late', () => {
    const orders = [order({ dropoff: east(10), dueAt: minutes(1) })];
    const [offer, ...others] = planned(orders, [agent(1, { place: east(90) }), agent(2, { place: east(50) })]).offers;
    assert.deepEqual([others, offer!.agentId], [[], 2]);
    assert.ok(Math.abs(offer!.stops[0]!.lateMs - (offer!.etaMs[0]! - MINUTE)) < 1);
  });

  test('a round with windows takes as long at each door as its task says', () => {
    const shop = { pickup: east(2), pickupKey: 'shop' };
    const bundle = [
      order({ ...shop, taskId: 1, dropoff: east(5), serviceMs: 20 * MINUTE }),
      order({ ...shop, taskId: 2, dropoff: east(6) }),
    ];
    const [offer] = planned(bundle, [agent(1)]).offers;
    const wayMs = straightTravel(east(5), east(6), 'car').ms;
    assert.deepEqual(offer!.taskIds, [2, 1]);
    assert.ok(Math.abs(offer!.etaMs[1]! - offer!.etaMs[0]! - MINUTE - wayMs) < 1);
  });

  test('a round with windows fits an order in before a stop that the agent waits for, where that stays on time', () => {
    const waits = (dueAt: number) =>
      agent(1, { laterStops: [{ place: east(1), earliest: minutes(30), serviceMs: MINUTE, dueAt, weight: 1 }] });
    const orders = [order({ dropoff: east(40) })];
    const far = agent(300, { place: east(150) });
    assert.deepEqual(who(planned(orders, [waits(minutes(35)), far])), [[1, [1]]]);
    // There and back takes longer than it waits.
    const wayMs = 2 * straightTravel(east(1), east(120), 'car').ms;
    assert.ok(wayMs > 35 * MINUTE);
    const farther = [order({ dropoff: east(120) })];
    const [offer] = planned(farther, [waits(minutes(35))]).offers;
    assert.ok(Math.abs(offer!.etaMs[0]! - 31 * MINUTE - wayMs / 2) < 1, 'it comes after that stop');
    assert.deepEqual(who(planned(farther, [waits(minutes(35)), far])), [[300, [1]]]);
  });

  test('a round with windows ends at home before the shift does, and keeps the breaks free', () => {
    const shift = (fields: object) => agent(1, { shift: { endsAt: minutes(480), breaks: [], home: null, ...fields } });
    const orders = [order({ dropoff: east(40) })];
    const [free] = planned(orders, [shift({})]).offers;
    const doneMs = free!.etaMs[0]! + MINUTE;
    assert.equal(planned(orders, [shift({ endsAt: NOW + doneMs })]).offers.length, 1);
    assert.equal(planned(orders, [shift({ endsAt: NOW + doneMs - 1_000 })]).offers.length, 0);
    assert.equal(planned(orders, [shift({ endsAt: NOW + doneMs + MINUTE, home: east(1) })]).offers.length, 0);
    const [paused] = planned(orders, [shift({ breaks: [{ from: minutes(1), until: minutes(31) }] })]).offers;
    assert.ok(Math.abs(paused!.etaMs[0]! - free!.etaMs[0]! - 31 * MINUTE) < 1);
  });
});

test('an order behind a stop that a break puts off is brought behind both', () => {
  const laterStops = [{ place: east(1), earliest: minutes(30), serviceMs: 20 * MINUTE, dueAt: null, weight: 1 }];
  const orders = [order({ dropoff: east(1), serviceMs: 45 * MINUTE })];
  const etaWith = (breaks: readonly Slot[]) =>
    planned(orders, [agent(1, { laterStops, shift: { endsAt: minutes(600), breaks, home: null } })]).offers[0]!.etaMs;
  // The other stop would end ten minutes into the break: it takes twenty minutes after it. So long an order has no room before.
  assert.deepEqual(etaWith([{ from: minutes(40), until: minutes(60) }]), [80 * MINUTE]);
  assert.deepEqual(etaWith([{ from: minutes(100), until: minutes(120) }]), [0]);
});

const spot = fc.record({ latitude: fc.integer({ min: -40, max: 40 }), longitude: fc.integer({ min: -40, max: 40 }) });
const town = spot.map(({ latitude, longitude }) => ({ latitude: latitude / 1_000, longitude: longitude / 1_000 }));
const inDay = fc.integer({ min: -60, max: 180 }).map(minutes);
const pause = fc.record({ from: fc.integer({ min: 0, max: 120 }), minutes: fc.integer({ min: 5, max: 40 }) });

function rounds(): fc.Arbitrary<RoundView> {
  const nextRoundAt = fc.constantFrom(minutes(1), minutes(300));
  const orders = fc.array(
    fc.record({
      key: fc.nat(2),
      dropoff: town,
      windowStart: fc.option(inDay),
      dueAt: fc.option(inDay),
      readyAt: fc.option(inDay),
      serviceMs: fc.option(fc.nat(15).map((of) => of * MINUTE)),
    }),
    { maxLength: 10 },
  );
  const laterStop = fc.record({
    place: town,
    earliest: fc.integer({ min: 15, max: 120 }).map(minutes),
    serviceMs: fc.constant(MINUTE),
    dueAt: fc.option(inDay),
    weight: fc.constant(1),
  });
  const shift = fc.record({
    endsAt: fc.integer({ min: 20, max: 240 }).map(minutes),
    breaks: fc.array(
      pause.map((one) => ({ from: minutes(one.from), until: minutes(one.from + one.minutes) })),
      { maxLength: 2 },
    ),
    home: fc.option(town),
  });
  const agents = fc.array(
    fc.record({
      place: town,
      freeAt: inDay,
      laterStops: fc.array(laterStop, { maxLength: 2 }),
      shift: fc.option(shift),
    }),
    { minLength: 1, maxLength: 5 },
  );
  return fc.tuple(orders, agents, nextRoundAt).map(([someOrders, someAgents, next]) =>
    roundView(
      someOrders.map(({ key, ...each }, taskId) =>
        order({ taskId, pickup: east(key * 7), pickupKey: `${key}`, ...each }),
      ),
      someAgents.map((each, number) => agent(number + 1, each)),
      { nextRoundAt: next },
    ),
  );
}

/** Carries an offer out by its own times, and says when the agent is done. */
function carriedOut({ orders, settings }: RoundView, who: FreeAgent, offer: PlannedOffer) {
  const [fetched, ...doors] = offer.stops;
  const ofTask = new Map(orders.map((each) => [each.taskId, each]));
  const mine = offer.taskIds.map((taskId) => ofTask.get(taskId)!);
  const { pickup } = mine[0]!;
  const halfMs = settings.pickupServiceMs / 2;
  const ready = Math.max(...mine.map(({ readyAt }) => readyAt ?? 0));
  const reached = NOW + fetched!.arriveMs;
  let at = Math.max(reached + halfMs, ready) + halfMs;
  assert.ok(Math.abs(fetched!.waitMs - Math.max(0, ready - reached - halfMs)) < 1);
  let place = pickup!;
  for (const [index, { dropoff, windowStart, dueAt, serviceMs }] of mine.entries()) {
    const { arriveMs, waitMs, lateMs } = doors[index]!;
    at += straightTravel(place, dropoff!, who.vehicleType).ms;
    assert.ok(Math.abs(NOW + arriveMs - at) < 1);
    const beginAt = NOW + arriveMs + waitMs;
    assert.ok(beginAt >= (windowStart ?? 0) - 1e-3, 'served before its window');
    assert.ok(Math.abs(waitMs - Math.max(0, (windowStart ?? 0) - at)) < 1);
    assert.ok(Math.abs(lateMs - Math.max(0, beginAt - (dueAt ?? beginAt))) < 1);
    at = beginAt + (serviceMs ?? settings.dropoffServiceMs);
    place = dropoff!;
  }
  return { from: reached, until: at, place };
}

test('no plan serves before a window, ends after a shift, or leads into a break', () => {
  let [late, waiting, bound] = [0, 0, 0];
  fc.assert(
    fc.property(rounds(), (view) => {
      for (const offer of planRound(view, straightTravel).offers) {
        const who = view.agents.find(({ agentId }) => agentId === offer.agentId)!;
        const { from, until, place } = carriedOut(view, who, offer);
        late += offer.stops.some(({ lateMs }) => lateMs > 0) ? 1 : 0;
        waiting += offer.stops.some(({ kind, waitMs }) => kind === 'dropoff' && waitMs > 0) ? 1 : 0;
        if (!who.shift) continue;
        bound += 1;
        const { home, endsAt, breaks } = who.shift;
        const homeMs = home ? straightTravel(place, home, who.vehicleType).ms : 0;
        assert.ok(until + homeMs <= endsAt + 1, 'ends after the shift');
        for (const each of breaks) assert.ok(until <= each.from + 1 || from >= each.until - 1, 'leads into a break');
      }
    }),
    { seed: SEED, numRuns: 600 },
  );
  assert.ok(late > 50 && waiting > 50 && bound > 50, `${late} ${waiting} ${bound}`);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type {
  FreeAgent,
  OpenOrder,
  Place,
  RoundSettings,
  RoundView,
} from '../../../../engine/domain/assignment/round-view.ts';
import { lookAhead } from '../../../../engine/domain/planning/look-ahead.ts';
import { LotMaker } from '../../../../engine/domain/planning/lot-maker.ts';
import { matchLots } from '../../../../engine/domain/planning/match-lots.ts';
import { straightTravel } from '../../../../engine/domain/travel/straight-travel.ts';
import { rounds } from '../../../support/runner/rounds.ts';
import { agent, NOW, order, roundView } from '../../planning/round-fixture.ts';

const MINUTE = 60_000;
const SEED = 20_261_122;
const east = (thousandths: number): Place => ({ latitude: 0, longitude: thousandths / 1_000 });

/** The work of each agent in order, and its cost; bundles come from here alone. */
function lookedAhead(view: RoundView): { trips: number[][][]; costs: number[] } {
  const maker = new LotMaker(view, straightTravel);
  const singles = maker.singles();
  const itineraries = lookAhead(matchLots(singles, view.agents.length), singles, view, maker);
  return {
    trips: view.agents.map((_, number) =>
      itineraries.of(number).map(({ orders }) => orders.map(({ taskId }) => taskId)),
    ),
    costs: view.agents.map((_, number) => itineraries.costOf(number)),
  };
}

function tripsOf(orders: readonly OpenOrder[], agents: readonly FreeAgent[]): number[][][] {
  return lookedAhead(roundView(orders, agents)).trips;
}

/** Orders that one agent fetches and brings one after the other, by the book: without bundles. */
function costByTheBook(view: RoundView, who: FreeAgent, orders: readonly OpenOrder[]): number {
  const { now, settings } = view;
  const way = (from: Place, to: Place) => straightTravel(from, to, who.vehicleType).ms;
  let [place, at, cost] = [who.place, Math.max(now, who.freeAt), 0];
  for (const { pickup, dropoff, readyAt, searchingSince } of orders) {
    at += way(place, pickup ?? dropoff!) + (pickup ? settings.pickupServiceMs / 2 : 0);
    at = Math.max(at, readyAt ?? now, now);
    if (pickup) at += settings.pickupServiceMs / 2 + way(pickup, dropoff!);
    const waitedMs = Math.max(0, now - Math.max(searchingSince, readyAt ?? searchingSince));
    cost += Math.min(10, 1 + waitedMs / (30 * MINUTE)) * (at - now);
    at += settings.dropoffServiceMs;
    place = dropoff!;
  }
  return cost;
}

/** All that an order taken out and put elsewhere, or two agents changing their ends or single orders, would make of it. */
function* neighbours(trips: readonly (readonly number[])[]): Generator<readonly (readonly number[])[]> {
  for (const [from, one] of trips.entries()) {
    for (const [at, taskId] of one.entries()) {
      const rest = trips.with(from, one.toSpliced(at, 1));
      for (const [to, other] of rest.entries())
        for (let place = 0; place <= other.length; place += 1) yield rest.with(to, other.toSpliced(place, 0, taskId));
    }
    for (let to = from + 1; to < trips.length; to += 1) {
      const other = trips[to]!;
      for (let at = 0; at <= one.length; at += 1) {
        for (let its = 0; its <= other.length; its += 1) {
          const ends = [one.slice(0, at).concat(other.slice(its)), other.slice(0, its).concat(one.slice(at))] as const;
          yield trips.with(from, ends[0]).with(to, ends[1]);
          if (at === one.length || its === other.length) continue;
          yield trips.with(from, one.with(at, other[its]!)).with(to, other.with(its, one[at]!));
        }
      }
    }
  }
}

/** A few orders all over a town, and fewer agents. */
const towns: fc.Arbitrary<RoundView> = (() => {
  const thousandths = fc.integer({ min: -40, max: 40 }).map((step) => step / 1_000);
  const place = fc.record({ latitude: thousandths, longitude: thousandths });
  const at = fc.integer({ min: -40, max: 40 }).map((minutes) => NOW + minutes * MINUTE);
  const orders = fc.record({
    pickup: fc.option(place),
    dropoff: place,
    searchingSince: fc.nat(400).map((minutes) => NOW - minutes * MINUTE),
    readyAt: fc.option(at),
  });
  const agents = fc.record({ place, freeAt: at, vehicleType: fc.constantFrom('bicycle', 'car') });
  return fc
    .record({
      orders: fc.array(orders, { minLength: 2, maxLength: 6, size: 'max' }),
      agents: fc.array(agents, { minLength: 1, maxLength: 3, size: 'max' }),
    })
    .map((town) =>
      roundView(
        town.orders.map((fields, number) => order({ ...fields, taskId: number + 1 })),
        town.agents.map((fields, number) => agent(number + 1, fields)),
      ),
    );
})();

describe('an order that joins the itinerary of an agent', () => {
  for (const [where, taskId, others] of [
    ['first', 2, [3, 40]],
    ['in the middle', 40, [1, 42, 90]],
    ['last', 6, [1, 5]],
  ] as const) {
    test(`an order that joins the itinerary of an agent is put ${where} where that delays least`, () => {
      const to = (thousandths: number) => order({ taskId: thousandths, dropoff: east(thousandths) });
      // They are there before: the matching takes one that has waited, and what is ready later is put in later.
      const before = others.map((each) => ({ ...to(each), searchingSince: NOW - 5 * MINUTE }));
      const [trips] = tripsOf([...before, { ...to(taskId), readyAt: NOW }], [agent(0)]);
      assert.deepEqual(
        trips,
        [...others, taskId].sort((a, b) => a - b).map((each) => [each]),
      );
    });
  }

  test('an order that joins the itinerary of an agent is put where it costs less than at any other place and with any other agent', () => {
    fc.assert(
      fc.property(towns, (view) => {
        const { trips, costs } = lookedAhead(view);
        const found = trips.map((each) => each.flat());
        assert.deepEqual(
          found.flat().sort(),
          view.orders.map(({ taskId }) => taskId),
        );
        const cost = (taskIds: readonly number[], number: number) => {
          const orders = taskIds.map((taskId) => view.orders[taskId - 1]!);
          return costByTheBook(view, view.agents[number]!, orders);
        };
        const total = (each: readonly (readonly number[])[]) => each.map(cost).reduce((sum, one) => sum + one, 0);
        for (const [number, taskIds] of found.entries())
          assert.ok(Math.abs(costs[number]! - cost(taskIds, number)) < 1, `agent ${number}: ${costs[number]}`);
        const paid = total(found);
        // A millisecond is not worth a move.
        for (const other of neighbours(found))
          assert.ok(total(other) > paid - 2, `${JSON.stringify(other)}, not ${JSON.stringify(found)}`);
      }),
      { numRuns: rounds(150), seed: SEED },
    );
  });

  const shop = { pickup: east(1), pickupKey: 'shop' };

  test('an order that joins the itinerary of an agent travels with those of its own pickup place only, as many as may', () => {
    const orders = [1, 2, 3, 4].map((taskId) => order({ taskId, ...shop, dropoff: east(20 + taskId) }));
    const trips = (each: readonly OpenOrder[]) => tripsOf(each, [agent(0)])[0]!.map((trip) => trip.length);
    assert.deepEqual(trips(orders), [3, 1]);
    assert.deepEqual(trips(orders.map((each) => ({ ...each, pickupKey: `${each.taskId}` }))), [1, 1, 1, 1]);
    assert.deepEqual(trips(orders.map((each) => ({ ...each, pickupKey: null }))), [1, 1, 1, 1]);
  });

  for (const [why, who, wanted, settings] of [
    ['after the agent has gone off duty', { offDutyAt: NOW + 4 * MINUTE }, {}, {}],
    ['too far from where the agent will be', {}, {}, { maxDistanceM: 1_000 }],
    ['beside a scheduled task', {}, { slot: { from: NOW, until: NOW + 60 * MINUTE } }, {}],
  ] as const) {
    test(`an order that joins the itinerary of an agent is not put ${why}`, () => {
      const orders = [order({ taskId: 1, dropoff: east(-8), ...wanted }), order({ taskId: 2, dropoff: east(8.5) })];
      const trips = (limits: Partial<RoundSettings>, fields: Partial<FreeAgent>, each: readonly OpenOrder[]) =>
        lookedAhead(roundView(each, [agent(0, fields)], limits)).trips;
      assert.equal(trips(settings, who, orders)[0]!.length, 1);
      assert.equal(trips({}, {}, [{ ...orders[0]!, slot: null }, orders[1]!])[0]!.length, 2);
    });
  }

  test('an order that joins the itinerary of an agent is not taken from its preferred agent by one who fetches there anyway', () => {
    const orders = (preferredAgentId: number | null) => [
      order({ taskId: 1, ...shop, dropoff: east(20) }),
      order({ taskId: 2, ...shop, dropoff: east(21), preferredAgentId }),
    ];
    assert.deepEqual(tripsOf(orders(90), [agent(2), agent(90)]), [[[1]], [[2]]]);
    assert.deepEqual(tripsOf(orders(null), [agent(2), agent(90)]), [[[1, 2]], []]);
  });

  test('an order that joins the itinerary of an agent goes to one who fetches there anyway, though a dozen others are nearer', () => {
    const since = { searchingSince: NOW - 5 * MINUTE };
    const dozen = Array.from({ length: 12 }, (_, number) => number + 1);
    // Each of them has something to do far away that nobody else can.
    const skill = (number: number) => [`skill ${number}`];
    const orders = [
      ...dozen.map((taskId) => order({ taskId, dropoff: east(-60), requiredSkills: skill(taskId), ...since })),
      order({ taskId: 20, ...shop, dropoff: east(30), requiredSkills: ['cold'], ...since }),
      order({ taskId: 30, ...shop, dropoff: east(31) }),
    ];
    const agents = [
      ...dozen.map((number) => agent(number, { place: east(-5), skills: skill(number) })),
      agent(20, { place: east(9), skills: ['cold'] }),
    ];
    assert.deepEqual(tripsOf(orders, agents).at(-1), [[20, 30]]);
  });

  test('an order that joins the itinerary of an agent goes to the one who may take it, though a dozen who may not are nearer', () => {
    const load = { weightKg: 5, volumeM3: 0, packages: 1 };
    const place = (taskId: number) => ({ pickup: east(taskId), pickupKey: `${taskId}`, dropoff: east(20) });
    const capacity = { maxWeightKg: 4, maxVolumeM3: null, maxPackages: null };
    const small = Array.from({ length: 12 }, (_, number) => agent(number + 1, { capacity }));
    const orders = [1, 2].map((taskId) => order({ taskId, ...place(taskId), load }));
    assert.deepEqual(
      tripsOf(orders, [...small, agent(13)])
        .at(-1)!
        .flat()
        .toSorted(),
      [1, 2],
    );
  });

  test('a scheduled task joins no itinerary: one that the matching leaves out waits', () => {
    const first = order({ taskId: 1, dropoff: east(1), searchingSince: NOW - 5 * MINUTE });
    const other = order({ taskId: 2, dropoff: east(2) });
    const slot = { from: NOW, until: NOW + 60 * MINUTE };
    assert.deepEqual(tripsOf([first, other], [agent(0)]), [[[1], [2]]]);
    assert.deepEqual(tripsOf([first, { ...other, slot }], [agent(0)]), [[[1]]]);
  });

  test('an order that joins the itinerary of an agent leaves a scheduled task with its agent, however much a change would save', () => {
    const slot = { from: NOW, until: NOW + 60 * MINUTE };
    const orders = [
      order({ taskId: 1, dropoff: east(50), slot }),
      order({ taskId: 2, dropoff: east(2), requiredSkills: ['cold'] }),
      order({ taskId: 3, dropoff: east(60) }),
    ];
    const agents = [agent(49), agent(1, { skills: ['cold'] })];
    assert.deepEqual(tripsOf(orders, agents), [[[1]], [[2], [3]]]);
    assert.deepEqual(
      tripsOf(
        orders.map((each) => ({ ...each, slot: null })),
        agents,
      ),
      [[[1], [3]], [[2]]],
    );
  });
});

test('an order without a place is done where the agent is by then', () => {
  const orders = [order({ taskId: 1, dropoff: east(8) }), order({ taskId: 2, dropoff: null })];
  const view = roundView([...orders, order({ taskId: 3, dropoff: east(8) })], [agent(0)]);
  const maker = new LotMaker(view, straightTravel);
  const trips = maker.singles();
  const [there, nowhere, thereAgain] = [1, 2, 3].map(
    (taskId) => trips.find((lot) => lot.orders[0]!.taskId === taskId)!,
  );
  const itineraries = lookAhead(matchLots(trips, 1), trips, view, maker);
  const thereMs = itineraries.evaluate(0, [there!]);
  const doneMs = thereMs + MINUTE;
  assert.equal(itineraries.evaluate(0, [there!, nowhere!, thereAgain!]), thereMs + doneMs + doneMs);
});

test('the cost of an itinerary is reported only below the limit', () => {
  const view = roundView([order({ dropoff: east(3) })], [agent(0)]);
  const maker = new LotMaker(view, straightTravel);
  const trips = maker.singles();
  const itineraries = lookAhead(matchLots(trips, 1), trips, view, maker);
  const cost = itineraries.costOf(0);
  assert.equal(itineraries.evaluate(0, trips), cost);
  assert.equal(itineraries.evaluate(0, trips, cost + 1), cost);
  assert.equal(itineraries.evaluate(0, trips, cost), Number.POSITIVE_INFINITY);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { RoundView } from '../../../../engine/domain/assignment/round-view.ts';
import { LotMaker } from '../../../../engine/domain/planning/lot-maker.ts';
import { matchInBundles } from '../../../../engine/domain/planning/match-in-bundles.ts';
import { type Matching, matchLots, reducedCost } from '../../../../engine/domain/planning/match-lots.ts';
import { straightTravel } from '../../../../engine/domain/travel/straight-travel.ts';
import { rounds } from '../../../support/runner/rounds.ts';
import { agent, NOW, order, roundView } from '../../planning/round-fixture.ts';

const MINUTE = 60_000;
const SEED = 20_261_122;
const east = (thousandths: number) => ({ latitude: 0, longitude: thousandths / 1_000 });
const shop = { pickup: east(0), pickupKey: 'shop' };

function matched(view: RoundView): { readonly maker: LotMaker; readonly alone: Matching; readonly matching: Matching } {
  const maker = new LotMaker(view, straightTravel);
  const singles = maker.singles();
  return { maker, alone: matchLots(singles, view.agents.length), matching: matchInBundles(singles, view, maker) };
}

/** The orders of each agent, by its place in the view; absent orders have no agent. */
function taken({ lots, chosen }: Matching): [number | undefined, number[]][] {
  return lots.map(({ orders, candidates }, number) => [
    candidates.agents[chosen[number]!],
    orders.map(({ taskId }) => taskId),
  ]);
}

const towns: fc.Arbitrary<RoundView> = (() => {
  const thousandths = fc.integer({ min: -30, max: 30 }).map((step) => step / 1_000);
  const place = fc.record({ latitude: thousandths, longitude: thousandths });
  const shops = [east(-10), east(0), east(12)];
  const orders = fc.record({
    shop: fc.nat(shops.length - 1),
    dropoff: place,
    load: fc.record({ weightKg: fc.nat(3), volumeM3: fc.nat(3), packages: fc.nat(3) }),
    requiredSkills: fc.subarray(['cold', 'heavy']),
    declinedBy: fc.subarray([1, 2, 3]),
    searchingSince: fc.nat(200).map((minutes) => NOW - minutes * MINUTE),
    readyAt: fc.option(fc.integer({ min: -40, max: 40 }).map((minutes) => NOW + minutes * MINUTE)),
    preferredAgentId: fc.constantFrom(null, null, null, 2),
  });
  const limit = fc.option(fc.integer({ min: 3, max: 8 }));
  const agents = fc.record({
    place,
    capacity: fc.record({ maxWeightKg: limit, maxVolumeM3: limit, maxPackages: limit }),
    skills: fc.constantFrom([], ['cold'], ['cold', 'heavy'], ['cold', 'heavy']),
    openTasks: fc.nat(4),
    offDutyAt: fc.option(fc.nat(90).map((minutes) => NOW + minutes * MINUTE)),
    vehicleType: fc.constantFrom('bicycle', 'car'),
  });
  return fc
    .record({
      orders: fc.array(orders, { minLength: 2, maxLength: 12, size: 'max' }),
      agents: fc.array(agents, { minLength: 1, maxLength: 5, size: 'max' }),
      maxBundle: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ maxBundle, ...town }) =>
      roundView(
        town.orders.map(({ shop: number, ...fields }, taskId) =>
          order({ ...fields, taskId, pickup: shops[number]!, pickupKey: `${number}` }),
        ),
        town.agents.map((fields, number) => agent(number + 1, fields)),
        { maxBundle },
      ),
    );
})();

describe('matching in bundles', () => {
  test('matching in bundles joins orders of one place only, up to the limit, and gives them to agents that may take every one', () => {
    fc.assert(
      fc.property(towns, (view) => {
        const { maker, alone, matching } = matched(view);
        const { lots, chosen } = matching;
        assert.deepEqual(
          lots.flatMap(({ orders }) => orders.map(({ taskId }) => taskId)).sort((a, b) => a - b),
          view.orders.map(({ taskId }) => taskId),
        );
        assert.ok(matching.cost <= alone.cost, 'dearer than alone');
        let paid = 0;
        const busy = new Set<number>();
        for (const [number, { orders, candidates, costs, price }] of lots.entries()) {
          assert.ok(orders.length <= view.settings.maxBundle);
          assert.equal(new Set(orders.map(({ pickupKey }) => pickupKey)).size, 1);
          const taker = candidates.agents[chosen[number]!];
          paid += taker === undefined ? price : costs[chosen[number]!]!;
          if (taker === undefined) continue;
          const who = view.agents[taker]!;
          const reachAt = candidates.reachAts[chosen[number]!]!;
          assert.ok(!busy.has(taker), 'two trips at once');
          busy.add(taker);
          const sum = (part: 'weightKg' | 'volumeM3' | 'packages') =>
            orders.reduce((all, { load }) => all + load[part], 0);
          assert.ok(sum('weightKg') <= (who.capacity.maxWeightKg ?? 99), 'weight');
          assert.ok(sum('volumeM3') <= (who.capacity.maxVolumeM3 ?? 99), 'volume');
          assert.ok(sum('packages') <= (who.capacity.maxPackages ?? 99), 'packages');
          assert.ok(who.openTasks + orders.length <= view.settings.maxTasksPerAgent, 'tasks');
          const fetchAt = Math.max(
            reachAt + view.settings.pickupServiceMs / 2,
            ...orders.map((one) => one.readyAt ?? 0),
          );
          assert.ok(fetchAt <= (who.offDutyAt ?? fetchAt), 'off duty');
          for (const one of orders) {
            assert.ok(one.requiredSkills.every((skill) => who.skills.includes(skill)));
            assert.ok(!one.declinedBy.includes(who.agentId));
            assert.ok(!maker.isKeptFrom({ ...lots[number]!, orders: [one] }, taker));
          }
        }
        assert.ok(Math.abs(paid - matching.cost) < 1);
      }),
      { numRuns: rounds(300), seed: SEED },
    );
  });

  test('matching in bundles lets orders travel together where agents are short, not where somebody stands idle', () => {
    const orders = [1, 2].map((taskId) => order({ taskId, ...shop, dropoff: east(20 + taskId) }));
    assert.deepEqual(taken(matched(roundView(orders, [agent(0)], { maxBundle: 2 })).matching), [[0, [1, 2]]]);
    assert.deepEqual(taken(matched(roundView(orders, [agent(0), agent(1)])).matching), [
      [0, [1]],
      [1, [2]],
    ]);
    assert.deepEqual(
      taken(matched(roundView(orders, [agent(0), agent(500)])).matching),
      [[0, [1, 2]]],
      'the second one is far away',
    );
  });

  test('matching in bundles joins two orders exactly where that costs less than bringing them apart', () => {
    const home = fc.record({
      east: fc.integer({ min: -40, max: 40 }),
      waited: fc.nat(200),
      readyIn: fc.option(fc.integer({ min: -20, max: 20 })),
    });
    const places = fc.array(fc.integer({ min: -90, max: 90 }), { minLength: 2, maxLength: 4, size: 'max' });
    fc.assert(
      fc.property(home, home, places, (one, other, agents) => {
        const orders = [one, other].map((each, taskId) =>
          order({
            taskId,
            ...shop,
            dropoff: east(each.east),
            searchingSince: NOW - each.waited * MINUTE,
            readyAt: each.readyIn === null ? null : NOW + each.readyIn * MINUTE,
          }),
        );
        const view = roundView(
          orders,
          agents.map((place, number) => agent(number, { place: east(place) })),
        );
        const { maker, alone, matching } = matched(view);
        const joined = matchLots([maker.joined(alone.lots[0]!, alone.lots[1]!)], agents.length);
        // A millisecond is not worth a join.
        assert.ok(Math.abs(matching.cost - Math.min(alone.cost, joined.cost)) < 2);
      }),
      { numRuns: rounds(500), seed: SEED },
    );
  });

  for (const waitedMs of [0, 30 * MINUTE]) {
    test(`matching in bundles joins at each place only what it delays less than the next agent would, ${waitedMs} ms after it was asked for`, () => {
      const place = (at: number) => ({ pickup: east(at), pickupKey: `${at}`, searchingSince: NOW - waitedMs });
      const [here, there] = [place(0), place(3_000)];
      const orders = [
        order({ taskId: 1, ...here, dropoff: east(20) }),
        order({ taskId: 2, ...here, dropoff: east(21) }),
        order({ taskId: 3, ...there, dropoff: east(3_020) }),
        order({ taskId: 4, ...there, dropoff: east(3_021) }),
      ];
      // The second of two that travel together waits at the door of the first for 90 s. The next agent is 62 s away, there 624 s.
      const agents = [0, 3, 3_000, 3_030].map((at) => agent(at));
      const { matching } = matched(roundView(orders, agents, { dropoffServiceMs: 90_000 }));
      assert.deepEqual(taken(matching).toSorted(), [
        [0, [1]],
        [1, [2]],
        [2, [3, 4]],
      ]);
    });
  }

  test('matching in bundles joins for one who is quick what another one would bring slowly', () => {
    const orders = [21, 22].map((taskId) => order({ taskId, ...shop, dropoff: east(taskId) }));
    const agents = [agent(1, { place: east(0) }), agent(2, { place: east(0), vehicleType: 'foot' })];
    assert.deepEqual(taken(matched(roundView(orders, agents)).matching), [[0, [21, 22]]]);
  });

  test('matching in bundles joins the next best where nobody may take the best together', () => {
    const heavy = { weightKg: 2, volumeM3: 0, packages: 1 };
    const orders = [
      ...[31, 32].map((taskId) => order({ taskId, ...shop, dropoff: east(taskId), load: heavy })),
      ...[-21, -22].map((taskId) => order({ taskId, ...shop, dropoff: east(taskId) })),
    ];
    const capacity = { maxWeightKg: 3, maxVolumeM3: null, maxPackages: null };
    const { matching } = matched(roundView(orders, [agent(0, { capacity }), agent(1, { capacity })]));
    assert.equal(taken(matching).filter(([who, taskIds]) => who !== undefined && taskIds.length === 2).length, 1);
    assert.equal(taken(matching).filter(([who]) => who !== undefined).length, 2);
  });

  test('matching in bundles joins orders between whose ways another one leads', () => {
    const to = (taskId: number, northM: number, fields = {}) =>
      order({ taskId, ...shop, dropoff: { latitude: northM / 100_000, longitude: 0.03 }, ...fields });
    const orders = [
      to(1, -300),
      to(2, 0, { readyAt: NOW + 60 * MINUTE }),
      to(3, 300),
      order({ taskId: 4, ...shop, dropoff: east(-30) }),
    ];
    const { matching } = matched(roundView(orders, [agent(0), agent(1), agent(2)]));
    assert.ok(taken(matching).some(([, taskIds]) => taskIds.toSorted().join() === '1,3'));
  });

  test('matching in bundles joins those first that it saves most', () => {
    const [there, back] = [
      [21, 22],
      [-21, -22],
    ].map((ways) => ways.map((way) => order({ taskId: way, ...shop, dropoff: east(way) })));
    const { matching } = matched(roundView([there![0]!, back![0]!, there![1]!, back![1]!], [agent(0), agent(1)]));
    assert.deepEqual(
      taken(matching)
        .map(([, taskIds]) => taskIds)
        .sort((a, b) => a[0]! - b[0]!),
      [
        [-21, -22],
        [21, 22],
      ],
    );
  });

  describe('of more orders than can be matched again and again', () => {
    const SPOKES = 64;
    const town = { latitude: 0.5, longitude: 13 };
    /** All from one place, neighbours by number in other directions. */
    const rush = (orders: number, agents: number) =>
      matched(
        roundView(
          Array.from({ length: orders }, (_, taskId) => {
            const angle = ((taskId % SPOKES) / SPOKES) * 2 * Math.PI;
            const way = 0.02 + taskId / 100_000;
            const dropoff = {
              latitude: town.latitude + way * Math.sin(angle),
              longitude: town.longitude + way * Math.cos(angle),
            };
            return order({ taskId, pickup: town, pickupKey: 'shop', dropoff });
          }),
          Array.from({ length: agents }, (_, number) => {
            const longitude = town.longitude + number / 100_000;
            return agent(number, { place: { ...town, longitude } });
          }),
        ),
      );

    test('matching of more orders than can be matched again and again joins as many as outnumber the agents, those that lead the same way', () => {
      const { alone, matching } = rush(1_400, 1_000);
      assert.ok(alone.lots.reduce((sum, { costs }) => sum + costs.length, 0) > 30_000);
      assert.equal(matching.lots.length, 1_000);
      for (const [, taskIds] of taken(matching))
        assert.equal(new Set(taskIds.map((taskId) => taskId % SPOKES)).size, 1, `${taskIds}`);
    });

    test('matching of more orders than can be matched again and again joins as many as may travel together where there are fewer agents than pairs', () => {
      const sizes = rush(1_400, 600).matching.lots.map(({ orders }) => orders.length);
      assert.equal(Math.max(...sizes), 3);
    });

    test('matching of more orders than can be matched again and again joins none where there is an agent for each', () => {
      assert.equal(rush(1_400, 1_500).matching.lots.length, 1_400);
    });
  });
});

test('a lot costs at least what it costs with the agent that is cheapest with its worth, or without any', () => {
  const { alone } = matched(roundView([order({ dropoff: east(3) })], [agent(1), agent(2)]));
  const [lot] = alone.lots;
  const of = (agentNumber: number) => lot!.costs[lot!.candidates.agents.indexOf(agentNumber)]!;
  assert.equal(reducedCost(lot!, Float64Array.of(0, 0)), of(1));
  assert.equal(reducedCost(lot!, Float64Array.of(0, 10 * MINUTE)), of(0));
  assert.equal(reducedCost(lot!, Float64Array.of(1e12, 1e12)), lot!.price);
});

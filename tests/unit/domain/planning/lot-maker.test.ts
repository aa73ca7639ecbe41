import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FreeAgent, OpenOrder } from '../../../../engine/domain/assignment/round-view.ts';
import { LotMaker } from '../../../../engine/domain/planning/lot-maker.ts';
import { type Lot, matchLots } from '../../../../engine/domain/planning/match-lots.ts';
import { straightTravel } from '../../../../engine/domain/travel/straight-travel.ts';
import { agent, NOW, order, roundView } from '../../planning/round-fixture.ts';

const MINUTE = 60_000;
const east = (thousandths: number) => ({ latitude: 0, longitude: thousandths / 1_000 });
const shop = { pickup: east(0), pickupKey: 'shop', dropoff: east(20) };
const many = <T>(count: number, make: (number: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

function lotsOf(orders: readonly OpenOrder[], agents: readonly FreeAgent[]): Lot[] {
  return new LotMaker(roundView(orders, agents), straightTravel).singles();
}

/** Those of the agents who may take it, by their ids. */
function takersOf({ candidates, costs }: Lot, agents: readonly FreeAgent[]): number[] {
  const takers = candidates.agents.filter((_, at) => costs[at]! < Number.POSITIVE_INFINITY);
  return takers.map((taker) => agents[taker]!.agentId);
}

describe('orders that many fetch at one place', () => {
  const agents = many(60, (number) => agent(number + 1));

  for (const [why, fields] of [
    ['have all they may have', { openTasks: 5 }],
    ['have gone off duty', { offDutyAt: NOW - 1 }],
    ['have not been seen for long', { isStale: true }],
  ] as const) {
    test(`orders that many fetch at one place find somebody each, though each looks at a few, and those who are nearer ${why}`, () => {
      const others = many(60, (number) => agent(number + 101, { place: east(0), ...fields }));
      const lots = lotsOf(
        many(40, (taskId) => order({ ...shop, taskId })),
        [...others, ...agents],
      );
      assert.ok(lots.every(({ candidates }) => candidates.agents.length === 24));
      assert.ok(matchLots(lots, others.length + agents.length).chosen.every((candidate) => candidate >= 0));
    });
  }

  test('orders that many fetch at one place look at those who are there soonest in the order in which they are ready', () => {
    const lots = lotsOf(
      many(40, (taskId) => order({ ...shop, taskId, readyAt: NOW - taskId * MINUTE })),
      agents,
    );
    const looksAtFirst = lots.filter((lot) => takersOf(lot, agents).includes(1)).map(({ orders }) => orders[0]!.taskId);
    assert.ok(looksAtFirst.includes(39), 'the one that was ready first');
    assert.ok(!looksAtFirst.includes(0), 'the one that was ready last');
  });

  test('orders that many fetch at one place look, of those that were ready at once, in the order in which they were placed', () => {
    const orders = many(40, (taskId) => order({ ...shop, taskId, placedAt: NOW - taskId * MINUTE, readyAt: NOW }));
    const looksAtFirst = lotsOf(orders, agents).filter((lot) => takersOf(lot, agents).includes(1));
    const taskIds = looksAtFirst.map((lot) => lot.orders[0]!.taskId);
    assert.ok(taskIds.includes(39) && !taskIds.includes(0), `${taskIds}`);
  });

  test('orders that many fetch at one place begin again with the nearest where there are more of them than agents', () => {
    const lots = lotsOf(
      many(120, (taskId) => order({ ...shop, taskId })),
      agents,
    );
    assert.ok(lots.every(({ candidates }) => candidates.agents.length === 24));
    const looksAtFirst = lots.filter((lot) => takersOf(lot, agents).includes(1)).map(({ orders }) => orders[0]!.taskId);
    assert.ok(looksAtFirst.includes(0) && !looksAtFirst.includes(59) && looksAtFirst.includes(60), `${looksAtFirst}`);
  });

  test('orders that many fetch at one place know of each agent that they look at how far it is and when it is there, of equals the first one first', () => {
    const alike = many(60, (number) => agent(number + 1, { place: east(1 + Math.floor(number / 3)) }));
    const maker = new LotMaker(
      roundView(
        many(40, (taskId) => order({ ...shop, taskId })),
        alike,
      ),
      straightTravel,
    );
    for (const { candidates } of maker.singles()) {
      const { agents: looked, distancesM, reachAts } = candidates;
      assert.deepEqual(
        looked.map((number, at) => ({ agent: number, distanceM: distancesM[at], reachAt: reachAts[at] })),
        looked.map((number) => maker.map.candidate(number, shop.pickup)),
      );
      assert.deepEqual(
        looked,
        looked.toSorted((a, b) => a - b),
      );
    }
  });
});

describe('an order that few of those near it may take', () => {
  const near = many(20, (number) => agent(number + 1));
  const far = many(20, (number) => agent(number + 101));
  const slot = { from: NOW + 60 * MINUTE, until: NOW + 90 * MINUTE };

  for (const [why, wanted, unfit, fit] of [
    ['for want of a skill', { requiredSkills: ['cold'] }, {}, { skills: ['cold'] }],
    ['as their time is taken', { slot }, { slots: [slot] }, {}],
  ] as const) {
    test(`an order that few of those near it may take ${why} is shown to others farther away, wherever it is fetched`, () => {
      const agents = [
        ...near.slice(1).map((each) => ({ ...each, ...unfit })),
        ...[near[0]!, ...far].map((each) => ({ ...each, ...fit })),
      ];
      for (const pickupKey of ['shop', null]) {
        const [lot] = lotsOf([order({ ...shop, pickupKey, ...wanted })], agents);
        assert.deepEqual(
          takersOf(lot!, agents).slice(0, 8),
          [1, 101, 102, 103, 104, 105, 106, 107],
          `fetched at ${pickupKey ?? 'a place of its own'}`,
        );
      }
    });
  }

  test('an order that few of those near it may take is shown to the one who may, however many others are nearer', () => {
    const agents = [...many(300, (number) => agent(number + 1)), agent(400, { skills: ['cold'] })];
    assert.deepEqual(takersOf(lotsOf([order({ ...shop, requiredSkills: ['cold'] })], agents)[0]!, agents), [400]);
  });

  test('an order that few of those near it may take is shown to the nearest fifty at least, however many orders are like it', () => {
    const agents = [...many(44, (number) => agent(number + 1)), agent(45, { skills: ['cold'] })];
    const orders = many(5_000, (taskId) => order({ taskId, requiredSkills: ['cold'] }));
    assert.ok(lotsOf(orders, agents).every((lot) => takersOf(lot, agents).length === 1));
  });

  test('an order that few of those near it may take takes another one along among those who may take itself', () => {
    const agents = [...near, ...far.map((each) => ({ ...each, skills: ['cold'] }))];
    const orders = [
      order({ ...shop, taskId: 1, requiredSkills: ['cold'] }),
      order({ ...shop, taskId: 2, requiredSkills: ['cold'] }),
      order({ ...shop, taskId: 3 }),
    ];
    const maker = new LotMaker(roundView(orders, agents), straightTravel);
    const single = (taskId: number) => maker.singles().find((lot) => lot.orders[0]!.taskId === taskId)!;
    const pair = maker.joined(single(1), single(2));
    for (const three of [maker.joined(pair, single(3)), maker.joined(single(3), pair)])
      assert.equal(takersOf(three, agents)[0], 101);
  });

  test('an order that the agents near it cannot take before their work ends is shown to others who are in time', () => {
    const agents = [...near.map((each) => ({ ...each, offDutyAt: NOW + 1 })), ...far];
    assert.ok(takersOf(lotsOf([order(shop)], agents)[0]!, agents).includes(101));
  });

  test('an order is shown to others when the agents near it have as many tasks as they may have', () => {
    const agents = [...near.map((each) => ({ ...each, openTasks: 5 })), ...far];
    assert.ok(takersOf(lotsOf([order(shop)], agents)[0]!, agents).includes(101));
  });
});

describe('the candidates for an order', () => {
  test('the candidates for an order are the nearest of the idle and of the busy, the first to be there first', () => {
    const busy = many(20, (number) => agent(number + 1, { freeAt: NOW + 1 }));
    const idle = many(20, (number) => agent(number + 101));
    const agents = [...idle, ...busy];
    const [lot] = lotsOf([order({ ...shop, pickupKey: null })], agents);
    const nearest = (each: readonly FreeAgent[]) => each.slice(0, 13).map(({ agentId }) => agentId);
    assert.deepEqual(takersOf(lot!, agents), [...nearest(busy), ...nearest(idle)]);
  });

  test('the candidates for an order may go off duty now, where they stand beside it', () => {
    const agents = [agent(1, { offDutyAt: NOW }), agent(2, { offDutyAt: NOW })];
    const [lot] = lotsOf([order({ dropoff: east(1) })], agents);
    assert.deepEqual(takersOf(lot!, agents), [1]);
  });
});

describe('the preferred agent', () => {
  for (const [when, fields, isKept] of [
    ['is free', {}, true],
    ['is free in ten minutes', { freeAt: NOW + 10 * MINUTE }, true],
    ['is free a moment later', { freeAt: NOW + 10 * MINUTE + 1 }, false],
    ['may not take it', { openTasks: 5 }, false],
  ] as const) {
    test(`an agent ${when} ${isKept ? 'alone is' : 'is not the only one'} asked for the order`, () => {
      const [preferred, other] = [agent(9, fields), agent(1)];
      const view = roundView([order({ ...shop, preferredAgentId: 9 })], [other, preferred]);
      const maker = new LotMaker(view, straightTravel);
      const [lot] = maker.singles();
      assert.equal(maker.isKeptFrom(lot!, 0), isKept);
      assert.equal(maker.isKeptFrom(lot!, 1), false);
      assert.equal(takersOf(lot!, view.agents).includes(1), !isKept);
    });
  }

  test('an agent outside the round leaves the order to the others', () => {
    const [lot] = lotsOf([order({ preferredAgentId: 9 })], [agent(1)]);
    assert.deepEqual(takersOf(lot!, [agent(1)]), [1]);
  });
});

describe('the cost of an order', () => {
  const way = (who: FreeAgent) => straightTravel(who.place, shop.pickup, who.vehicleType).ms;
  const home = (vehicleType: string) => straightTravel(shop.pickup, shop.dropoff, vehicleType).ms;

  for (const [what, wanted, who, fetched] of [
    ['the way there and half of the service', {}, agent(3), (each: FreeAgent) => way(each) + MINUTE / 2],
    [
      'everything for an agent that goes slower',
      {},
      agent(3, { vehicleType: 'bicycle' }),
      (each: FreeAgent) => way(each) + MINUTE / 2,
    ],
    [
      'what the agent has to do before',
      {},
      agent(3, { freeAt: NOW + 7 * MINUTE }),
      (each: FreeAgent) => 7 * MINUTE + way(each) + MINUTE / 2,
    ],
    ['the wait until it is ready', { readyAt: NOW + 90 * MINUTE }, agent(3), () => 90 * MINUTE],
    [
      'the wait for its time',
      { slot: { from: NOW + 90 * MINUTE, until: NOW + 99 * MINUTE } },
      agent(3),
      () => 90 * MINUTE,
    ],
    [
      'the wait until it is ready in its time',
      { slot: { from: NOW + 80 * MINUTE, until: NOW + 99 * MINUTE }, readyAt: NOW + 90 * MINUTE },
      agent(3),
      () => 90 * MINUTE,
    ],
  ] as const) {
    test(`the cost of an order is ${what}, and the way to the door`, () => {
      const others = [agent(500, { vehicleType: 'foot' })];
      for (const agents of [
        [who, ...others],
        [...others, who],
      ]) {
        const [lot] = lotsOf([order({ ...shop, ...wanted })], agents);
        const cost = lot!.costs[lot!.candidates.agents.indexOf(agents.indexOf(who))]!;
        const expected = fetched(who) + MINUTE / 2 + home(who.vehicleType!);
        assert.ok(Math.abs(cost - expected) < 1, `${cost}, not ${expected}`);
      }
    });
  }

  test('the cost of an order weighs more the longer somebody is looked for, and so does leaving it out', () => {
    const [fresh, old] = [0, 30].map((minutes) => {
      const [lot] = lotsOf([order({ ...shop, searchingSince: NOW - minutes * MINUTE })], [agent(3)]);
      return lot!;
    });
    assert.equal(old!.costs[0], 2 * fresh!.costs[0]!);
    assert.equal(old!.price - fresh!.price, 30 * MINUTE);
  });
});

test('orders that travel together lose the detour and the wait for the last one ready', () => {
  const maker = new LotMaker(
    roundView(
      [order({ ...shop, taskId: 1 }), order({ ...shop, taskId: 2, readyAt: NOW + 9 * MINUTE, dropoff: east(25) })],
      [agent(1)],
    ),
    straightTravel,
  );
  const [one, other] = maker.singles().sort((a, b) => a.orders[0]!.taskId - b.orders[0]!.taskId);
  const round = straightTravel(shop.dropoff, east(25), 'car').ms - straightTravel(shop.pickup, east(25), 'car').ms;
  // The second begins where the first is, its service behind it.
  const expected = 9 * MINUTE + straightTravel(shop.pickup, shop.dropoff, 'car').ms + round + MINUTE;
  for (const [a, b] of [
    [one!, other!],
    [other!, one!],
  ] as const) {
    const delay = maker.delayOnRoute(maker.route(a, b), a, b);
    assert.ok(Math.abs(delay - expected) < 1, `${delay}, not ${expected}`);
  }
});

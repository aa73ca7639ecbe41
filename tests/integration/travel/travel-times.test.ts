import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { pino } from 'pino';
import type { Place, RoundView } from '../../../engine/domain/assignment/round-view.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createTravelTimes, type RoutingEngine, type TravelTimes } from '../../../engine/travel/travel-times.ts';
import { travelOver } from '../../../engine/travel/trip-table.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { agentAt, at, orderFrom, roundOf } from '../../support/services/town.ts';
import { until } from '../../support/until.ts';
import { roadSeconds, type StandInEngine, startStandInEngine } from './stand-in-routing-engine.ts';

let engine: StandInEngine;
let opened: TravelTimes[] = [];
let lines: string[] = [];
/** The time passed by the clock of the travel times, in milliseconds more than the system's. */
let ahead = 0;
/** The moment at which that clock stands still, by the system's. */
let stillAtMs: number | undefined;

beforeEach(async () => {
  engine = await startStandInEngine();
  [opened, lines, ahead, stillAtMs] = [[], [], 0, undefined];
});
afterEach(async () => {
  await Promise.all(opened.map((travel) => travel.stop()));
  await engine.close();
});

function open(given: Partial<RoutingEngine> = {}): TravelTimes {
  const monotonic = () => (stillAtMs ?? systemClock.monotonic()) + ahead;
  const clock = { now: () => systemClock.now() + ahead, monotonic };
  const travel = createTravelTimes({
    engine: { url: engine.url, kind: 'osrm', ...given },
    clock,
    scheduler: systemScheduler,
    log: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
  });
  opened.push(travel);
  return travel;
}

/** The possible distance of two places in one cell, at both ends of a way. */
const CELL_SECONDS = 25;

const CAR = at(-2_000, 0);
const SHOP = at(0, 0);
const HOME = at(3_000, 1_000);
const small = roundOf([agentAt(CAR)], [orderFrom(SHOP, HOME)]);

/** As many agents as orders, all over the town. */
function round(count: number): RoundView {
  const spread = (index: number, step: number): Place =>
    at(((index * 613) % 9_000) - 4_500, ((index * step) % 9_000) - 4_500);
  const agents = Array.from({ length: count }, (_, index) => agentAt(spread(index, 431), { agentId: index }));
  const orders = Array.from({ length: count }, (_, index) => orderFrom(spread(index, 733), spread(index, 1_327)));
  return roundOf(agents, orders);
}

/** Prepares again and again until all ways that are wanted are known: a slow machine may take more than one round. */
async function allKnown(travel: TravelTimes, view: RoundView) {
  let table = await travel.prepare(view);
  await until('all ways are known', async () => {
    const before = travel.counts.tripsEstimated;
    table = await travel.prepare(view);
    return travel.counts.tripsEstimated === before;
  });
  return travelOver(table);
}

for (const kind of ['osrm', 'valhalla'] as const) {
  describe(`ways by ${kind}`, () => {
    test('are those of its roads, each direction and leg of a round', async () => {
      const travel = await allKnown(open({ kind }), small);
      assert.equal(travel(CAR, SHOP, 'car').ms, roadSeconds(CAR, SHOP) * 1_000);
      assert.equal(travel(SHOP, HOME, 'car').ms, roadSeconds(SHOP, HOME) * 1_000);
      assert.equal(travel(CAR, SHOP, 'car').distanceM, straightTravel(CAR, SHOP, 'car').distanceM);
      assert.deepEqual(travel(HOME, CAR, 'car'), straightTravel(HOME, CAR, 'car'));
    });

    test('are asked for in tables that it takes, and once', async () => {
      const travel = open({ kind });
      const view = round(150);
      const look = await allKnown(travel, view);
      assert.equal(travel.counts.tablesRefused, 0);
      assert.equal(travel.counts.tablesFailed, 0);
      for (const { from, to } of engine.tables)
        assert.ok(from <= LIMITS.routingBlockPlaces && to <= LIMITS.routingBlockPlaces);
      for (const { pickup, dropoff } of view.orders)
        assert.ok(Math.abs(look(pickup!, dropoff!, 'car').ms / 1_000 - roadSeconds(pickup!, dropoff!)) <= CELL_SECONDS);
      const asked = engine.tables.length;
      await travel.prepare(view);
      assert.equal(engine.tables.length, asked);
    });

    test('are estimated for a place that is off its map, which spoils no other', async () => {
      const travel = open({ kind });
      const atSea = { latitude: -0.01, longitude: 16.37 };
      const nearSea = [0.01, 0.02, 0.03].map((latitude) => ({ latitude, longitude: 16.37 }));
      const view = roundOf(
        [...nearSea, atSea].map((place) => agentAt(place)),
        nearSea.map((place) => orderFrom(place, atSea)),
      );
      const look = await allKnownButNone(travel, view);
      assert.equal(look(nearSea[0]!, nearSea[1]!, 'car').ms, roadSeconds(nearSea[0]!, nearSea[1]!) * 1_000);
      assert.deepEqual(look(nearSea[0]!, atSea, 'car'), straightTravel(nearSea[0]!, atSea, 'car'));
      assert.ok(travel.counts.tablesRefused > 0);
      assert.equal(travel.counts.tablesFailed, 0);
      assert.equal(lines.filter((line) => line.includes('has no way for some places')).length, 1);
    });

    test('are estimated where there are none', async () => {
      const travel = open({ kind });
      const [here, overThere] = [
        { latitude: 1, longitude: 89.99 },
        { latitude: 1, longitude: 90.01 },
      ];
      const look = await allKnownButNone(travel, roundOf([agentAt(here)], [orderFrom(overThere, here)]));
      assert.deepEqual(look(here, overThere, 'car'), straightTravel(here, overThere, 'car'));
    });

    for (const [what, disturb] of [
      ['says that it is broken', (response: ServerResponse) => response.writeHead(500).end('{"code":"Oops"}')],
      ['is something else', (response: ServerResponse) => response.writeHead(200).end('<html>It works!</html>')],
      ['asks for a key', (response: ServerResponse) => response.writeHead(400).end('no api key')],
      ['knows nothing of the path', (response: ServerResponse) => response.writeHead(404).end()],
      ['sends us elsewhere', (response: ServerResponse) => response.writeHead(302, { location: engine.url }).end()],
      ['hangs up', (response: ServerResponse) => response.destroy()],
      [
        'hangs up in the middle',
        (response: ServerResponse) => {
          response.writeHead(200, { 'content-length': 1_000 }).write('{"code":"Ok","durations":[[');
          response.destroy();
        },
      ],
      ['answers with a table of another size', table([[1, 2, 3]])],
      [
        'answers with times that are none',
        table([
          [-1, 5],
          [3, 4],
        ]),
      ],
      [
        'answers with times past all roads',
        table([
          [1e12, 5],
          [3, 4],
        ]),
      ],
      [
        'answers with words',
        table([
          ['soon', 'later'],
          ['now', 'never'],
        ]),
      ],
      ['answers with half a table', table([[1, 2]])],
      [
        'answers without end',
        (response: ServerResponse) => {
          const piece = Buffer.alloc(65_536, ' ');
          const more = () => response.write(piece, (error) => error || more());
          response.writeHead(200);
          more();
        },
      ],
    ] as const) {
      test(`are estimated when it ${what}`, async () => {
        engine.disturb = disturb;
        const travel = open({ kind });
        await travel.prepare(small);
        await until('it has failed', () => travel.counts.tablesFailed > 0);
        const look = travelOver(await travel.prepare(small));
        assert.deepEqual(look(CAR, SHOP, 'car'), straightTravel(CAR, SHOP, 'car'));
        assert.equal(travel.counts.tablesAnswered, 0);
        assert.ok(travel.counts.tripsEstimated > 0);
      });
    }
  });
}

/** An answer of both engines at once: each reads its part. */
function table(durations: unknown) {
  const body = JSON.stringify({ code: 'Ok', durations, sources_to_targets: { durations } });
  return (response: ServerResponse) => response.writeHead(200).end(body);
}

/** Prepares until nothing is asked any more, though not all can be known. */
async function allKnownButNone(travel: TravelTimes, view: RoundView) {
  let known = await travel.prepare(view);
  await until('nothing is asked any more', async () => {
    const before = engine.tables.length;
    known = await travel.prepare(view);
    return engine.tables.length === before && engine.tables.length > 0;
  });
  return travelOver(known);
}

describe('a routing engine', () => {
  test('an engine that hangs keeps a round waiting for a moment, and its late answer serves the next', async () => {
    let letGo = () => {};
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const travel = open();
    const rows = [
      [roadSeconds(CAR, SHOP), 1],
      [1, roadSeconds(SHOP, HOME)],
    ];
    engine.disturb = (response) => void free.then(() => table(rows)(response));
    const startMs = performance.now();
    const look = travelOver(await travel.prepare(small));
    assert.ok(performance.now() - startMs >= LIMITS.routingRoundMs - 20);
    assert.deepEqual(look(CAR, SHOP, 'car'), straightTravel(CAR, SHOP, 'car'));
    letGo();
    await until('the answer has come', () => travel.counts.tablesAnswered + travel.counts.tablesFailed > 0);
    assert.equal(travel.counts.tablesAnswered, 1);
  });

  test('an engine that does not answer is given up after its time', async () => {
    engine.disturb = () => {};
    const travel = open();
    await travel.prepare(small);
    await until('it has failed', () => travel.counts.tablesFailed === 1);
  });

  test('an engine that fails again and again rests for a while, is tried again, and is logged once', async () => {
    let asked = 0;
    engine.disturb = (response) => {
      asked += 1;
      response.writeHead(503).end();
    };
    stillAtMs = systemClock.monotonic();
    const travel = open();
    await until('it has failed often enough, and nothing is under way', async () => {
      const { tablesFailed } = travel.counts;
      if (tablesFailed >= LIMITS.webhookCircuitFailures) return tablesFailed === asked;
      await travel.prepare(small);
      return false;
    });
    const failed = asked;
    for (let rounds = 0; rounds < 5; rounds += 1) await travel.prepare(small);
    assert.equal(asked, failed, 'it is not asked');
    ahead = LIMITS.webhookFirstPauseMs;
    await travel.prepare(round(200));
    await until('it was tried', () => travel.counts.tablesFailed === failed + 1);
    ahead = LIMITS.webhookLastPauseMs * 2;
    engine.disturb = undefined;
    await allKnown(travel, small);
    assert.equal(lines.filter((line) => line.includes('the routing engine fails')).length, 1);
    assert.equal(lines.filter((line) => line.includes('the routing engine is back')).length, 1);
  });

  test('of cars alone is not asked for riders and walkers; with one for each mode each is asked for its own', async () => {
    const view = roundOf(
      [agentAt(CAR), agentAt(CAR, { vehicleType: 'Bike' }), agentAt(CAR, { vehicleType: 'foot' })],
      [orderFrom(SHOP, HOME)],
    );
    const alone = await allKnown(open(), view);
    assert.deepEqual(new Set(engine.tables.map(({ mode }) => mode)), new Set(['car']));
    assert.deepEqual(alone(CAR, SHOP, 'Bike'), straightTravel(CAR, SHOP, 'Bike'));
    const each = await allKnown(open({ url: `${engine.url}/{mode}` }), view);
    assert.deepEqual(new Set(engine.tables.map(({ mode }) => mode)), new Set(['car', 'bike', 'foot']));
    assert.equal(each(CAR, SHOP, 'Bike').ms, roadSeconds(CAR, SHOP) * 1_000);
  });

  test('a routing engine is asked with what its address says, a path and a token', async () => {
    const look = await allKnown(open({ url: `${engine.url}/bike/?token=secret` }), small);
    assert.equal(look(CAR, SHOP, 'car').ms, roadSeconds(CAR, SHOP) * 1_000);
    assert.equal(engine.tables[0]!.mode, 'bike');
  });

  test('of an old Valhalla, which says everything, is understood', async () => {
    engine.isOld = true;
    const look = await allKnown(open({ kind: 'valhalla' }), small);
    assert.equal(look(CAR, SHOP, 'car').ms, roadSeconds(CAR, SHOP) * 1_000);
  });

  test('a missing engine costs nothing', async () => {
    const travel = createTravelTimes({
      engine: undefined,
      clock: systemClock,
      scheduler: systemScheduler,
      log: pino({ level: 'silent' }),
    });
    assert.equal(await travel.prepare(small), null);
  });

  test('of which enough is known tells how fast the rest is', async () => {
    const look = await allKnown(open(), round(60));
    const [far, away] = [at(-20_000, 0), at(20_000, 0)];
    const { distanceM, ms } = look(far, away, 'car');
    const metersPerSecond = distanceM / (ms / 1_000);
    assert.ok(Math.abs(metersPerSecond - 10 / 1.5) < 0.05, `${metersPerSecond} m/s`);
  });
});

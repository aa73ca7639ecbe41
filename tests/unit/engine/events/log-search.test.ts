import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogSearch } from '../../../../engine/org/feed/log-search.ts';
import type { InTurn } from '../../../../engine/store/task-lists/task-list-store.ts';
import type { EventType, ListEventsQuery, LoggedEvent } from '../../../../schema/events.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const ORGANIZATION = 1;
const { logSearchWindow: WINDOW } = LIMITS;
const RARE: EventType[] = ['task.rated'];

interface Scene {
  /** The end of the log. */
  last: number;
  /** Where it has an event of the wanted type, all others are of another one. */
  readonly rare?: readonly number[];
  /** Events up to this one are no longer kept. */
  kept?: number;
  readonly bodyBytes?: number;
  /** The time that one statement takes. */
  readonly statementMs?: number;
  readonly inTurn?: InTurn;
}

/** A search of a log, and the places from which it has asked. */
function searchOf(scene: Scene) {
  const { rare = [], bodyBytes = 2, statementMs = 1, inTurn } = scene;
  const asked: number[] = [];
  const body = 'x'.repeat(bodyBytes);
  let now = 0;
  const store = {
    async readAfter(
      organizationId: number,
      after: number,
      limit: number,
      types?: readonly string[],
      window = Number.POSITIVE_INFINITY,
    ) {
      const { last: lastSequence, kept = 0 } = scene;
      assert.equal(types === undefined, window === Number.POSITIVE_INFINITY, 'a search has a window');
      assert.ok(types === undefined || window <= WINDOW);
      asked.push(after);
      now += statementMs;
      const places = types ? rare : Array.from({ length: limit }, (_, place) => after + 1 + place);
      const until = Math.min(after + window, lastSequence);
      const found = places.filter((place) => place > Math.max(after, kept) && place <= until).slice(0, limit);
      const most = Math.ceil(LIMITS.logReadBytes / bodyBytes);
      const events = found.slice(0, most).map((sequence): LoggedEvent => {
        return { organizationId, sequence, type: RARE[0]!, at: '', body };
      });
      const isCut = events.length < found.length;
      return { events, isCut, lastSequence, keptAfter: Math.max(after, Math.min(kept, lastSequence)) };
    },
  };
  const search = new LogSearch({ store, inTurn, clock: { monotonic: () => now } });
  return {
    asked,
    async read(query: Partial<ListEventsQuery> = {}) {
      asked.length = 0;
      const page = await search.read(ORGANIZATION, { after: 0, limit: 100, types: RARE, ...query });
      const { events, upTo, lastSequence, keptAfter } = page;
      return { found: events.map(({ sequence }) => sequence), upTo, lastSequence, keptAfter };
    },
  };
}

test('a search looks through a window at a time until the end of the log', async () => {
  const last = 2.5 * WINDOW;
  const { read, asked } = searchOf({ last, rare: [7, WINDOW + 1, last] });
  const whole = { found: [7, WINDOW + 1, last], upTo: last, lastSequence: last, keptAfter: 0 };
  assert.deepEqual(await read(), whole);
  assert.deepEqual(asked, [0, WINDOW, 2 * WINDOW]);
  assert.deepEqual(await read({ after: last }), { ...whole, found: [], keptAfter: last });
});

test('a full page ends with its last event, without looking further', async () => {
  const last = 9 * WINDOW;
  const { read, asked } = searchOf({ last, rare: [7, WINDOW + 1, WINDOW + 2] });
  assert.deepEqual(await read({ limit: 2 }), {
    found: [7, WINDOW + 1],
    upTo: WINDOW + 1,
    lastSequence: last,
    keptAfter: 0,
  });
  assert.deepEqual(asked, [0, WINDOW]);
});

test('events of several windows fill a page by their bytes together', async () => {
  const rare = [1, 2, 3].flatMap((place) => [place, WINDOW + place]).sort((one, other) => one - other);
  const { read } = searchOf({ last: 2 * WINDOW, rare, bodyBytes: LIMITS.logReadBytes / 4 });
  assert.deepEqual((await read()).found, [1, 2, 3, WINDOW + 1]);
  assert.equal((await read()).upTo, WINDOW + 1);
});

test('a search whose time is over answers what it has, and where it has come to', async () => {
  const { read } = searchOf({ last: 9 * WINDOW, rare: [7], statementMs: LIMITS.logSearchMs / 2 });
  assert.deepEqual(await read(), { found: [7], upTo: 2 * WINDOW, lastSequence: 9 * WINDOW, keptAfter: 0 });
});

test('a search that found nothing in its time goes on from there when it is asked again, and no other does', async () => {
  const last = 5 * WINDOW;
  const { read, asked } = searchOf({ last, rare: [4 * WINDOW + 1], statementMs: LIMITS.logSearchMs / 2 });
  const first = await read();
  assert.deepEqual([first.found, first.upTo], [[], 2 * WINDOW]);
  assert.equal((await read({ types: ['task.arrived'] })).upTo, 2 * WINDOW, 'of other types');
  assert.equal((await read({ after: 1 })).upTo, 2 * WINDOW + 1, 'from another place');
  assert.deepEqual([(await read()).upTo, asked], [3 * WINDOW, [0, 2 * WINDOW]]);
  const third = await read();
  assert.deepEqual([third.found, third.upTo], [[], 4 * WINDOW]);
  assert.deepEqual((await read()).found, [4 * WINDOW + 1]);
});

test('a search that has found something answers it when its next turn does not come', async () => {
  const last = 3 * WINDOW;
  let turns = 0;
  const inTurn: InTurn = (_organizationId, read) => {
    turns += 1;
    return turns % 2 === 0 ? Promise.reject(new Error('no turn')) : read();
  };
  const { read } = searchOf({ last, rare: [7], inTurn });
  assert.deepEqual(await read(), { found: [7], upTo: WINDOW, lastSequence: last, keptAfter: 0 });
  turns = 1;
  await assert.rejects(read({ after: WINDOW }), /no turn/);
});

test('a part that a search has passed is looked at again when the log ends before it', async () => {
  const scene: Scene = { last: 5 * WINDOW, statementMs: LIMITS.logSearchMs / 2 };
  const { read } = searchOf(scene);
  assert.equal((await read()).upTo, 2 * WINDOW);
  scene.last = 10;
  assert.deepEqual([(await read()).upTo, (await read({ after: 11 })).lastSequence], [10, 10]);
});

test('a search says which events are kept, also when they are dropped while it goes on', async () => {
  const scene: Scene = { last: 9 * WINDOW, kept: 5 };
  const { read, asked } = searchOf(scene);
  assert.equal((await read()).keptAfter, 5);
  assert.deepEqual(asked, [0]);
  const dropping = (rare: number[]) => {
    const dropped: Scene = {
      last: 9 * WINDOW,
      rare,
      inTurn: async (_organizationId, statement) => {
        const page = await statement();
        dropped.kept = 3 * WINDOW;
        return page;
      },
    };
    return searchOf(dropped).read();
  };
  assert.equal((await dropping([])).keptAfter, 3 * WINDOW);
  const { found, upTo, keptAfter } = await dropping([7]);
  assert.deepEqual([found, upTo, keptAfter], [[7], WINDOW, 0], 'the next page says it');
});

test('each statement waits for a turn of its own, also where no types are asked for', async () => {
  const turns: number[] = [];
  const inTurn: InTurn = (organizationId, statement) => {
    turns.push(organizationId);
    return statement();
  };
  const { read } = searchOf({ last: 3 * WINDOW, inTurn });
  await read();
  assert.deepEqual(turns, [ORGANIZATION, ORGANIZATION, ORGANIZATION]);
  assert.deepEqual((await read({ types: undefined, limit: 2, after: 8 })).found, [9, 10]);
  assert.equal(turns.length, 4);
});

test('the log is read as it is where no types are asked for', async () => {
  const { read } = searchOf({ last: 3 * WINDOW });
  assert.equal((await read({ types: undefined, limit: 2 })).upTo, 2);
  const { found, upTo } = await read({ types: undefined, after: 3 * WINDOW - 1 });
  assert.deepEqual([found, upTo], [[3 * WINDOW], 3 * WINDOW]);
});

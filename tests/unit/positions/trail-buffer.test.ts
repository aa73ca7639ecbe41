import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TrailBuffer } from '../../../engine/positions/trail-buffer.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { TrailRefusedError, type TrailStore } from '../../../engine/store/positions/trail-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { readRows, trailPoint } from './read-rows.ts';

const CHUNK = LIMITS.trailFlushPoints;
const ROOM = LIMITS.trailBufferPoints;
const NOW = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;

/** A buffer over a store that answers on demand, with time that the test moves. */
function setUp() {
  /** Agents of each COPY, in the order of its rows. */
  const copies: number[][] = [];
  const pauses: number[] = [];
  const logged: string[] = [];
  const deleted = new Set<number>();
  let time = 0;
  let every = () => {};
  let waiting: (() => void)[] = [];
  let answer: (days: ReadonlySet<number>) => Promise<void> = async () => {};
  const store: TrailStore = {
    async copy(rows) {
      const read = readRows(rows);
      await answer(new Set(read.map(({ recordedAtMs }) => Math.floor(recordedAtMs / DAY_MS))));
      copies.push(read.map(({ agentId }) => agentId));
    },
    findDeleted: async (ids) => new Set([...ids].filter((id) => deleted.has(id))),
    stop: async () => {},
  };
  const scheduler = {
    after(delayMs: number, task: () => void) {
      pauses.push(delayMs);
      waiting.push(task);
      return () => {};
    },
    every(_periodMs: number, task: () => void) {
      every = task;
      return () => {
        every = () => {};
      };
    },
    soon: (task: () => void) => task(),
  };
  const log = createLog('test', 'silent');
  log.error = log.warn = log.info = (facts: unknown, text?: string) => void logged.push(text ?? String(facts));
  const buffer = new TrailBuffer({ store, clock: { monotonic: () => time }, scheduler, log });
  const settle = async () => {
    for (let i = 0; i < 10; i++) await turn();
  };
  return {
    buffer,
    copies,
    pauses,
    logged,
    deleted,
    note(from: number, count: number, organizationId = 1, recordedAtMs = NOW) {
      for (let i = 0; i < count; i++) buffer.note(organizationId, from + i, trailPoint({ recordedAtMs }), NOW);
    },
    answerWith(how: typeof answer) {
      answer = how;
    },
    async second(ms: number = LIMITS.trailFlushMs) {
      time += ms;
      every();
      await settle();
    },
    async endPauses() {
      const due = waiting;
      waiting = [];
      for (const task of due) task();
      await settle();
    },
    settle,
  };
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const away = async () => {
  throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
};
const refused = async () => {
  throw new TrailRefusedError('no partition');
};

test('noted points are written once a second, in the order of arrival', async () => {
  const { buffer, note, second, copies } = setUp();
  note(1, 3);
  assert.deepEqual([buffer.buffered, buffer.written], [3, 0]);
  await second();
  note(4, 2);
  await second();
  await second();
  assert.deepEqual(copies, [
    [1, 2, 3],
    [4, 5],
  ]);
  assert.deepEqual([buffer.buffered, buffer.written, buffer.dropped], [0, 5, 0]);
});

test('enough for a COPY is written at once, one COPY at a time', async () => {
  const { note, settle, copies, answerWith } = setUp();
  let underWay = 0;
  let most = 0;
  answerWith(async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await turn();
    underWay -= 1;
  });
  note(1, 3 * CHUNK + 5);
  await settle();
  assert.deepEqual(copies.flat(), numbers(1, 3 * CHUNK));
  assert.deepEqual(
    copies.map((agents) => agents.length),
    [CHUNK, CHUNK, CHUNK],
  );
  assert.equal(most, 1);
});

test('points that could not be written are tried again before later ones, after pauses that grow to a bound', async () => {
  const { buffer, note, second, endPauses, copies, pauses, logged, answerWith } = setUp();
  answerWith(away);
  note(1, 2);
  await second();
  note(3, 2);
  for (let attempt = 0; attempt < 8; attempt++) await endPauses();
  assert.deepEqual(pauses.slice(0, 3), [100, 200, 400]);
  assert.equal(Math.max(...pauses), LIMITS.trailLongestPauseMs);
  answerWith(async () => {});
  await endPauses();
  await second();
  assert.deepEqual(copies, [
    [1, 2],
    [3, 4],
  ]);
  assert.equal(buffer.dropped, 0);
  assert.deepEqual(logged, ['writing the trail fails; retrying', 'writing the trail works again']);
});

test('when there is no room the oldest points go, counted, and the rest is written in order', async () => {
  const { buffer, note, endPauses, settle, copies, logged, answerWith } = setUp();
  answerWith(away);
  note(1, ROOM);
  await settle();
  assert.ok(buffer.buffered <= ROOM && buffer.buffered >= ROOM - CHUNK, `${buffer.buffered}`);
  note(ROOM + 1, 2 * CHUNK + 1);
  const { dropped } = buffer;
  assert.equal(buffer.buffered + dropped, ROOM + 2 * CHUNK + 1);
  assert.equal(dropped % CHUNK, 0);
  assert.ok(dropped >= 2 * CHUNK && dropped <= 3 * CHUNK, `${dropped}`);
  answerWith(async () => {});
  await endPauses();
  await buffer.stop();
  assert.deepEqual(copies.flat(), numbers(dropped + 1, ROOM + 2 * CHUNK + 1 - dropped));
  assert.equal(logged.filter((text) => text.includes('no room')).length, 1, 'told once');
});

test('the one on its way is not taken for the oldest', async () => {
  const { buffer, note, settle, copies, answerWith } = setUp();
  let finish = () => {};
  answerWith(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  note(1, ROOM + CHUNK);
  await settle();
  finish();
  await settle();
  assert.deepEqual(copies[0], numbers(1, CHUNK));
  assert.equal(buffer.written, CHUNK);
});

test('points that Postgres refuses are dropped, counted and logged once, and hold nothing up', async () => {
  const { buffer, note, second, copies, logged, answerWith } = setUp();
  answerWith(refused);
  note(1, 2);
  await second();
  note(3, 1);
  await second();
  answerWith(async () => {});
  note(4, 2);
  await second();
  assert.deepEqual(copies, [[4, 5]]);
  assert.deepEqual([buffer.buffered, buffer.written, buffer.dropped], [0, 2, 3]);
  assert.equal(logged.length, 1);
});

test('a day that Postgres refuses costs nothing of the other days in its chunk', async () => {
  const { buffer, note, second, copies, logged, answerWith } = setUp();
  const yesterday = Math.floor(NOW / DAY_MS) - 1;
  answerWith((days) => (days.has(yesterday) ? refused() : Promise.resolve()));
  note(1, 2);
  note(3, 2, 1, NOW - DAY_MS);
  note(5, 1);
  await second();
  assert.deepEqual(copies, [[1, 2, 5]]);
  assert.deepEqual([buffer.buffered, buffer.written, buffer.dropped], [0, 3, 2]);
  note(6, 1, 1, NOW - DAY_MS);
  await second();
  assert.deepEqual([buffer.written, buffer.dropped], [3, 3]);
  assert.deepEqual(logged, ['a part of the trail was refused']);
});

test('a chunk of which a day was refused is sent whole again when Postgres goes away amid it', async () => {
  const { buffer, note, second, endPauses, copies, answerWith } = setUp();
  let asked = 0;
  answerWith((days) => {
    asked += 1;
    return days.size > 1 ? refused() : asked === 3 ? away() : Promise.resolve();
  });
  note(1, 1);
  note(2, 1, 1, NOW - DAY_MS);
  await second();
  assert.deepEqual([buffer.buffered, buffer.written], [2, 0]);
  await endPauses();
  assert.deepEqual(copies, [[1], [1], [2]]);
  assert.deepEqual([buffer.buffered, buffer.written, buffer.dropped], [0, 2, 0]);
});

test('points dropped for lack of room free their memory for later ones', (t) => {
  const { note, answerWith } = setUp();
  answerWith(away);
  note(1, ROOM);
  const allocations = t.mock.method(Buffer, 'allocUnsafeSlow').mock;
  note(ROOM + 1, 5 * CHUNK);
  assert.equal(allocations.callCount(), 0);
});

test('a point recorded too long ago is left out, one at the bound is not', async () => {
  const { buffer, second, copies } = setUp();
  for (const [agentId, past] of [LIMITS.trailPastMs, LIMITS.trailPastMs + 1].entries())
    buffer.note(1, agentId, trailPoint({ recordedAtMs: NOW - past }), NOW);
  await second();
  assert.deepEqual(copies, [[0]]);
  assert.equal(buffer.dropped, 0);
});

test('points that have waited long are written without those of deleted organizations', async () => {
  const { buffer, note, second, endPauses, copies, deleted, answerWith } = setUp();
  answerWith(away);
  note(1, 2, 7);
  note(3, 2, 8);
  note(5, 1, 7);
  await second();
  deleted.add(7);
  await second(LIMITS.trailStaleMs);
  answerWith(async () => {});
  await endPauses();
  assert.deepEqual(copies, [[3, 4]]);
  assert.deepEqual([buffer.buffered, buffer.written], [0, 2]);
});

test('stopping writes what is there', async () => {
  const { buffer, note, copies } = setUp();
  note(1, CHUNK + 3);
  await buffer.stop();
  assert.deepEqual(copies.flat(), numbers(1, CHUNK + 3));
});

test('stopping does not wait for a Postgres that does not answer', async () => {
  const { buffer, note, logged, answerWith } = setUp();
  answerWith(() => new Promise(() => {}));
  note(1, 3);
  const startedAt = performance.now();
  await buffer.stop();
  assert.ok(performance.now() - startedAt < LIMITS.trailStopMs + 10_000);
  assert.deepEqual(logged, ['the last of the trail could not be written']);
});

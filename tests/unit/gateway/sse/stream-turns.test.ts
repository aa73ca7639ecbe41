import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '../../../../engine/runtime/turns.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { until } from '../../../support/until.ts';
import { createSlowStand, eventsOf, identityOf, type RecordingStream } from './stream-stand.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const isReady = (stream: RecordingStream) => stream.written.join('').includes('stream.ready');
const everybody = identityOf('channel', 1);

/** Each write takes 1 ms. */
function assertTurns(turns: readonly number[], atLeast: number): void {
  assert.ok(Math.max(...turns) <= LIMITS.streamTurnMs, `${Math.max(...turns)} writes in one turn`);
  const total = turns.reduce((sum, count) => sum + count, 0);
  assert.ok(total >= atLeast, `only ${total} writes`);
}

test('a new subscriber has a place in this turn while there is time, else in a later one, in the order of arrival', async () => {
  let now = 0;
  const tasks: (() => void)[] = [];
  const nextTurn = async () => {
    for (const task of tasks.splice(0)) task();
    await new Promise(setImmediate);
  };
  const turns = new Turns({ now: () => now, monotonic: () => now }, { soon: (task) => void tasks.push(task) });
  const done: string[] = [];
  const work = async (name: string, ms: number) => {
    const turn = turns.next();
    if (turn) await turn;
    done.push(name);
    now += ms;
  };
  const all = [work('a', 3), work('b', 3), work('c', 4), work('d', 2), work('e', 100), work('f', 1)];
  assert.deepEqual(done.splice(0), ['a', 'b'], 'before the time was over');
  all.push(work('late', 0));
  await nextTurn();
  assert.deepEqual(done.splice(0), ['c', 'd']);
  await nextTurn();
  assert.deepEqual(done.splice(0), ['e'], 'what takes too long has a turn all the same');
  await nextTurn();
  assert.deepEqual(done.splice(0), ['f', 'late']);
  await nextTurn();
  assert.equal(tasks.length, 0, 'nothing goes on when nobody waits');
  await Promise.all(all);
  assert.equal(turns.next(), undefined);
});

test('streams that resume together are written to some at a time, with turns for others in between', async () => {
  const { open, publish, takeTurns, stop } = createSlowStand();
  const keep = open(everybody);
  await until('it is ready', () => isReady(keep));
  publish(eventsOf(1, 900, 'x'.repeat(1_000)));
  await until('the event arrives', () => keep.sequences.at(-1) === 900);
  const streams = range(1, 50).map(() => open(everybody, { lastEventId: 'history-400' }));
  takeTurns();
  await until('all have all', () => streams.every(({ sequences }) => sequences.at(-1) === 900));
  assertTurns(takeTurns(), 50 * 8);
  for (const stream of streams) assert.deepEqual(stream.sequences, range(401, 900));
  stop();
});

test('live streams get new events while many others read old ones', async () => {
  let resuming: RecordingStream[] = [];
  let live: RecordingStream[] = [];
  const pieces = () => resuming.reduce((sum, { written }) => sum + written.length - 1, 0);
  let before: number | undefined;
  let after: number | undefined;
  const { open, publish, stop } = createSlowStand(() => {
    if (before === undefined && resuming.length > 0 && pieces() > 0) {
      before = pieces();
      publish(eventsOf(901, 901));
    }
    if (before !== undefined && live.every(({ written }) => written.length > 0)) after ??= pieces();
  });
  live = range(1, 20).map(() => open(everybody));
  await until('they are ready', () => live.every(isReady));
  publish(eventsOf(1, 900, 'x'.repeat(1_000)));
  await until('live streams have it', () => live.every(({ sequences }) => sequences.at(-1) === 900));
  for (const stream of live) stream.written.length = 0;
  resuming = range(1, 200).map(() => open(everybody, { lastEventId: 'history-400' }));
  await until('all live streams have it', () => after !== undefined);
  assert.ok(after! - before! < 200, `only after ${after! - before!} of 2000 pieces for those who resume`);
  stop();
});

test('events for streams that all ask for something else are handed over with turns for others in between', async () => {
  const { open, publish, takeTurns, stop } = createSlowStand();
  const streams = range(1, 100).map((id) => open(everybody, { query: { taskIds: [1, 1_000 + id] } }));
  await until('they are ready', () => streams.every(isReady));
  takeTurns();
  publish(eventsOf(1, 1));
  await until('all streams have it', () => streams.every(({ sequences }) => sequences.length === 1));
  assertTurns(takeTurns(), 100);
  stop();
});

test('the heartbeat of many streams leaves turns for others', async () => {
  const { open, beat, takeTurns, stop } = createSlowStand();
  const streams = range(1, 100).map(() => open(everybody));
  await until('they are ready', () => streams.every(isReady));
  await new Promise(setImmediate);
  takeTurns();
  beat(LIMITS.heartbeatMs);
  await until('all have it', () => streams.every(({ written }) => written.includes(': heartbeat\n\n')));
  assertTurns(takeTurns(), 100);
  stop();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../../schema/limits.ts';
import { until } from '../../../support/until.ts';
import { createSlowStand, createStand, eventsOf, identityOf, type RecordingStream } from './stream-stand.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const isReady = (stream: RecordingStream) => stream.written.join('').includes('stream.ready');
const everybody = identityOf('channel', 1);

/** How many streams hold the same bytes, for each piece that was written. */
function holdersOf(streams: readonly RecordingStream[]): number[] {
  const holders = new Map<Buffer, number>();
  for (const { written } of streams)
    for (const piece of written) if (typeof piece !== 'string') holders.set(piece, (holders.get(piece) ?? 0) + 1);
  return [...holders.values()];
}

test('streams that join while events come soon share what they are written with all others', async () => {
  let last = 0;
  let isOver = false;
  // A tick takes several turns, and each brings one more event.
  const { open, publish, takeTurns, stop } = createSlowStand(() => {
    if (isOver || last === 0) return;
    last += 1;
    publish(eventsOf(last, last));
  });
  const streams = range(1, 10).map(() => open(everybody));
  await until('they are ready', () => streams.every(isReady));
  last = 1;
  publish(eventsOf(1, 1));
  for (let join = 0; join < 20; join += 1) {
    streams.push(open(everybody));
    await new Promise(setImmediate);
  }
  const settledAt = last + 100;
  await until('all go along', () => streams.every(({ sequences }) => (sequences.at(-1) ?? 0) > settledAt));
  for (const stream of streams) stream.written.length = 0;
  const end = last + 200;
  await until('events have come', () => last >= end);
  isOver = true;
  await until('all have all', () => streams.every(({ sequences }) => sequences.at(-1) === last));
  const holders = holdersOf(streams);
  const rare = holders.filter((count) => count < streams.length / 2);
  assert.ok(rare.length <= 2, `held by few: ${rare}; amid one it was looked at first, and at last`);
  assert.ok(takeTurns().length > 100, 'ticks took several turns');
  stop();
});

test('streams that resume share the bytes, and those from nearby all but the first piece', async () => {
  const { open, publish, stop } = createStand();
  const keep = open(everybody);
  await until('it is ready', () => isReady(keep));
  publish(eventsOf(1, 900, 'x'.repeat(1_000)));
  await until('the event arrives', () => keep.sequences.at(-1) === 900);
  const streams = range(1, 40).map((index) => open(everybody, { lastEventId: `history-${400 + (index % 2)}` }));
  await until('all have all', () => streams.every(({ sequences }) => sequences.at(-1) === 900));
  streams.forEach((stream, index) => {
    assert.deepEqual(stream.sequences, range(402 - (index % 2), 900));
  });
  const holders = holdersOf(streams);
  assert.deepEqual(holders.slice(0, 1), [20], 'those from the same place');
  assert.equal(holders.filter((count) => count < 20).length, 0);
  assert.equal(holders.filter((count) => count < 40).length, 2, 'one first piece for each place');
  stop();
});

test('a resumed stream with a filter has only what it wants, though others were there before', async () => {
  const { open, commit, stop } = createStand();
  commit(eventsOf(1, 300));
  const [all, wanted] = [undefined, ['task.updated' as const]].map((types) =>
    range(1, 2).map(() => open(everybody, { query: types ? { types } : {}, lastEventId: 'history-0' })),
  );
  const streams = [...all!, ...wanted!];
  await until('all have all', () => streams.every(({ sequences }) => sequences.at(-1) === 300));
  for (const stream of wanted!)
    assert.deepEqual(
      stream.sequences,
      range(1, 150).map((index) => index * 2),
    );
  stop();
});

test('an event larger than a queue is written as one piece that all who are idle share', async () => {
  const { open, publish, stop } = createStand();
  const streams = range(1, 20).map(() => open(everybody));
  await until('they are ready', () => streams.every(isReady));
  const slow = streams.at(-1)!;
  slow.isIdle = false;
  publish(eventsOf(1, 1, 'x'.repeat(2 * LIMITS.streamQueueBytes)));
  await until('all idle streams have it', () => streams.slice(0, -1).every(({ sequences }) => sequences.length === 1));
  assert.deepEqual(holdersOf(streams), [19]);
  assert.deepEqual(slow.sequences, []);
  publish(eventsOf(2, 2));
  slow.take();
  await until('the slow one has all', () => slow.sequences.length === 2);
  assert.deepEqual(slow.sequences, [1, 2]);
  stop();
});

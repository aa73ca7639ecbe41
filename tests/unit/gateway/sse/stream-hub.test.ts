import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../../schema/limits.ts';
import { until } from '../../../support/until.ts';
import { createStand, eventsOf, identityOf, RecordingStream } from './stream-stand.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const slowStream = () => Object.assign(new RecordingStream(), { isSlow: true });
const isReady = (stream: RecordingStream) => stream.written.join('').includes('stream.ready');

test('all who ask for the same are written the same bytes, once for all that a tick brings', async () => {
  const { open, publish, stop } = createStand();
  const same = range(1, 5).map(() => open(identityOf('channel', 1)));
  const narrow = ['task.updated', 'task.created'].map((type) =>
    open(identityOf('channel', 1), { query: { types: [type as 'task.updated'] } }),
  );
  const none = open(identityOf('channel', 1), { query: { agentIds: [] } });
  const all = [...same, ...narrow, none];
  await until('all are ready', () => all.every(isReady));
  for (const stream of all) stream.written.length = 0;
  publish(eventsOf(1, 3));
  publish(eventsOf(4, 6));
  await until('all streams have it', () => narrow.every(({ sequences }) => sequences.length === 3));
  for (const stream of same) {
    assert.deepEqual(stream.sequences, [1, 2, 3, 4, 5, 6]);
    assert.equal(stream.written.length, 1, 'one write');
    assert.equal(stream.written[0], same[0]!.written[0], 'the same bytes');
    assert.ok(stream.written[0] instanceof Buffer);
  }
  assert.deepEqual(
    narrow.map(({ sequences }) => sequences),
    [
      [2, 4, 6],
      [1, 3, 5],
    ],
  );
  assert.deepEqual(none.written, []);
  stop();
});

test('a subscriber that joins a running stream joins without a gap and without a repeat', async () => {
  const { open, publish, stop } = createStand();
  const streams: { stream: RecordingStream; from: number }[] = [];
  const total = 800;
  for (let sequence = 1; sequence <= total; sequence += 5) {
    publish(eventsOf(sequence, sequence + 4));
    const after = Math.floor(sequence / 2);
    streams.push({ stream: open(identityOf('channel', 1), { lastEventId: `history-${after}` }), from: after + 1 });
    if (sequence % 3 === 0) await new Promise(setImmediate);
  }
  await until('all have all', () => streams.every(({ stream }) => stream.sequences.at(-1) === total));
  for (const { stream, from } of streams) assert.deepEqual(stream.sequences, range(from, total));
  stop();
});

test('a subscriber that catches up gets more only after it has taken the last part, for any amount', async () => {
  const { open, publish, commit, stop } = createStand();
  const pad = 'x'.repeat(2_000);
  commit(eventsOf(1, 600, pad));
  const stream = open(identityOf('channel', 1), { lastEventId: 'history-0' }, slowStream());
  let last = 600;
  while (stream.sequences.at(-1) !== last) {
    await until('it is given something', () => !stream.isIdle);
    for (const piece of stream.written) assert.ok(piece.length < LIMITS.catchUpPieceChars + 3_000, `${piece.length}`);
    const before = stream.sequences.length;
    if (last < 650) {
      publish(eventsOf(last + 1, last + 10, pad));
      last += 10;
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
    assert.equal(stream.sequences.length, before, 'nothing until it has taken that');
    stream.take();
  }
  assert.deepEqual(stream.sequences, range(1, last));
  stop();
});

test('a gap in what was published is filled from the log', async () => {
  const { open, publish, commit, stop } = createStand();
  const stream = open(identityOf('channel', 1));
  await until('it is ready', () => isReady(stream));
  publish(eventsOf(1, 2));
  await until('the event arrives', () => stream.sequences.length === 2);
  commit(eventsOf(3, 700));
  publish(eventsOf(701, 702));
  await until('it has all', () => stream.sequences.length === 702);
  assert.deepEqual(stream.sequences, range(1, 702));
  stop();
});

for (const [whose, identities, most] of [
  ['user', () => identityOf('user', 1), LIMITS.streamsPerUser],
  ['channel', () => identityOf('channel', 1), LIMITS.streamsPerChannel],
  ['organization', (index: number) => identityOf('channel', index % 10), LIMITS.streamsPerOrganization],
] as const) {
  test(`each ${whose} has as many streams as it may have, and one more when one has ended`, () => {
    const { hub, open, stop } = createStand();
    const streams = range(1, most).map((index) => open(identities(index)));
    const refused = hub.refusalOf(identities(0));
    assert.equal(refused?.code, 'RATE_LIMITED');
    assert.match(refused!.message, new RegExp(`^The ${whose} has as many streams`));
    assert.deepEqual(refused!.details, { retryAfterSeconds: LIMITS.streamRefusedSeconds });
    assert.equal(hub.refusalOf(identityOf('user', 99, 99)), undefined, 'others are none the worse');
    streams.at(-1)!.close();
    assert.equal(hub.refusalOf(identities(0)), undefined);
    for (const stream of streams) stream.close();
    assert.equal(hub.size, 0);
    stop();
  });
}

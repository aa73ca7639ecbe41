import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser } from 'eventsource-parser';
import { LIMITS } from '../../../../schema/limits.ts';
import { until } from '../../../support/until.ts';
import { createSlowStand, createStand, eventsOf, identityOf, RecordingStream } from './stream-stand.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const isReady = (stream: RecordingStream) => stream.written.join('').includes('stream.ready');
const everybody = identityOf('channel', 1);

test('a client that has left before it is let in takes no place', async () => {
  const { hub, open, stop } = createStand();
  const user = identityOf('user', 9);
  for (const _ of range(1, LIMITS.streamsPerUser + 1)) {
    const gone = new RecordingStream();
    gone.end = 'client';
    open(user, {}, gone);
    assert.deepEqual(gone.written, []);
  }
  assert.equal(hub.size, 0);
  assert.equal(hub.refusalOf(user), undefined);
  stop();
});

test('a subscriber that loses access is cut off at once, with any queue; an idle one is ended properly', async () => {
  const { open, stop } = createStand();
  const ending = { ...identityOf('user', 1), sessionEndsAtMs: Date.now() };
  const slow = Object.assign(new RecordingStream(), { isSlow: true });
  open(ending, {}, slow);
  const idle = open(ending);
  slow.write(': something\n\n');
  await until('both have ended', () => slow.end !== undefined && idle.end !== undefined);
  assert.deepEqual([slow.wasAborted, idle.wasAborted], [true, false]);
  stop();
});

test('a stream whose filter passes nothing gets its position with each heartbeat and at the end', async () => {
  const { hub, open, publish, beat, stop } = createSlowStand();
  const quiet = open(everybody, { query: { agentIds: [77] } });
  const busy = open(everybody);
  await until('they are ready', () => isReady(quiet) && isReady(busy));
  quiet.written.length = 0;
  const beats = async () => {
    beat(LIMITS.heartbeatMs);
    await new Promise(setImmediate);
    return quiet.written.splice(0).join('');
  };
  assert.equal(await beats(), ': heartbeat\n\n');
  publish(eventsOf(1, 200));
  await until('the events arrive', () => busy.sequences.length === 200);
  assert.equal(await beats(), ': heartbeat\nid: history-200\n\n');
  assert.equal(await beats(), ': heartbeat\n\n', 'once');
  assert.ok(busy.written.at(-1) === ': heartbeat\n\n', 'who has had the event knows');
  publish(eventsOf(201, 210));
  await until('the events arrive', () => busy.sequences.length === 210);
  hub.stop();
  const text = quiet.written.join('');
  assert.match(text, /^id: history-210\nretry: \d+\nevent: stream\.reconnect\ndata: \{\}\n\n$/);
  stop();
});

test('a parser of streams takes an id without data for no event', () => {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => events.push(`${id} ${data}`) });
  parser.feed(
    'id: h-1\ndata: 1\n\n: heartbeat\nid: h-9\n\nevent: agent.locations_updated\ndata: 2\n\nid: h-10\ndata: 3\n\n',
  );
  assert.deepEqual(events, ['h-1 1', 'undefined 2', 'h-10 3']);
});

test('a stream that cannot go on from its place has its new one from the resync, not before', async () => {
  const { open, commit, stop } = createStand();
  commit(eventsOf(1, 3));
  const stream = open(everybody, { lastEventId: 'elsewhere-2' });
  await until('the event arrives', () => stream.written.join('').includes('stream.resync'));
  const [ready, resync] = stream.written.join('').split('\n\n');
  assert.match(ready!, /^event: stream\.ready\ndata: \{"history":"history","position":"history-3",/);
  assert.match(resync!, /^id: history-3\nevent: stream\.resync\n/);
  stop();
});

test('a hub that stops lets nobody in, and clients come back one after another', async () => {
  const { hub, open, stop } = createStand();
  const streams = range(1, 50).map(() => open(everybody));
  await until('they are ready', () => streams.every(isReady));
  hub.stop();
  assert.equal(hub.refusalOf(everybody)?.code, 'OVERLOADED');
  const pauses = streams.map(({ written }) => Number(/retry: (\d+)\n/.exec(written.join(''))![1]));
  for (const pause of pauses)
    assert.ok(pause >= LIMITS.firstReconnectMs && pause <= LIMITS.lastReconnectMs, `${pause}`);
  assert.ok(new Set(pauses).size > 10, `${new Set(pauses).size} different pauses`);
  assert.equal(hub.size, 0);
  stop();
});

test('an owner resumes streams from memory while Postgres is away', async () => {
  const { open, publish, setAway, stop } = createStand();
  const keep = open(everybody);
  await until('it is ready', () => isReady(keep));
  publish(eventsOf(1, 20));
  setAway(true);
  const stream = open(everybody, { lastEventId: 'history-15' });
  await until('it has all', () => stream.sequences.length === 5);
  publish(eventsOf(21, 21));
  await until('it goes on', () => stream.sequences.at(-1) === 21);
  assert.equal(stream.end, undefined);
  stop();
});

test('streams of a log that has lost its end are ended, and told so when they come back', async () => {
  const { hub, open, publish, lose, feed, stop } = createStand();
  const stream = open(everybody);
  await until('it is ready', () => isReady(stream));
  publish(eventsOf(1, 100));
  await until('the event arrives', () => stream.sequences.length === 100);
  lose(10);
  await feed.compareHeads();
  assert.deepEqual([stream.end, hub.size], ['server', 0]);
  const again = open(everybody, { lastEventId: 'history-100' });
  await until('the event arrives', () => again.written.join('').includes('stream.resync'));
  assert.match(again.written.join(''), /"reason":"position_unknown","position":"history-90"/);
  publish(eventsOf(91, 95, 'new'));
  await until('it goes on', () => again.sequences.length === 5);
  assert.deepEqual(again.sequences, range(91, 95));
  stop();
});

test('a slow subscriber holds no events while the hub waits for it', async () => {
  const { open, commit, feed, stop } = createStand();
  commit(eventsOf(1, 400, 'x'.repeat(2_000)));
  let reads = 0;
  const readAfter = feed.readAfter.bind(feed);
  feed.readAfter = (...asked) => {
    reads += 1;
    return readAfter(...asked);
  };
  const stream = Object.assign(new RecordingStream(), { isSlow: true });
  open(everybody, { lastEventId: 'history-0' }, stream);
  let pieces = 0;
  while (stream.sequences.at(-1) !== 400) {
    await until('it is given something', () => !stream.isIdle);
    pieces += 1;
    stream.take();
  }
  assert.ok(pieces > 5 && reads >= pieces - 1, `${reads} reads for ${pieces} pieces`);
  stop();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../../../gateway/client/create-client.ts';
import type { StreamMessage } from '../../../../gateway/client/event-stream.ts';
import { refused, type Step, standInService } from './stand-in-service.ts';

const QUICK = { firstPauseMs: 1, longestPauseMs: 5 };
const READY = 'event: stream.ready\ndata: {"position":"h-4","reconnectAfterMs":80}\nid: h-4\n\n';
const event = (sequence: number) =>
  `id: h-${sequence}\nevent: task.created\ndata: {"type":"task.created","sequence":${sequence}}\n\n`;

/** A stream that sends its parts and then ends, breaks, or stays silent. */
function stream(parts: readonly string[], ending: 'ends' | 'breaks' | 'is silent' = 'ends'): () => Response {
  return () =>
    new Response(
      new ReadableStream({
        async start(controller) {
          for (const part of parts) {
            controller.enqueue(new TextEncoder().encode(part));
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
          if (ending === 'ends') controller.close();
          if (ending === 'breaks') controller.error(new Error('ECONNRESET'));
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
}

/** Follows until the event with that sequence. Returns the messages in short, and the ids that it resumed from. */
async function follow(last: number, steps: readonly Step[], lastEventId?: string) {
  const { fetch, seen } = standInService(...steps);
  const client = createClient({ baseUrl: 'http://service', apiKey: 'dk', fetch, retry: QUICK });
  const messages: string[] = [];
  const followed = client.follow({ lastEventId, types: ['task.created'], taskIds: [7, 8] });
  for await (const message of followed) {
    messages.push(shortOf(message));
    if ('sequence' in message && message.sequence === last) break;
  }
  return { messages, resumed: seen.map(({ headers }) => headers.get('last-event-id')), seen };
}

function shortOf(message: StreamMessage): string {
  if (message.type === 'stream.lost') return 'lost';
  if (message.type === 'stream.resync') return `resync ${message.reason}`;
  return 'sequence' in message ? String(message.sequence) : message.type;
}

test('a stream goes on behind the last event that it yielded, at every end', async () => {
  const cut = event(7).slice(0, 20);
  const { messages, resumed, seen } = await follow(
    8,
    [
      stream([READY, event(5)]),
      stream([READY, event(6), cut], 'breaks'),
      new TypeError('fetch failed'),
      refused(503, 'OVERLOADED', { 'retry-after': '0' }),
      new Response('<html>', { status: 520 }),
      stream([READY, event(7)], 'is silent'),
      stream([READY, event(8)]),
    ],
    'h-4',
  );
  assert.deepEqual(messages, [
    ...['stream.ready', '5', 'lost', 'stream.ready', '6', 'lost', 'lost', 'lost', 'lost'],
    ...['stream.ready', '7', 'lost', 'stream.ready', '8'],
  ]);
  assert.deepEqual(resumed, ['h-4', 'h-5', 'h-6', 'h-6', 'h-6', 'h-6', 'h-7']);
  assert.equal(seen[0]!.url, 'http://service/api/v1/realtime/me/events?types=task.created&taskIds=7%2C8');
});

test('a heartbeat moves the place to resume from', async () => {
  const { resumed } = await follow(30, [stream([READY, event(5), ': heartbeat\nid: h-29\n\n']), stream([event(30)])]);
  assert.deepEqual(resumed, [null, 'h-29']);
});

test('pauses grow while streams end before their first heartbeat, and begin again with each heartbeat', async () => {
  const quiet = stream([READY]);
  // Nothing has happened behind the id that was sent last: the heartbeat names none.
  const beating = stream([READY, ': heartbeat\n\n']);
  const moving = stream([READY, ': heartbeat\nid: h-5\n\n']);
  const { fetch } = standInService(quiet, quiet, quiet, beating, moving, stream([event(6)]));
  const pauses: number[] = [];
  for await (const message of createClient({ baseUrl: 'http://service', fetch, retry: QUICK }).follow()) {
    if (message.type === 'stream.lost') pauses.push(message.retryInMs);
    if ('sequence' in message) break;
  }
  // Each is between half of the pause and the whole pause.
  assert.deepEqual(
    pauses.map((ms) => 2 ** Math.ceil(Math.log2(ms))),
    [1, 2, 4, 1, 1],
  );
});

test('an event behind a heartbeat is the place to resume from', async () => {
  const parts = [': heartbeat\nid: h-5\n\n', event(6)];
  const { resumed } = await follow(7, [stream([READY, ...parts]), stream([event(7)])]);
  assert.deepEqual(resumed, [null, 'h-6']);
});

test('events before and behind a heartbeat of the same read come once, and the last is the place to resume from', async () => {
  const { messages, resumed } = await follow(8, [
    stream([READY, `${event(5)}: heartbeat\nid: h-6\n\n${event(7)}`]),
    stream([event(8)]),
  ]);
  assert.deepEqual(messages, ['stream.ready', '5', '7', 'lost', '8']);
  assert.deepEqual(resumed, [null, 'h-7']);
});

test('a stream that is closed keeps the place of its last event, though more was read with it', async () => {
  const read = `${event(7)}${event(8)}: heartbeat\nid: h-9\n\n`;
  const { fetch } = standInService(stream([READY, read]));
  const followed = createClient({ baseUrl: 'http://service', apiKey: 'dk', fetch, retry: QUICK }).follow();
  const messages: string[] = [];
  for await (const message of followed) {
    messages.push(shortOf(message));
    if ('sequence' in message) followed.close();
  }
  assert.deepEqual([messages, followed.lastEventId], [['stream.ready', '7'], 'h-7']);
});

test('a resync is yielded in its place', async () => {
  const resync = 'event: stream.resync\ndata: {"reason":"events_expired"}\nid: h-90\n\n';
  const { messages, resumed } = await follow(92, [stream([READY, resync]), stream([READY, event(92)])], 'h-1');
  assert.deepEqual(messages, ['stream.ready', 'resync events_expired', 'lost', 'stream.ready', '92']);
  assert.deepEqual(resumed, ['h-1', 'h-90']);
});

test('an order to reconnect is obeyed and not shown', async () => {
  const order = 'retry: 1\nevent: stream.reconnect\ndata: {}\n\n';
  const { messages } = await follow(5, [stream([READY, order]), stream([READY, event(5)])]);
  assert.deepEqual(messages, ['stream.ready', 'lost', 'stream.ready', '5']);
});

test('a stream that is refused for good throws', async () => {
  await assert.rejects(follow(1, [refused(403, 'FORBIDDEN')]), { code: 'FORBIDDEN' });
});

test('closing, and the signal, end the loop without an error, in a pause as well', async () => {
  for (const steps of [[stream([READY], 'is silent')], [refused(503, 'OVERLOADED', { 'retry-after': '600' })]]) {
    const { fetch } = standInService(...steps);
    const leaving = new AbortController();
    const client = createClient({ baseUrl: 'http://service', apiKey: 'dk', fetch, retry: QUICK });
    const types: string[] = [];
    for await (const { type } of client.follow({ signal: leaving.signal })) {
      types.push(type);
      setTimeout(() => leaving.abort(), 5);
    }
    assert.equal(types.length, 1);
  }
});

test('an empty list is refused before anything is asked: the service would answer with everything', () => {
  const { fetch, seen } = standInService();
  const client = createClient({ baseUrl: 'http://service', apiKey: 'dk', fetch, retry: QUICK });
  assert.throws(() => client.follow({ taskIds: [] }), /^TypeError: taskIds is an empty list/);
  assert.throws(() => client.get('/tasks', { query: { agentId: [] } }), /^TypeError: agentId is an empty list/);
  assert.equal(seen.length, 0);
});

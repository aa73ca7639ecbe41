import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { EXCERPT_BYTES } from '../../../workers/webhooks/excerpt.ts';
import { answerWith, SECRET, send, startEndpoint, startSender } from './local-endpoint.ts';

test('a delivery is a signed POST that the independent verifier takes', async (t) => {
  const endpoint = await startEndpoint(t, answerWith('200 OK', '', 'thanks'));
  const body = '{"data":"Ünïcödé 🚚"}';
  const before = Date.now();
  const outcome = await send(startSender(t), `${endpoint.url}?shop=7`, body);
  assert.equal(outcome.isSuccess, true);
  assert.deepEqual([outcome.status, outcome.error, outcome.excerpt, outcome.isGone], [200, null, 'thanks', false]);
  assert.ok(outcome.atMs >= before && outcome.atMs <= Date.now() && outcome.durationMs >= 0);

  const { head, body: received } = endpoint.requests[0]!;
  assert.equal(received, body);
  assert.match(head, /^POST \/hook\?shop=7 HTTP\/1\.1\r\n/);
  const headers = Object.fromEntries(
    [...head.matchAll(/^([a-z-]+): (.*)\r$/gm)].map(([, name, value]) => [name, value!]),
  );
  assert.equal(headers['host'], `127.0.0.1:${endpoint.port}`);
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['webhook-id'], 'evt_h_1_a');
  assert.ok(headers['user-agent']);
  assert.deepEqual(new Webhook(SECRET).verify(received, headers), JSON.parse(body));
  assert.throws(() => new Webhook(SECRET).verify(received.replace('data', 'date'), headers));
});

for (const [status, headers, expected] of [
  ['204 No Content', '', { status: 204, isSuccess: true }],
  ['410 Gone', '', { status: 410, isGone: true }],
  ['429 Slow Down', 'Retry-After: 7\r\n', { status: 429, retryAfterMs: 7_000 }],
  ['503 Busy', 'retry-after: soon\r\n', { status: 503 }],
  ['502 Bad Gateway', '', { status: 502 }],
  ['404 Not Found', '', { status: 404 }],
  ['200 OK', 'retry-after: 7\r\n', { status: 200, isSuccess: true }],
] as const) {
  test(`${status}${headers && ` with ${headers.trim()}`} is reported unchanged`, async (t) => {
    const endpoint = await startEndpoint(t, answerWith(status, headers));
    const { atMs: _, durationMs: __, ...told } = await send(startSender(t), endpoint.url);
    const plain = { error: null, excerpt: null, retryAfterMs: undefined, isSuccess: false, isGone: false };
    assert.deepEqual(told, { ...plain, ...expected });
  });
}

const CLOSED = 'the connection was closed before the answer was whole';
const NOT_HTTP = 'the answer is not HTTP/1.1';

for (const [what, answer, expected] of [
  ['204 that announces a body', '204 Done\r\ncontent-length: 2\r\n\r\n', { isSuccess: true, error: null }],
  ['204 that has a body', '204 Done\r\ncontent-length: 2\r\n\r\nok', { isSuccess: true, error: null }],
  ['200 that is cut off', '200 OK\r\ncontent-length: 9\r\n\r\nhalf', { isSuccess: true, error: null }],
  ['200 in bad chunks', '200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', { isSuccess: true, error: null }],
  ['410 that is cut off', '410 Gone\r\ncontent-length: 9\r\n\r\nhalf', { isGone: true, error: CLOSED }],
  ['500 in bad chunks', '500 Oops\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', { error: NOT_HTTP }],
] as const) {
  test(`the status decides: ${what}`, async (t) => {
    const endpoint = await startEndpoint(t, (socket) => socket.end(`HTTP/1.1 ${answer}`));
    const { isSuccess, isGone, error, status } = await send(startSender(t), endpoint.url);
    assert.deepEqual({ isSuccess, isGone, error }, { isSuccess: false, isGone: false, ...expected });
    assert.equal(status, Number(answer.slice(0, 3)));
  });
}

test('one after the other, all deliveries to a URL take one connection', async (t) => {
  const endpoint = await startEndpoint(t, answerWith('200 OK', '', 'ok'));
  const sender = startSender(t);
  for (let i = 0; i < 30; i++) assert.equal((await send(sender, endpoint.url)).isSuccess, true);
  assert.deepEqual([endpoint.requests.length, endpoint.connections], [30, 1]);
});

test('at the same time, deliveries take no more connections than there are of them', async (t) => {
  const waiting: Socket[] = [];
  const endpoint = await startEndpoint(t, (socket, number) => {
    // None is answered before all are there.
    if (waiting.push(socket) === 8) for (const each of waiting.splice(0)) answerWith('200 OK')(each, number);
  });
  const sender = startSender(t);
  for (let round = 0; round < 5; round++)
    await Promise.all(Array.from({ length: 8 }, () => send(sender, endpoint.url)));
  assert.deepEqual([endpoint.requests.length, endpoint.connections], [40, 8]);
});

test('an endpoint that closes after each answer gets everything, each on its own connection', async (t) => {
  const endpoint = await startEndpoint(t, (socket) => {
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nbye');
  });
  const sender = startSender(t);
  for (let i = 0; i < 5; i++) {
    const { isSuccess, excerpt, error } = await send(sender, endpoint.url);
    assert.deepEqual({ isSuccess, excerpt, error }, { isSuccess: true, excerpt: 'bye', error: null });
  }
  assert.equal(endpoint.connections, 5);
});

test('a kept connection that turns out to be closed is no failure: the delivery goes out on a new one', async (t) => {
  const endpoint = await startEndpoint(t, (socket, number) => {
    if (number === 2) socket.destroy();
    else answerWith('200 OK')(socket, number);
  });
  const sender = startSender(t);
  await send(sender, endpoint.url);
  const { isSuccess, error } = await send(sender, endpoint.url);
  assert.deepEqual({ isSuccess, error }, { isSuccess: true, error: null });
  assert.deepEqual([endpoint.requests.length, endpoint.connections], [3, 2]);
});

test('a new connection that is closed without an answer is a failure, told once', async (t) => {
  const endpoint = await startEndpoint(t, (socket) => socket.destroy());
  const { status, error } = await send(startSender(t), endpoint.url);
  assert.deepEqual({ status, error }, { status: null, error: 'the connection was closed before the answer was whole' });
  assert.equal(endpoint.requests.length, 1);
});

test('deliveries to one URL leave those to another on the same server their own connections', async (t) => {
  const endpoint = await startEndpoint(t, (socket, number) => {
    if (endpoint.requests[number - 1]!.head.startsWith('POST /hook ')) answerWith('200 OK')(socket, number);
  });
  const sender = startSender(t, { timeoutMs: 20_000 });
  const hanging = Array.from({ length: 300 }, () => send(sender, `${endpoint.url}/hangs`));
  assert.equal((await send(sender, endpoint.url)).isSuccess, true);
  const stopped = Promise.allSettled(hanging);
  await sender.stop();
  for (const { status } of await stopped) assert.equal(status, 'rejected');
});

for (const [what, answer, excerpt] of [
  [
    'text that Postgres refuses',
    Buffer.from([0x61, 0, 0xff, 0x62, 0xed, 0xa0, 0x80]),
    'a\uFFFD\uFFFDb\uFFFD\uFFFD\uFFFD',
  ],
  ['a long text', Buffer.from('x'.repeat(EXCERPT_BYTES)), 'x'.repeat(500)],
  ['a cut through a character of two units', Buffer.from(`${'x'.repeat(499)}🚚`), 'x'.repeat(499)],
  ['the longest characters', Buffer.from('🚚'.repeat(400)), '🚚'.repeat(250)],
] as const) {
  test(`an excerpt is text for Postgres: ${what}`, async (t) => {
    const endpoint = await startEndpoint(t, answerWith('500 Oops', '', answer));
    const outcome = await send(startSender(t), endpoint.url);
    assert.equal(outcome.excerpt, excerpt);
    assert.equal(outcome.excerpt.isWellFormed(), true);
  });
}

test('a compressed answer is taken for what it is, and not shown', async (t) => {
  const endpoint = await startEndpoint(t, answerWith('200 OK', 'content-encoding: gzip\r\n', Buffer.alloc(300, 0x1f)));
  const { isSuccess, excerpt } = await send(startSender(t), endpoint.url);
  assert.deepEqual({ isSuccess, excerpt }, { isSuccess: true, excerpt: null });
});

test('a stopped sender gives up what is under way and takes nothing more', async (t) => {
  const endpoint = await startEndpoint(t, () => {});
  const sender = startSender(t);
  const underWay = assert.rejects(send(sender, endpoint.url), /stopped/);
  await sender.stop();
  await underWay;
  await assert.rejects(send(sender, endpoint.url), /stopped/);
});

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { type Clock, type Scheduler, systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { until } from '../../support/until.ts';
import { type AnswerRequest, answerWith, send, startEndpoint, startSender } from './local-endpoint.ts';

const TIMED_OUT = `timed out after ${LIMITS.webhookTimeoutMs / 1_000} s`;
const OK = 'HTTP/1.1 200 OK\r\n';

/** The time of one attempt, which is over when the test says so: what has come by then has come on every machine. */
function timeByHand() {
  let nowMs = 0;
  let end = (): void => assert.fail('no attempt has begun');
  const clock: Clock = { now: () => systemClock.now(), monotonic: () => nowMs };
  const scheduler: Scheduler = {
    ...systemScheduler,
    after(delayMs, task) {
      assert.equal(delayMs, LIMITS.webhookTimeoutMs);
      end = task;
      return () => {};
    },
  };
  return {
    clock,
    scheduler,
    async isOver(): Promise<void> {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      nowMs = LIMITS.webhookTimeoutMs;
      end();
    },
  };
}

/** A byte now and then, for ever. */
function drip(begin: string): AnswerRequest {
  return (socket) => {
    socket.write(begin);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

for (const [what, answer, status] of [
  ['never answers', () => {}, null],
  ['drips its head', drip(`${OK}x-slow: `), null],
  ['drips a failure', drip('HTTP/1.1 500 Oops\r\ncontent-length: 100000\r\n\r\n'), 500],
] as const) {
  test(`an endpoint that ${what} is cut off when its time is over`, async (t) => {
    const { isOver, ...time } = timeByHand();
    const endpoint = await startEndpoint(t, (socket, number) => {
      answer(socket, number);
      void isOver();
    });
    const outcome = await send(startSender(t, time), endpoint.url);
    assert.equal(outcome.error, TIMED_OUT);
    assert.equal(outcome.status, status);
    assert.equal(outcome.isSuccess, false);
    assert.equal(outcome.durationMs, LIMITS.webhookTimeoutMs);
  });
}

for (const [what, answer] of [
  ['drips a body of known length', drip(`${OK}content-length: 100000\r\n\r\n`)],
  ['drips a body without an end', drip(`${OK}\r\n`)],
  ['answers a part and stops', (socket: Socket) => socket.write(`${OK}content-length: 9\r\n\r\nhalf`)],
] as const) {
  test(`an endpoint that ${what} has taken the delivery when its time is over`, async (t) => {
    const { isOver, ...time } = timeByHand();
    const endpoint = await startEndpoint(t, (socket, number) => {
      answer(socket, number);
      void isOver();
    });
    const { status, error, isSuccess } = await send(startSender(t, time), endpoint.url);
    assert.deepEqual({ status, error, isSuccess }, { status: 200, error: null, isSuccess: true });
  });
}

test('a name that never resolves is cut off when its time is over', async (t) => {
  const endpoint = await startEndpoint(t, answerWith('200 OK'));
  const { isOver, ...time } = timeByHand();
  const resolve = () => {
    void isOver();
    return new Promise<never>(() => {});
  };
  const sender = startSender(t, { ...time, resolve });
  const { error } = await send(sender, `http://hook.example:${endpoint.port}/`);
  assert.equal(error, TIMED_OUT);
});

/** The same bytes over and over, as fast as they are taken: a gigabyte. */
function flood(begin: string, bytes: string): { answer: AnswerRequest; sent: () => number } {
  const block = Buffer.from(bytes.repeat(Math.ceil(65_536 / bytes.length)));
  let sent = 0;
  function pour(socket: Socket): void {
    while (sent < 1e9 && !socket.destroyed) {
      sent += block.length;
      if (!socket.write(block)) return;
    }
  }
  return {
    sent: () => sent,
    answer: (socket) => {
      socket.write(begin);
      socket.on('drain', () => pour(socket));
      pour(socket);
    },
  };
}

const HEAD_TOO_LONG = 'the head of the answer is too long';

for (const [what, begin, bytes, expected] of [
  ['a body of known length', `${OK}content-length: 1000000000\r\n\r\n`, 'x', { status: 200, error: null }],
  ['a body without an end', `${OK}\r\n`, 'x', { status: 200, error: null }],
  ['a failure without an end', 'HTTP/1.1 500 Oops\r\n\r\n', 'x', { status: 500, error: null }],
  ['the smallest chunks', `${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n', { status: 200, error: null }],
  ['a chunk extension', `${OK}transfer-encoding: chunked\r\n\r\n1;`, 'x', { status: 200, error: null }],
  ['one header', `${OK}x-long: `, 'x', { status: null, error: HEAD_TOO_LONG }],
  ['many headers', OK, 'x-more: x\r\n', { status: null, error: HEAD_TOO_LONG }],
  ['a status line', 'HTTP/1.1 200 ', 'x', { status: null, error: HEAD_TOO_LONG }],
  ['early hints', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', { status: null, error: HEAD_TOO_LONG }],
] as const) {
  test(`of a gigabyte of ${what} no more is taken than is allowed`, async (t) => {
    const { answer, sent } = flood(begin, bytes);
    const endpoint = await startEndpoint(t, answer);
    const { status, error, excerpt, isSuccess } = await send(startSender(t), endpoint.url);
    assert.deepEqual({ status, error }, expected);
    assert.equal(isSuccess, expected.status === 200);
    assert.ok((excerpt ?? '').length <= LIMITS.webhookExcerptChars);
    // Bytes in the buffers between have been sent, but not accepted.
    assert.ok(sent() < 16 * 1_048_576, `${sent()} bytes were sent`);
  });
}

test('an answer as long as allowed leaves its connection to the next delivery', async (t) => {
  const endpoint = await startEndpoint(t, answerWith('200 OK', '', Buffer.alloc(LIMITS.webhookAnswerBytes, 0x78)));
  const sender = startSender(t);
  for (let i = 0; i < 3; i++) assert.equal((await send(sender, endpoint.url)).isSuccess, true);
  assert.equal(endpoint.connections, 1);
});

test('an answer that is not HTTP is reported as such', async (t) => {
  const endpoint = await startEndpoint(t, (socket) => socket.write('220 mail.example ESMTP\r\n'));
  const { status, error } = await send(startSender(t), endpoint.url);
  assert.deepEqual({ status, error }, { status: null, error: 'the answer is not HTTP/1.1' });
});

test('an answer that nobody asked for does not become the next delivery’s', async (t) => {
  const endpoint = await startEndpoint(t, (socket, number) => {
    const status = number === 1 ? '500 First' : '200 OK';
    socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
    if (number === 1) socket.write('HTTP/1.1 418 Unasked\r\ncontent-length: 0\r\n\r\n');
  });
  const sender = startSender(t);
  assert.equal((await send(sender, endpoint.url)).status, 500);
  assert.equal((await send(sender, endpoint.url)).status, 200);
});

test('more deliveries at once than connections are allowed wait for their turn', async (t) => {
  const most = LIMITS.webhookConnectionsPerUrl;
  const endpoint = await startEndpoint(t, answerWith('200 OK'));
  const sender = startSender(t);
  const outcomes = await Promise.all(Array.from({ length: 2 * most }, () => send(sender, endpoint.url)));
  assert.ok(outcomes.every(({ isSuccess }) => isSuccess));
  assert.ok(endpoint.connections <= most, `${endpoint.connections} connections`);
});

test('requests that wait longer than their time are cut off, and block no other after that', async (t) => {
  let isWell = false;
  const endpoint = await startEndpoint(t, (socket, number) => isWell && answerWith('200 OK')(socket, number));
  const sender = startSender(t, { timeoutMs: 400 });
  const many = Array.from({ length: LIMITS.webhookConnectionsPerUrl + 50 }, () => send(sender, endpoint.url));
  for (const { error, durationMs } of await Promise.all(many))
    assert.deepEqual([error, durationMs >= 400 - 2], ['timed out after 0.4 s', true]);
  isWell = true;
  await until('it is served again', async () => (await send(sender, endpoint.url)).isSuccess);
});

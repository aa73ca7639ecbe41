import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../../../gateway/client/create-client.ts';
import { DispatchError } from '../../../../gateway/client/dispatch-error.ts';
import { refused, type Step, standInService, success } from './stand-in-service.ts';

const QUICK = { firstPauseMs: 1, longestPauseMs: 20, giveUpAfterMs: 10_000 };
const LOST = new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
const broken = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"statusIndicator":'));
        controller.error(new Error('ECONNRESET'));
      },
    }),
  );

function clientOf(...steps: readonly Step[]) {
  const service = standInService(...steps);
  const client = createClient({ baseUrl: 'http://service/', apiKey: 'dk', fetch: service.fetch, retry: QUICK });
  return { client, seen: service.seen };
}

const cancel = { path: { id: 7 }, body: { status: 'cancelled', reason: 'closed' } } as const;

async function failureOf(call: Promise<unknown>): Promise<DispatchError> {
  const error = await call.then(
    () => undefined,
    (failed: unknown) => failed,
  );
  assert.ok(error instanceof DispatchError, `threw ${String(error)}`);
  return error;
}

for (const [name, step] of [
  ['no answer', LOST],
  ['an answer that breaks off', broken],
  ['503 OUTCOME_UNKNOWN', refused(503, 'OUTCOME_UNKNOWN')],
  ['503 NOT_APPLIED', refused(503, 'NOT_APPLIED')],
  ['503 with Retry-After', refused(503, 'NOT_OWNER', { 'retry-after': '0' })],
  ['429 with Retry-After', refused(429, 'RATE_LIMITED', { 'retry-after': '0' })],
  ['a 502 of a proxy', () => new Response('<html>', { status: 502 })],
  ['a 500 of a proxy', () => new Response('<html>', { status: 500 })],
  ['a 520 of a proxy', () => new Response('', { status: 520 })],
] as const)
  test(`a change is sent again after ${name}, under the same key and with the same body`, async () => {
    const { client, seen } = clientOf(step, LOST, success({ id: 7 }, { 'idempotency-replayed': 'true' }));
    const answer = await client.put('/tasks/{id}/status', cancel);
    assert.deepEqual([answer.data.id, answer.isReplayed, answer.position], [7, true, 'h-7']);
    assert.equal(seen.length, 3);
    const first = seen[0]!;
    assert.match(first.headers.get('idempotency-key')!, /^[0-9a-f-]{36}$/);
    assert.equal(first.url, 'http://service/api/v1/tasks/7/status');
    for (const { method, headers, body } of seen) {
      assert.deepEqual([method, body], ['PUT', JSON.stringify(cancel.body)]);
      assert.equal(headers.get('idempotency-key'), first.headers.get('idempotency-key'));
      assert.equal(headers.get('x-api-key'), 'dk');
    }
  });

test('two calls have two keys, a read has none, and a given key is used', async () => {
  const { client, seen } = clientOf(success({}), success({}), success({}), success({}));
  await client.put('/tasks/{id}/status', cancel);
  await client.put('/tasks/{id}/status', cancel);
  await client.get('/tasks/{id}', { path: { id: 7 } });
  await client.put('/tasks/{id}/status', { ...cancel, idempotencyKey: 'order-12' });
  const keys = seen.map(({ headers }) => headers.get('idempotency-key'));
  assert.notEqual(keys[0], keys[1]);
  assert.deepEqual(keys.slice(2), [null, 'order-12']);
});

for (const [status, code] of [
  [400, undefined],
  [401, undefined],
  [403, 'PACKAGE_LIMIT_EXCEEDED'],
  [404, undefined],
  [409, 'INVALID_STATUS_TRANSITION'],
  [412, 'PRECONDITION_FAILED'],
  [422, 'IDEMPOTENCY_KEY_REUSED'],
  [500, undefined],
] as const)
  test(`${status} ${code ?? ''} is final at once`, async () => {
    const { client, seen } = clientOf(refused(status, code));
    const error = await failureOf(client.put('/tasks/{id}/status', cancel));
    assert.equal(seen.length, 1);
    assert.deepEqual([error.status, error.isOutcomeUnknown], [status, false]);
    if (code) assert.equal(error.code, code);
  });

test('a change whose outcome stays unknown says so, with the key to repeat it under', async () => {
  const steps = [refused(503, 'OUTCOME_UNKNOWN'), refused(503, 'OVERLOADED', { 'retry-after': '60' })];
  const { client, seen } = clientOf(...steps);
  const error = await failureOf(client.put('/tasks/{id}/status', cancel));
  assert.deepEqual([error.code, error.retryAfterMs, error.isOutcomeUnknown], ['OVERLOADED', 60_000, true]);
  assert.equal(error.idempotencyKey, seen[0]!.headers.get('idempotency-key'));
});

test('a change that was not applied in the end is known, even after an attempt without an answer', async () => {
  const { client } = clientOf(LOST, refused(503, 'NOT_APPLIED', { 'retry-after': '60' }));
  const error = await failureOf(client.put('/tasks/{id}/status', cancel));
  assert.deepEqual([error.code, error.isOutcomeUnknown], ['NOT_APPLIED', false]);
});

for (const [what, step, code] of [
  ['a 500 of the service', refused(500), 'INTERNAL'],
  ['a 503 of a proxy', new Response('<html>', { status: 503, headers: { 'retry-after': '60' } }), 'HTTP_503'],
  ['a 404 of a proxy', new Response('<html>', { status: 404 }), 'HTTP_404'],
  ['a 404 of a proxy in JSON', Response.json({ message: 'no Route matched' }, { status: 404 }), 'HTTP_404'],
  ['a 404 of a proxy with a code', Response.json({ code: 'no_route', statusCode: 404 }, { status: 404 }), 'HTTP_404'],
] as const)
  test(`a change without an answer stays unknown after ${what}`, async () => {
    const { client, seen } = clientOf(LOST, step);
    const error = await failureOf(client.put('/tasks/{id}/status', cancel));
    assert.deepEqual([error.code, error.isOutcomeUnknown, seen.length], [code, true, 2]);
    assert.equal(error.idempotencyKey, seen[0]!.headers.get('idempotency-key'));
  });

test('a change that the service refuses is known, also by a code of its status alone', async () => {
  const { client } = clientOf(LOST, refused(405));
  const error = await failureOf(client.put('/tasks/{id}/status', cancel));
  assert.deepEqual([error.code, error.isOutcomeUnknown], ['HTTP_405', false]);
});

test('a change that a proxy answers for the service is unknown by that alone', async () => {
  const { client } = clientOf(new Response('<html>', { status: 500, headers: { 'retry-after': '60' } }));
  const error = await failureOf(client.put('/tasks/{id}/status', cancel));
  assert.deepEqual([error.code, error.isOutcomeUnknown], ['HTTP_500', true]);
});

test('a change without an answer stays unknown when its credential fails before the next attempt, and has its key', async () => {
  const over = new DispatchError('the session has ended', { status: 401, code: 'SESSION_ENDED' });
  for (const [failed, code, status] of [
    [over, 'SESSION_ENDED', 401],
    [new Error('no vault'), 'NO_ANSWER', 0],
  ] as const)
    for (const when of ['headers', 'renew'] as const) {
      const service = standInService(LOST, refused(401));
      const session = {
        headers: async () => {
          if (when === 'headers' && service.seen.length > 0) throw failed;
          return {};
        },
        renew: () => Promise.reject(failed),
      };
      const client = createClient({ baseUrl: 'http://service', session, fetch: service.fetch, retry: QUICK });
      const error = await failureOf(client.put('/tasks/{id}/status', cancel));
      assert.deepEqual([error.code, error.status, error.isOutcomeUnknown], [code, status, true], when);
      assert.equal(error.idempotencyKey, service.seen[0]!.headers.get('idempotency-key'));
      assert.equal(error.cause, failed);
    }
});

test('a credential that fails at first is known: nothing was sent, and an error of the program stays what it is', async () => {
  const failing = (failed: Error) => {
    const session = { headers: () => Promise.reject(failed), renew: async () => false };
    return createClient({ baseUrl: 'http://service', session }).put('/tasks/{id}/status', {
      ...cancel,
      idempotencyKey: 'order-12',
    });
  };
  const over = await failureOf(failing(new DispatchError('over', { status: 401, code: 'SESSION_ENDED' })));
  assert.deepEqual([over.code, over.isOutcomeUnknown, over.idempotencyKey], ['SESSION_ENDED', false, 'order-12']);
  const bug = new Error('no vault');
  await assert.rejects(failing(bug), (error) => error === bug);
});

test('a call gives up after its time, with the last failure and its cause', async () => {
  const { client, seen } = clientOf(...Array.from({ length: 50 }, () => LOST));
  const error = await failureOf(client.get('/tasks/{id}', { path: { id: 7 }, giveUpAfterMs: 300 }));
  assert.deepEqual([error.code, error.status, error.isOutcomeUnknown], ['NO_ANSWER', 0, false]);
  assert.match(error.message, /GET \/api\/v1\/tasks\/7: no answer \(fetch failed: ECONNRESET\)/);
  assert.ok(seen.length > 2 && seen.length < 50, `${seen.length} attempts`);
});

test('the signal of a call ends its pause with its reason, and so does that of the client, which ends its streams too', async () => {
  for (const owner of ['call', 'client']) {
    const leaving = new AbortController();
    const service = standInService(() => {
      queueMicrotask(() => leaving.abort(new Error('the page is gone')));
      return refused(503, 'OVERLOADED', { 'retry-after': '5' });
    });
    const ofClient = owner === 'client' ? { signal: leaving.signal } : {};
    const ofCall = owner === 'call' ? { signal: leaving.signal } : {};
    const client = createClient({ baseUrl: 'http://service', fetch: service.fetch, ...ofClient });
    await assert.rejects(client.get('/tasks/{id}', { path: { id: 7 }, ...ofCall }), /the page is gone/, owner);
    assert.equal(service.seen.length, 1);
    for await (const { type } of client.follow(ofCall)) assert.fail(`the stream of the ${owner} yields ${type}`);
    assert.equal(service.seen.length, 1);
  }
});

for (const [what, options, call, message] of [
  ['an API key with a character that cannot be seen', { apiKey: 'dk_1\u200b' }, {}, /x-api-key .* U\+200B, .* at 4$/],
  ['an API key with a control character', { apiKey: 'dk_1\u0001' }, {}, /x-api-key .* U\+0001, .* at 4$/],
  ['an API key with a deleted character', { apiKey: 'dk\u007f_1' }, {}, /x-api-key .* U\+007F, .* at 2$/],
  ['a token of several lines', { token: () => 'da\nda' }, {}, /authorization .* U\+000A/],
  ['an entity tag in other letters', {}, { ifMatch: '"Łódź"' }, /if-match .* U\+0141, .* at 1$/],
  ['an idempotency key in other letters', {}, { idempotencyKey: 'Łódź-7' }, /printable ASCII/],
  ['an empty idempotency key', {}, { idempotencyKey: '' }, /printable ASCII/],
] as const)
  test(`${what} is an error of the program, and nothing is asked`, async () => {
    const { fetch, seen } = standInService();
    const client = createClient({ baseUrl: 'http://service', fetch, retry: QUICK, ...options });
    const ask = async () => client.put('/tasks/{id}/status', { ...cancel, ...call });
    await assert.rejects(ask, (error) => error instanceof TypeError && message.test(error.message));
    assert.equal(seen.length, 0);
  });

test('a change without an answer stays unknown when its next token cannot be sent', async () => {
  const { fetch, seen } = standInService(LOST);
  const token = () => (seen.length === 0 ? 'da' : 'da\u200b');
  const client = createClient({ baseUrl: 'http://service', fetch, retry: QUICK, token });
  const error = await failureOf(client.put('/tasks/{id}/status', cancel));
  assert.deepEqual([error.isOutcomeUnknown, error.cause instanceof TypeError], [true, true]);
  assert.equal(error.idempotencyKey, seen[0]!.headers.get('idempotency-key'));
});

test('a key may end with the line of the file that it was read from', async () => {
  const { fetch, seen } = standInService(success([]));
  await createClient({ baseUrl: 'http://service', apiKey: 'dk_1\r\n ', fetch, retry: QUICK }).get('/tasks');
  assert.equal(seen[0]!.headers.get('x-api-key'), 'dk_1');
});

const UNUSABLE = ['dispatch.example', 'dispatch.example:8080', '/dispatch', '', 'http://ada:pw@service'];
for (const baseUrl of [...UNUSABLE, 'http://service?key=1', 'http://service/dispatch#home'])
  test(`the address "${baseUrl}" is refused when a client is made`, () => {
    assert.throws(
      () => createClient({ baseUrl, apiKey: 'dk' }),
      /^TypeError: baseUrl (is an address|has a user|has a \? or #)/,
    );
  });

for (const [baseUrl, address] of [
  [' https://service:8443/ ', 'https://service:8443'],
  ['http://service/dispatch//', 'http://service/dispatch'],
  ['HTTP://[::1]:8080?', 'http://[::1]:8080'],
] as const)
  test(`the address "${baseUrl}" leads to ${address}`, async () => {
    const { fetch, seen } = standInService(success([]));
    await createClient({ baseUrl, fetch, retry: QUICK }).get('/tasks');
    assert.equal(seen[0]!.url, `${address}/api/v1/tasks`);
  });

test('a missing part of a path, and two credentials, are errors of the program', async () => {
  const { client } = clientOf();
  await assert.rejects(async () => client.get('/tasks/{id}', { path: {} as { id: number } }), /needs a value for id/);
  assert.throws(() => createClient({ baseUrl: 'http://service', apiKey: 'dk', token: () => 'da' }), /give one of/);
});

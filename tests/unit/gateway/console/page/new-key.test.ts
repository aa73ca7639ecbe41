import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, ApiCall } from '../../../../../gateway/console/live/protocol.ts';
import { keyedCalls } from '../../../../../gateway/console/page/new-key.ts';

const CREATE: ApiCall = { method: 'POST', path: '/webhooks', body: { url: 'https://example.com' } };

const refused = (status: number): Answer<never> => ({
  ok: false,
  failure: { status, code: null, message: '', details: null },
});

/** Whether the same call, sent again after such an answer, has its key again. */
async function hasSameKey(first: Answer<never>, second: ApiCall = CREATE): Promise<boolean> {
  const keys: (string | undefined)[] = [];
  const call = keyedCalls(async ({ key }) => {
    keys.push(key);
    return first;
  });
  await call(CREATE);
  await call(second);
  assert.ok(keys.every((key) => key));
  return keys[0] === keys[1];
}

test('a call that got no answer has the same key when it is sent again', async () => {
  for (const status of [0, 401, 429, 502, 503]) assert.ok(await hasSameKey(refused(status)), `${status}`);
});

test('a call that the engine has decided is another one when it is sent again', async () => {
  assert.ok(!(await hasSameKey({ ok: true, status: 201, data: undefined as never })));
  for (const status of [400, 403, 404, 409, 412]) assert.ok(!(await hasSameKey(refused(status))), `${status}`);
});

test('a call that got no answer and is then refused by a guard has the same key still: it may have been carried out', async () => {
  const keysAfter = async (...answers: readonly Answer<never>[]) => {
    const keys: (string | undefined)[] = [];
    const call = keyedCalls(async ({ key }) => answers[keys.push(key) - 1] ?? refused(0));
    for (let sent = 0; sent <= answers.length; sent += 1) await call(CREATE);
    return new Set(keys).size;
  };
  for (const status of [400, 403, 404, 413]) assert.equal(await keysAfter(refused(0), refused(status)), 1, `${status}`);
  for (const status of [409, 412, 422]) assert.equal(await keysAfter(refused(0), refused(status)), 2, `${status}`);
  const code = 'PACKAGE_LIMIT_EXCEEDED';
  const overLimit = { ok: false, failure: { status: 403, code, message: '', details: null } } as const;
  assert.equal(await keysAfter(refused(0), overLimit), 2);
  assert.equal(await keysAfter(refused(403), refused(403)), 3);
  // The first answer came again, so the first call was decided so.
  const again = {
    ok: false,
    failure: { status: 404, code: null, message: '', details: null, isReplayed: true },
  } as const;
  assert.equal(await keysAfter(refused(0), again), 2);
  assert.equal(await keysAfter(refused(0), refused(404), again), 2);
});

test('a first refusal whose earlier attempt got no answer decides nothing, unless only a decision has it', async () => {
  const afterLost = (status: number, more: object = {}): Answer<never> => {
    const failure = { status, code: null, message: '', details: null, isOutcomeUnknown: true };
    return { ok: false, failure: { ...failure, ...more } };
  };
  assert.ok(await hasSameKey(afterLost(403)));
  assert.ok(await hasSameKey(afterLost(404)));
  assert.ok(!(await hasSameKey(afterLost(403, { isReplayed: true }))));
  assert.ok(!(await hasSameKey(afterLost(403, { code: 'PACKAGE_LIMIT_EXCEEDED' }))));
});

test('a call without an answer is not sent again after 23 hours, unless a person presses once more', async (t) => {
  const start = Date.parse('2031-05-01T08:00:00Z');
  t.mock.timers.enable({ apis: ['Date'], now: start });
  const keys: (string | undefined)[] = [];
  const call = keyedCalls(async ({ key }) => {
    keys.push(key);
    return refused(0);
  });
  const other = keyedCalls(async () => refused(0));
  await other(CREATE);
  for (const hours of [0, 22]) {
    t.mock.timers.setTime(start + hours * 3_600_000);
    await call(CREATE);
  }
  assert.deepEqual(keys, [keys[0], keys[0]]);
  t.mock.timers.setTime(start + 23 * 3_600_000);
  const answer = await call(CREATE);
  assert.match(answer.ok ? '' : answer.failure.message, /^This was sent at least 23 hours ago/);
  assert.equal(keys.length, 2);
  assert.deepEqual(await other({ ...CREATE, path: '/channels' }), refused(0), 'another call is none of yesterday');
  await call(CREATE);
  assert.equal(keys.length, 3);
  assert.notEqual(keys[2], keys[0]);
});

test('another call has another key, also after no answer', async () => {
  assert.ok(!(await hasSameKey(refused(0), { ...CREATE, body: { url: 'https://example.org' } })));
  assert.ok(!(await hasSameKey(refused(0), { ...CREATE, path: '/channels' })));
});

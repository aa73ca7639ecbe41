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

test('another call has another key, also after no answer', async () => {
  assert.ok(!(await hasSameKey(refused(0), { ...CREATE, body: { url: 'https://example.org' } })));
  assert.ok(!(await hasSameKey(refused(0), { ...CREATE, path: '/channels' })));
});

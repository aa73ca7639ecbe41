import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { memoryStore } from '../../../../../gateway/client/session.ts';
import { Api } from '../../../../../gateway/console/live/api.ts';
import { LiveCore } from '../../../../../gateway/console/live/live-core.ts';
import type { CallerView } from '../../../../../schema/accounts/caller.ts';
import { until } from '../../../../support/until.ts';

type Answered = (answer: { readonly data: unknown; readonly position: string }) => void;

test('an answer about the caller that comes after that of a later question is not reported', async () => {
  const told: string[] = [];
  const waiting: Answered[] = [];
  class SlowApi extends Api {
    override read<T>(): Promise<{ data: T; position: string }> {
      return new Promise((resolve) => waiting.push(resolve as Answered));
    }
  }
  const api = new SlowApi({
    baseUrl: 'http://127.0.0.1:1',
    store: Promise.resolve(memoryStore()),
    onEnded: () => {},
    onCaller: ({ user }) => told.push(user.role),
  });
  const both = [api.me(), api.me()];
  const answer = (role: string) => ({ data: { user: { role } } as CallerView, position: 'log-7' });
  waiting[1]!(answer('dispatcher'));
  waiting[0]!(answer('org_admin'));
  await Promise.all(both);
  assert.deepEqual(told, ['dispatcher']);
});

test('a refusal says whether it is the first answer under its key, again, and whether an attempt before it was lost', async (t) => {
  const statuses = [404, 504, 403];
  const server = createServer((_, response) => {
    const status = statuses.shift()!;
    const replayed = `${status === 404}`;
    response.writeHead(status, { 'content-type': 'application/json', 'idempotency-replayed': replayed }).end('{}');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const store = memoryStore();
  await store.write({ accessToken: 'own', refreshToken: '', expiresAtMs: Number.POSITIVE_INFINITY });
  const api = new Api({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    store: Promise.resolve(store),
    onEnded: () => {},
    onCaller: () => {},
  });
  const refusal = async () => {
    const answer = await api.call({ method: 'PATCH', path: '/webhooks/7', body: {}, key: 'k' });
    return answer.ok || [answer.failure.status, answer.failure.isReplayed, answer.failure.isOutcomeUnknown];
  };
  assert.deepEqual(await refusal(), [404, true, false]);
  assert.deepEqual(await refusal(), [403, false, true]);
});

test('a call that waits for its next try when its user leaves is not made for the next user', async (t) => {
  const seen: string[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers.authorization ?? '');
    response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const store = memoryStore();
  const signIn = (accessToken: string) =>
    store.write({ accessToken, refreshToken: '', expiresAtMs: Number.POSITIVE_INFINITY });
  const api = new Api({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    store: Promise.resolve(store),
    onEnded: () => {},
    onCaller: () => {},
  });
  await signIn('first');
  const call = api.call({ method: 'POST', path: '/tasks', body: {} });
  await until('it was tried', () => seen.length > 0);
  api.giveUpCalls();
  await signIn('second');
  const answer = await call;
  assert.deepEqual(answer.ok ? answer : answer.failure.message, 'The session is over.');
  assert.ok(!seen.includes('Bearer second'));
});

/** An API of an empty organization at noon in Greenwich, with a stream that says nothing. It keeps the exports that it was asked for. */
function emptyApi() {
  const exports: string[] = [];
  const follow = async (_from: string, signal: AbortSignal) =>
    (async function* () {
      yield { type: 'stream.ready', position: 'log-5', serverTime: '2026-03-29T12:00:00.000Z' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    })();
  const api = {
    open: async (path: string) => {
      exports.push(path);
      return new Response('', { headers: { 'x-log-position': 'log-5', date: 'Sun, 29 Mar 2026 12:00:00 GMT' } });
    },
    read: async () => ({ data: { items: [], count: 0 }, position: 'log-5' }),
    me: async () => ({ data: {}, position: 'log-5' }),
    failure: (error: unknown) => ({ failure: { status: 0 }, message: String(error) }),
    follow,
  };
  return { api: api as unknown as Api, exports };
}

test('in another time zone today began at another moment, so the console reads its tasks again', async () => {
  const { api, exports } = emptyApi();
  const core = new LiveCore(api, 'UTC', () => {});
  const asksFrom = (moment: string) => exports.some((path) => path.endsWith(`updatedFrom=${moment}`));
  try {
    void core.run();
    await until('it is live', () => core.connection.state === 'live');
    assert.ok(asksFrom('2026-03-29T00:00:00.000Z'));
    core.moveTo('Asia/Tokyo');
    await until('the tasks of the day in Tokyo are read', () => asksFrom('2026-03-28T15:00:00.000Z'));
    await until('it is live again', () => core.connection.state === 'live');
  } finally {
    core.stop();
  }
});

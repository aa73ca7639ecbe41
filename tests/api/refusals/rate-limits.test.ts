import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../schema/limits.ts';
import { post, RawClient } from '../../integration/http/raw-client.ts';
import { type ApiClient, type ApiReply, taskInput } from '../../support/api-client.ts';
import { seedChannel, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway({ own: 'it uses up what one address may do' });

const POLICY = 'ratelimit-policy';
const LEFT = 'ratelimit';
/** Sign-ins of one connection, without waiting for their answers. */
const SIGN_INS = 100;

/** A channel of the fixture's organization with a rate of its own. */
async function channelWith(rateLimit: number | null) {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { channelId, key } = await seedChannel(databaseUrl, organizationId);
  await setRate(channelId, rateLimit);
  return { channelId, api: fixture.clientOf(key) };
}

function setRate(channelId: number, rateLimit: number | null) {
  const { databaseUrl, organizationId } = fixture.gateway;
  return withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE channels SET rate_limit = ${rateLimit} WHERE organization_id = ${organizationId} AND id = ${channelId}`,
  );
}

function remainingIn({ headers }: ApiReply<unknown>): number {
  const found = /^"(?:requests|address)";r=(\d+);t=\d+$/.exec(String(headers[LEFT]));
  assert.ok(found, `RateLimit: ${headers[LEFT]}`);
  return Number(found[1]);
}

/** Uses everything up; the first answer that is a refusal. */
async function exhaust(api: ApiClient): Promise<ApiReply> {
  for (let sent = 0; sent < 100; sent++) {
    const reply = await api.get('/tasks/999000111');
    if (reply.status === 429) return reply;
  }
  throw new Error('was never refused');
}

test('a channel has 500 requests a second and a burst of 1,000 unless it is given a rate', async () => {
  const { api } = await channelWith(null);
  const reply = await api.list();
  assert.equal(reply.headers[POLICY], '"requests";q=1000;w=2');
  assert.equal(reply.headers[LEFT], '"requests";r=999;t=1');
  const { api: own } = await channelWith(20);
  assert.equal((await own.list()).headers[POLICY], '"requests";q=40;w=2');
});

test('a channel without a limit gets headers that say so', async () => {
  const { headers } = await fixture.api.list();
  assert.equal(headers[POLICY], '"unlimited";q=999999999999999;w=1');
  assert.equal(headers[LEFT], '"unlimited";r=999999999999999');
});

test('every reply tells the policy and what is left of it', async () => {
  const { api } = await channelWith(null);
  const task = await api.createTask();
  const etag = String((await api.get(`/tasks/${task.id}`)).headers.etag);
  const raw = (method: string, path: string, headers = {}) => api.raw({ method, path, headers });
  const replies: readonly (readonly [number, ApiReply<unknown>])[] = [
    [200, await api.list()],
    [201, await api.post('/tasks', taskInput())],
    [304, await api.get(`/tasks/${task.id}`, { 'if-none-match': etag })],
    [200, await api.get('/tasks/export')],
    [400, await api.post('/tasks', {})],
    [400, await api.get('/tasks/export?status=none')],
    [404, await api.get('/tasks/999000111')],
    [404, await api.get('/realtime/organizations/999000111/events')],
    [413, await api.post('/tasks', { name: 'x'.repeat(LIMITS.bodyBytes) })],
    [415, await api.post('/tasks', {}, { 'content-type': 'text/plain' })],
    [403, await api.get('/audit-logs')],
    [401, await raw('GET', '/api/v1/tasks')],
    [404, await raw('GET', '/api/v1/nowhere')],
    [405, await raw('DELETE', '/api/v1/tasks')],
    [414, await raw('GET', `/api/v1/tasks?cursor=${'x'.repeat(LIMITS.urlBytes)}`)],
    [431, await raw('GET', '/api/v1/tasks', { 'x-long': 'x'.repeat(LIMITS.headerBytes) })],
  ];
  for (const [status, reply] of replies) {
    assert.equal(reply.status, status, reply.text);
    assert.match(String(reply.headers[POLICY]), /^"(requests|address)";q=1000;w=2$/, String(status));
    assert.ok(remainingIn(reply) < 1_000, String(status));
  }
  for (const path of ['/healthz', '/metrics']) {
    assert.equal((await raw('GET', path)).headers[POLICY], undefined, 'except the operational paths');
  }
});

test('a caller over its limit is refused with the time to wait, is not banned, and disturbs no other caller', async () => {
  const { api } = await channelWith(2);
  const { api: other } = await channelWith(2);
  const refused = await exhaust(api);
  assert.deepEqual(refused.body as object, {
    statusCode: 429,
    message: 'Too many requests; try again later',
    error: 'Too Many Requests',
    code: 'RATE_LIMITED',
    details: { retryAfterSeconds: 1 },
  });
  assert.equal(refused.headers['retry-after'], '1');
  assert.equal(remainingIn(refused), 0);
  for (let i = 0; i < 4; i++) assert.equal((await other.list()).status, 200);
  await delay(1_000);
  assert.equal((await api.list()).status, 200);
});

test('a refused request changes nothing, and its retry with the same key is done', async () => {
  const { api } = await channelWith(2);
  let key = 0;
  const send = () => api.post('/tasks', taskInput(), { 'idempotency-key': `again ${key}` });
  while ((await send()).status !== 429) key += 1;
  await delay(1_000);
  const done = await send();
  assert.deepEqual([done.status, done.headers['idempotency-replayed']], [201, undefined]);
});

test('a batch costs one, and one more for each 50 tasks', async () => {
  const { api } = await channelWith(1);
  const batch = (count: number) => api.post('/tasks/batch', { tasks: Array.from({ length: count }, () => ({})) });
  const startedAt = performance.now();
  const done = await batch(500);
  assert.deepEqual([done.status, done.headers[LEFT]], [200, '"requests";r=0;t=11'], 'eleven are taken');
  const refused = await api.list();
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.equal(refused.status, 429);
  const wait = Number(refused.headers['retry-after']);
  assert.ok(wait <= 10 && wait >= 10 - seconds, `eleven taken and one to take, of two: ${wait} s`);
});

test('receipts cost one each', async () => {
  const { api } = await channelWith(1);
  const ids = await Promise.all(Array.from({ length: 10 }, async () => (await fixture.api.createTask()).id));
  const startedAt = performance.now();
  const printed = await api.get(`/tasks/print/receipts?ids=${ids},${ids[0]}`);
  assert.deepEqual([printed.status, remainingIn(printed)], [200, 0]);
  const refused = await api.list();
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.equal(refused.status, 429);
  const wait = Number(refused.headers['retry-after']);
  assert.ok(wait <= 9 && wait >= 9 - seconds, `ten taken and one to take, of two: ${wait} s`);
});

test('a user has a limit of its own, over all its sessions', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { userId } = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const signIn = async () => fixture.clientOf(await seedSession(databaseUrl, organizationId, userId));
  const clients = [await signIn(), await signIn()];
  for (let i = 0; i < 10; i++) {
    for (const client of clients) assert.equal((await client.list()).headers[POLICY], '"requests";q=1000;w=2');
  }
  await until('both draw on one bucket', async () => {
    const flood = Array.from({ length: 300 }, () => clients[0]!.get('/tasks/999000111'));
    // Amid them: however slow the machine is, not all has flowed in again.
    const reply = await clients[1]!.list();
    await Promise.all(flood);
    return remainingIn(reply) < 1_000 - 1;
  });
});

test('another rate is heard of soon', async () => {
  const { api, channelId } = await channelWith(1);
  await exhaust(api);
  await setRate(channelId, 0);
  await until('it is', async () => (await api.list()).headers[LEFT] === '"unlimited";r=999999999999999');
});

test('64 connections together get what the bucket holds and what flows into it, and no more', async () => {
  const { api } = await channelWith(50);
  const startedAt = performance.now();
  const sinceStart = () => (performance.now() - startedAt) / 1_000;
  let [served, firstAnswer, lastRefused] = [0, Number.POSITIVE_INFINITY, 0];
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (sinceStart() < 1 || lastRefused === 0) {
        const sent = sinceStart();
        const { status } = await api.get('/tasks/999000111');
        firstAnswer = Math.min(firstAnswer, sinceStart());
        if (status === 429) lastRefused = Math.max(lastRefused, sent);
        else served += 1;
      }
    }),
  );
  // Whenever somebody is refused, all that has flowed in by then is used up.
  const [least, most] = [100 + 50 * (lastRefused - firstAnswer) - 1, 100 + 50 * sinceStart() + 1];
  assert.ok(served >= least && served <= most, `${served} served, not ${least} to ${most}`);
});

test('logins are limited by address, at no cost to other callers behind that address', async () => {
  const { api } = await channelWith(null);
  const statuses: number[] = [];
  // In one go, so that they come sooner than new ones are allowed, on a slow machine as well.
  const signIn = post('/api/v1/auth/verify-email', '{}', 'Content-Type: application/json');
  for (let round = 0; round < 200 && !statuses.includes(429); round++) {
    const client = new RawClient(Number(new URL(fixture.gateway.baseUrl).port));
    client.send(signIn.repeat(SIGN_INS));
    assert.ok(await client.until(() => client.answer().statuses.length === SIGN_INS), client.text);
    statuses.push(...client.answer().statuses);
    client.end();
  }
  assert.deepEqual([...new Set(statuses)].sort(), [400, 429]);
  assert.ok(statuses.filter((status) => status === 400).length >= LIMITS.requestBurst - SIGN_INS);
  assert.equal((await api.list()).status, 200);
  const nobody = await fixture.api.raw({ method: 'GET', path: '/api/v1/tasks' });
  assert.equal(nobody.status, 401, 'nor does it hide what is wrong with a request');
});

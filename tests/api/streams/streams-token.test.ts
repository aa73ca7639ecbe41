import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { hashSecret } from '../../../engine/runtime/secrets.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createApiClient } from '../../support/api-client.ts';
import { seedAgent, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { startTcpProxy } from '../../support/services/tcp-proxy.ts';
import { startTestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, bearer, signIn } from '../auth/auth-client.ts';
import { refusalOf, sequencesOf, useStreams } from './stream-fixture.ts';

const fixture = useGateway({ own: 'a second gateway runs at its place' });
const streams = useStreams();

interface Token {
  readonly token: string;
  readonly expiresIn: number;
}

/** A dispatcher with a session, and how it asks for tokens and opens streams with them. */
async function dispatcher() {
  const { databaseUrl, baseUrl } = fixture.gateway;
  const organization = await fixture.organization();
  const { organizationId } = organization;
  const { userId } = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const key = await seedSession(databaseUrl, organizationId, userId);
  const issue = async () => {
    const { status, body } = await fixture.clientOf(key).post<Token>('/realtime/token', {});
    assert.equal(status, 201);
    return body.data.token;
  };
  const open = (token: string, more: { key?: string; path?: string } = {}, from = baseUrl) =>
    streams.watch(from, { organizationId, query: `token=${token}`, ...more });
  return { ...organization, userId, key, issue, open };
}

test('a token opens one stream of either kind, without a header, with the rights of its owner', async () => {
  const { api, key, issue, open, organizationId } = await dispatcher();
  const { body } = await fixture.clientOf(key).post<Token>('/realtime/token', {});
  assert.deepEqual([body.data.expiresIn, LIMITS.streamTokenMs], [60, 60_000]);
  assert.match(body.data.token, /^dst_[A-Za-z0-9]{40}$/);
  const [first, own] = [await open(body.data.token), await open(await issue(), { path: '/realtime/me/events' })];
  assert.equal((await refusalOf(open(body.data.token))).status, 401, 'used');
  await api.createTask();
  for (const stream of [first, own]) assert.deepEqual(sequencesOf(await stream.take(1)), [1]);
  const stranger = await fixture.organization();
  const path = `/realtime/organizations/${stranger.organizationId}/events`;
  assert.equal((await refusalOf(open(await issue(), { path }))).status, 404, 'of its own organization only');
  assert.notEqual(stranger.organizationId, organizationId);
});

test('a token of an agent opens its own stream alone', async () => {
  const { databaseUrl, baseUrl } = fixture.gateway;
  const { organizationId } = await fixture.organization();
  const { userId } = await seedAgent(databaseUrl, organizationId);
  const agent = fixture.clientOf(await seedSession(databaseUrl, organizationId, userId));
  const issue = async () => (await agent.post<Token>('/realtime/token', {})).body.data.token;
  assert.equal(
    (await refusalOf(streams.watch(baseUrl, { organizationId, query: `token=${await issue()}` }))).status,
    403,
  );
  await streams.watch(baseUrl, { organizationId, path: '/realtime/me/events', query: `token=${await issue()}` });
});

test('a token counts only on streams, alone and whole', async () => {
  const { key, api, issue, open } = await dispatcher();
  const token = await issue();
  assert.equal((await api.raw({ method: 'GET', path: `/api/v1/tasks?token=${token}` })).status, 401);
  const both = await refusalOf(open(token, { key }));
  assert.deepEqual([both.status, JSON.parse(both.text).message], [400, 'Exactly one credential may be given']);
  assert.equal((await refusalOf(open(`${token}&token=${token}`))).status, 400, 'twice');
  for (const wrong of [`${token}x`, `dst_${'a'.repeat(40)}`, key, ''])
    assert.equal((await refusalOf(open(wrong))).status, 401, wrong);
  await open(token);
});

test('HEAD of a stream uses no token up, and a GET does, also one that is refused', async () => {
  const { issue, open, api, organizationId } = await dispatcher();
  const token = await issue();
  const head = (path: string) =>
    api.raw<undefined>({ method: 'HEAD', path: `/api/v1/realtime/${path}?token=${token}` });
  for (const path of [`organizations/${organizationId}/events`, 'me/events']) {
    const { status, text } = await head(path);
    assert.deepEqual([status, text], [200, '']);
  }
  await open(token);
  assert.equal((await head('me/events')).status, 401, 'used');
  const [stranger, another] = [await fixture.organization(), await issue()];
  const refusals = [];
  for (const id of [stranger.organizationId, Number.MAX_SAFE_INTEGER]) {
    const { status, text } = await refusalOf(open(await issue(), { path: `/realtime/organizations/${id}/events` }));
    refusals.push([status, JSON.parse(text).message.replace(`${id}`, 'N')]);
  }
  assert.deepEqual(refusals[0], [404, 'Organization with ID N not found']);
  assert.deepEqual(refusals[1], refusals[0], 'whether there is such an organization shows nowhere');
  const path = `/realtime/organizations/${stranger.organizationId}/events`;
  assert.equal((await refusalOf(open(another, { path }))).status, 404);
  assert.equal((await refusalOf(open(another))).status, 401, 'used by the GET that was refused');
});

test('a token is not repeated in an answer, and stands in Redis by its hash alone, for a minute', async () => {
  const { api, issue, open, key } = await dispatcher();
  const token = await issue();
  const refused = await refusalOf(open(`${token}&types=none`));
  assert.equal(refused.status, 400);
  const read = await fixture.clientOf(key).get(`/tasks?a=1&token=${token}&b=2`);
  assert.equal(read.status, 400);
  assert.equal(read.body.meta.path, '/v1/tasks?a=1&token=***&b=2');
  for (const { text } of [refused, read, await api.get(`/tasks/x?token=${token}`)])
    assert.doesNotMatch(text, new RegExp(token));
  const another = await issue();
  const { redisUrl, redisPrefix } = fixture.gateway.place;
  const redis = connectRedis(redisUrl, createLog('gateway', 'silent'), 'patient');
  try {
    const keys = await redis.keys(`${redisPrefix}:*`);
    assert.ok(!keys.some((name) => name.includes(another)));
    const name = keys.find((candidate) => candidate.endsWith(hashSecret(another)))!;
    const ttl = await redis.pttl(name);
    assert.ok(ttl > 0 && ttl <= LIMITS.streamTokenMs, `lives for ${ttl} ms`);
    await redis.del(name);
    assert.equal((await refusalOf(open(another))).status, 401, 'expired');
  } finally {
    redis.disconnect();
  }
});

test('a revocation ends a stream that a token opened, and the token', async () => {
  const { databaseUrl } = fixture.gateway;
  const { issue, open, organizationId, userId } = await dispatcher();
  const stream = await open(await issue());
  const unused = await issue();
  let hasEnded = false;
  void stream.ended.then(() => (hasEnded = true));
  await withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE sessions SET revoked_at = now() WHERE organization_id = ${organizationId} AND user_id = ${userId}`,
  );
  await until('the stream ends', () => hasEnded);
  assert.equal((await refusalOf(open(unused))).status, 401);
});

test('a token outlives the refresh of the session that asked for it, and not its end', async () => {
  const { databaseUrl, baseUrl } = fixture.gateway;
  const { organizationId, api } = await fixture.organization();
  for (const role of ['dispatcher', 'super_admin'] as const) {
    const user = await seedUser(
      databaseUrl,
      role === 'super_admin' ? 0 : organizationId,
      role,
      'correct horse battery',
    );
    const first = await signIn(api, user);
    const named = { 'x-organization-id': `${organizationId}` };
    const issue = async () =>
      (await api.post<Token>('/realtime/token', {}, { ...bearer(first.accessToken), ...named })).body.data.token;
    const tokens = [await issue(), await issue()];
    const open = (token: string) => streams.watch(baseUrl, { organizationId, query: `token=${token}` });
    const next = (await ask(api, 'refresh', { refreshToken: first.refreshToken })).body.data;
    await until('the access token is void', async () => {
      return (await api.get('/auth/me', bearer(first.accessToken))).status === 401;
    });
    await open(tokens[0]!);
    assert.equal((await api.post('/auth/logout', undefined, bearer(next.accessToken))).status, 200);
    assert.equal((await refusalOf(open(tokens[1]!))).status, 401);
  }
});

test('a super admin asks in the organization that it names, and needs not name it again', async () => {
  const { databaseUrl, baseUrl } = fixture.gateway;
  const { organizationId, api } = await fixture.organization();
  const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
  const admin = fixture.clientOf(await seedSession(databaseUrl, 0, userId));
  assert.equal((await admin.post('/realtime/token', {})).status, 400);
  const { body } = await admin.post<Token>('/realtime/token', {}, { 'x-organization-id': `${organizationId}` });
  const stream = await streams.watch(baseUrl, { organizationId, query: `token=${body.data.token}` });
  await api.createTask();
  assert.deepEqual(sequencesOf(await stream.take(1)), [1]);
});

test('a token works at every process, and while Redis is away it is 503 to ask for one or to use one', async () => {
  const { place } = fixture.gateway;
  const proxy = await startTcpProxy(place.redisUrl);
  const other = await startTestGateway({ place, environment: { GATEWAY_ID: 'other', REDIS_URL: proxy.url } });
  try {
    const { issue, open, key } = await dispatcher();
    await open(await issue(), {}, other.baseUrl);
    const token = await issue();
    await proxy.stop();
    assert.equal((await refusalOf(open(token, {}, other.baseUrl))).status, 503);
    const asked = await fixture.api.raw({ method: 'POST', path: '/api/v1/realtime/token' });
    assert.equal(asked.status, 401, 'who asks comes first');
    const there = createApiClient({ baseUrl: other.baseUrl, key });
    const { status, headers } = await there.post('/realtime/token', undefined);
    there.close();
    assert.deepEqual([status, headers['retry-after']], [503, '1']);
    await open(token);
  } finally {
    await other.stop();
    await proxy.stop();
  }
});

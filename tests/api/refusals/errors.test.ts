import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../../engine/runtime/secrets.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type ApiHeaders, createApiClient, taskInput } from '../../support/api-client.ts';
import { seedChannel, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { startTestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway({ own: 'further gateways run at its place' });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNAUTHORIZED = '{"statusCode":401,"message":"Unauthorized","error":"Unauthorized"}';
const FORBIDDEN = '{"statusCode":403,"message":"Forbidden","error":"Forbidden"}';
const json = (key: string) => ({ 'x-api-key': key, 'content-type': 'application/json' });

test('keys that stand for nobody are refused alike', async () => {
  const { key } = fixture.gateway;
  const flipped = key.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase());
  const keys = [
    undefined,
    '',
    ' ',
    'dk_live_',
    key.slice(0, -1),
    `${key}x`,
    key.replace('dk_live', 'DK_LIVE'),
    key.replace('live', 'test'),
    flipped,
    `${key},${key}`,
    `"${key}"`,
    `Bearer ${key}`,
    `${key.slice(0, -1)}\u00e9`,
    'x'.repeat(4_096),
    `dk_live_${'A'.repeat(40)}`,
    "' OR 1=1 --",
    '[object Object]',
    'null',
  ];
  for (const wrong of keys) {
    const { status, text } = await fixture.api.raw({
      method: 'GET',
      path: '/api/v1/tasks',
      headers: { 'x-api-key': wrong },
    });
    assert.equal(status, 401, String(wrong));
    assert.equal(text, UNAUTHORIZED);
  }
});

test('a key that is sent twice is refused, even when both are right', async () => {
  const { key } = fixture.gateway;
  const { status, text } = await fixture.api.raw({
    method: 'GET',
    path: '/api/v1/tasks',
    headers: { 'x-api-key': [key, key] },
  });
  assert.equal(status, 401);
  assert.equal(text, UNAUTHORIZED);
});

for (const status of ['pending', 'inactive', 'rejected'] as const) {
  test(`the key of an organization that is ${status} is refused with a code`, async () => {
    const { api } = await fixture.organization({ status });
    const reply = await api.list();
    assert.equal(reply.status, 403);
    assert.deepEqual(reply.body, {
      statusCode: 403,
      message: 'The organization is not active',
      error: 'Forbidden',
      code: 'ORGANIZATION_NOT_ACTIVE',
    });
  });
}

for (const [seed, name] of [
  [{ channelStatus: 'INACTIVE' }, 'an inactive channel'],
  [{ channelStatus: 'SUSPENDED' }, 'a suspended channel'],
  [{ role: 'agent' }, 'a user without the permission'],
] as const) {
  test(`the key of ${name} is refused`, async () => {
    const { api } = await fixture.organization(seed);
    for (const reply of [
      await api.get('/customers'),
      await api.post('/tasks', taskInput()),
      await api.get('/events'),
    ]) {
      assert.deepEqual([reply.status, reply.text], [403, FORBIDDEN]);
    }
  });
}

test('a channel that is suspended, and a key that is replaced, stop working', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const suspended = await seedChannel(databaseUrl, organizationId);
  const replaced = await seedChannel(databaseUrl, organizationId);
  const clients = [suspended, replaced].map(({ key }) => fixture.clientOf(key));
  for (const client of clients) assert.equal((await client.list()).status, 200);
  await withSql(databaseUrl, async (sql) => {
    await sql`UPDATE channels SET status = 'SUSPENDED' WHERE organization_id = ${organizationId} AND id = ${suspended.channelId}`;
    await sql`UPDATE channels SET key_hash = decode(repeat('00', 32), 'hex') WHERE organization_id = ${organizationId} AND id = ${replaced.channelId}`;
  });
  await until('both are refused', async () => {
    const statuses = await Promise.all(clients.map(async (client) => (await client.list()).status));
    return statuses.join() === '403,401';
  });
});

test('access tokens that stand for nobody are refused as keys are', async () => {
  const { databaseUrl, organizationId, key } = fixture.gateway;
  const { userId } = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const [valid, expired, revoked] = [
    await seedSession(databaseUrl, organizationId, userId),
    await seedSession(databaseUrl, organizationId, userId),
    await seedSession(databaseUrl, organizationId, userId),
  ];
  await withSql(databaseUrl, async (sql) => {
    const of = (token: string) =>
      sql`organization_id = ${organizationId} AND access_hash = decode(${hashSecret(token)}, 'hex')`;
    await sql`UPDATE sessions SET access_expires_at = now() - interval '1 second' WHERE ${of(expired)}`;
    await sql`UPDATE sessions SET revoked_at = now() WHERE ${of(revoked)}`;
  });
  const send = (authorization: string) =>
    fixture.api.raw({ method: 'GET', path: '/api/v1/tasks', headers: { authorization } });
  assert.equal((await send(`Bearer ${valid}`)).status, 200);
  for (const wrong of [
    '',
    'Bearer',
    'Bearer ',
    valid,
    `Basic ${valid}`,
    `Bearer ${valid}x`,
    `Bearer ${valid.slice(0, -1)}`,
    `Bearer ${valid}, Bearer ${valid}`,
    `Bearer ${key}`,
    `Bearer da_${'A'.repeat(40)}`,
    `Bearer ${expired}`,
    `Bearer ${revoked}`,
  ]) {
    const { status, text } = await send(wrong);
    assert.deepEqual([wrong, status, text], [wrong, 401, UNAUTHORIZED]);
  }
  const asKey = await fixture.api.raw({ method: 'GET', path: '/api/v1/tasks', headers: { 'x-api-key': valid } });
  assert.equal(asKey.status, 401);
});

test('a super admin works in the organization that it names', async () => {
  const { databaseUrl } = fixture.gateway;
  const other = await fixture.organization({ status: 'inactive' });
  const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
  const api = fixture.clientOf(await seedSession(databaseUrl, 0, userId));
  const within = (organizationId: number | string) => ({ 'x-organization-id': String(organizationId) });
  const task = await api.createTask({}, within(other.organizationId));
  assert.equal((await api.get(`/tasks/${task.id}`, within(other.organizationId))).status, 200);
  assert.equal((await api.get(`/tasks/${task.id}`, within(fixture.gateway.organizationId))).status, 404);
  const unknown = await api.list();
  assert.deepEqual([unknown.status, unknown.body.message], [400, 'X-Organization-Id is required']);
  const missing = await api.get('/tasks', within(999_000_111));
  assert.deepEqual([missing.status, missing.body.message], [404, 'Organization with ID 999000111 not found']);
  const wrong = await api.get('/tasks?limit=1', { 'x-organization-id': 'x' });
  assert.deepEqual(wrong.body.message, ['X-Organization-Id must be a positive integer']);
  assert.deepEqual([wrong.body.meta.path, wrong.body.meta.method], ['/v1/tasks?limit=1', 'GET']);
});

for (const [method, path] of [
  ['GET', '/api/v1/nowhere'],
  ['GET', '/api/v1'],
  ['GET', '/api/v1/tasks/'],
  ['GET', '/api/v1//tasks'],
  ['GET', '/tasks'],
  ['GET', '/api/v2/tasks'],
  ['POST', '/api/v1/tasks/1/status/x'],
  ['GET', '/API/v1/tasks'],
  ['GET', '/api/v1/tasks%2f1'],
]) {
  test(`${method} ${path} is an unknown path, key or not`, async () => {
    for (const headers of [{}, { 'x-api-key': fixture.gateway.key }]) {
      const { status, body } = await fixture.api.raw({ method: method!, path: path!, headers });
      assert.equal(status, 404);
      assert.deepEqual([body.statusCode, body.error, typeof body.message], [404, 'Not Found', 'string']);
    }
  });
}

for (const [method, path, allowed] of [
  ['DELETE', '/api/v1/tasks', ['GET', 'HEAD', 'POST']],
  ['PUT', '/api/v1/tasks', ['GET', 'HEAD', 'POST']],
  ['OPTIONS', '/api/v1/tasks', ['GET', 'HEAD', 'POST']],
  ['POST', '/api/v1/tasks/1', ['GET', 'HEAD', 'PATCH']],
  ['GET', '/api/v1/tasks/1/status', ['PUT']],
  ['POST', '/api/v1/events', ['GET', 'HEAD']],
  ['POST', '/healthz', ['GET', 'HEAD']],
] as const) {
  test(`${method} ${path} is a wrong method, and Allow names the right ones`, async () => {
    const { status, headers, body } = await fixture.api.raw({ method, path });
    assert.equal(status, 405);
    assert.equal(body.error, 'Method Not Allowed');
    assert.deepEqual(headers.allow!.split(', ').sort(), allowed);
  });
}

test('HEAD answers as GET does, without the body', async () => {
  const { id } = await fixture.api.createTask();
  for (const [path, status] of [
    [`/api/v1/tasks/${id}`, 200],
    ['/api/v1/tasks/999000111', 404],
    ['/healthz', 200],
  ] as const) {
    const reply = await fixture.api.raw({ method: 'HEAD', path, headers: { 'x-api-key': fixture.gateway.key } });
    assert.deepEqual([reply.status, reply.text], [status, '']);
  }
  assert.equal((await fixture.api.get(`/tasks/${id}`)).status, 200, 'the connection is still in step');
});

test('a body of exactly the limit is taken, one byte more is not', async () => {
  const body = JSON.stringify(taskInput());
  const send = (size: number) =>
    fixture.api.raw({
      method: 'POST',
      path: '/api/v1/tasks',
      headers: json(fixture.gateway.key),
      body: body.padEnd(size),
    });
  assert.equal((await send(LIMITS.bodyBytes)).status, 201);
  const { status, body: refused } = await send(LIMITS.bodyBytes + 1);
  assert.equal(status, 413);
  assert.deepEqual(refused, { statusCode: 413, message: 'The body is too large', error: 'Payload Too Large' });
});

for (const [type, status] of [
  ['application/json', 201],
  ['application/json; charset=utf-8', 201],
  ['Application/JSON', 201],
  ['application/json ;x=y', 201],
  [undefined, 415],
  ['', 415],
  ['text/plain', 415],
  ['text/json', 415],
  ['application/jsonx', 415],
  ['application/json-patch+json', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
] as const) {
  test(`a body sent as ${type ?? 'nothing in particular'} gets ${status}`, async () => {
    const headers: ApiHeaders = { 'x-api-key': fixture.gateway.key, 'content-type': type };
    const reply = await fixture.api.raw({
      method: 'POST',
      path: '/api/v1/tasks',
      headers,
      body: JSON.stringify(taskInput()),
    });
    assert.equal(reply.status, status);
    if (status === 415) assert.equal(reply.body.error, 'Unsupported Media Type');
  });
}

test('a correlation id that is a UUID is echoed, in the header and in the body', async () => {
  for (const id of ['5f3c1d7e-0a1b-4c2d-8e3f-0123456789ab', '5F3C1D7E-0A1B-4C2D-8E3F-0123456789AB']) {
    const headers = { 'x-correlation-id': id };
    const success = await fixture.api.get<unknown>('/tasks', headers);
    assert.deepEqual([success.headers['x-correlation-id'], success.body.metadata.correlationId], [id, id]);
    const violation = await fixture.api.get('/tasks?limit=0', headers);
    assert.deepEqual([violation.headers['x-correlation-id'], violation.body.meta.requestId], [id, id]);
    for (const path of ['/tasks/999000111', '/nowhere']) {
      assert.equal((await fixture.api.get(path, headers)).headers['x-correlation-id'], id);
    }
  }
});

test('any other correlation id is replaced by a new one for each request', async () => {
  const seen = new Set<unknown>();
  for (const id of [
    undefined,
    '',
    'abc',
    '5f3c1d7e-0a1b-4c2d-8e3f-0123456789ab0',
    '{5f3c1d7e-0a1b-4c2d-8e3f-0123456789ab}',
    'x'.repeat(500),
  ]) {
    const { headers, body } = await fixture.api.get('/tasks?limit=0', { 'x-correlation-id': id });
    assert.match(String(headers['x-correlation-id']), UUID);
    assert.equal(body.meta.requestId, headers['x-correlation-id']);
    assert.notEqual(body.meta.requestId, id);
    seen.add(body.meta.requestId);
  }
  assert.equal(seen.size, 6);
});

test('bodies show the canonical path with the query as it was sent', async () => {
  const { key, organizationId } = fixture.gateway;
  const cases = [
    ['/api/v1/tasks?limit=0&x=%20a+b&&y', '/v1/tasks?limit=0&x=%20a+b&&y'],
    ['/api/v1/tasks/abc', '/v1/tasks/abc'],
    [
      `/realtime/organizations/${organizationId}/events?types=none`,
      `/v1/realtime/organizations/${organizationId}/events?types=none`,
    ],
    [
      `/api/v1/realtime/organizations/${organizationId}/events?types=none`,
      `/v1/realtime/organizations/${organizationId}/events?types=none`,
    ],
    ['/api/v1/tasks?limit=0&q=%22"', '/v1/tasks?limit=0&q=%22"'],
  ];
  for (const [path, shown] of cases) {
    const { status, body } = await fixture.api.raw({ method: 'GET', path: path!, headers: { 'x-api-key': key } });
    assert.equal(status, 400);
    assert.equal(body.meta.path, shown);
    assert.equal(body.meta.method, 'GET');
  }
  const list = await fixture.api.list('limit=1&integrationData.name=%C3%A9');
  assert.equal(list.body.metadata.path, '/v1/tasks?limit=1&integrationData.name=%C3%A9');
});

test('only HTTPS is accepted, and only a trusted proxy may vouch for it; probes are exempt', async () => {
  const strict = await startTestGateway({
    place: fixture.gateway.place,
    environment: { ALLOW_INSECURE_HTTP: '0', GATEWAY_ID: 'strict-1' },
  });
  const environment = { ALLOW_INSECURE_HTTP: '0', TRUSTED_PROXIES: '127.0.0.0/8', GATEWAY_ID: 'strict-2' };
  const trusting = await startTestGateway({ place: fixture.gateway.place, environment });
  const [direct, proxied] = [strict, trusting].map((gateway) => createApiClient(gateway));
  const https = { 'x-forwarded-proto': 'https' };
  try {
    for (const reply of [
      await direct!.list(),
      await direct!.get('/tasks', https),
      await proxied!.list(),
      await proxied!.get('/tasks', { 'x-forwarded-proto': 'http' }),
    ]) {
      assert.equal(reply.status, 403);
      assert.deepEqual(reply.body, {
        statusCode: 403,
        message: 'Only HTTPS is accepted',
        error: 'Forbidden',
        code: 'HTTPS_REQUIRED',
      });
    }
    assert.equal((await proxied!.get('/tasks', https)).status, 200);
    for (const path of ['/healthz', '/metrics', '/openapi.json']) {
      assert.equal((await direct!.raw({ method: 'GET', path })).status, 200);
    }
  } finally {
    direct!.close();
    proxied!.close();
    await Promise.all([strict.stop(), trusting.stop()]);
  }
});

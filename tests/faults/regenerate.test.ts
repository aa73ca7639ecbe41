import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { hashSecret } from '../../engine/runtime/secrets.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import { LIMITS } from '../../schema/limits.ts';
import { createApiClient } from '../support/api-client.ts';
import { openEventStream } from '../support/event-stream.ts';
import { seedChannel, seedSession, seedUser, withSql } from '../support/seeds/seed.ts';
import { startTcpProxy } from '../support/services/tcp-proxy.ts';
import { createTestPlace, startTestGateway, type TestGateway, type TestPlace } from '../support/system/gateway.ts';
import { until } from '../support/until.ts';

/** Two gateways as processes of their own. B reaches Redis through a proxy. */
interface Pair {
  readonly place: TestPlace;
  readonly gateways: readonly [TestGateway, TestGateway];
  cutRedisOfB(): Promise<void>;
  stop(): Promise<void>;
}

async function startPair(): Promise<Pair> {
  const place = await createTestPlace();
  const proxy = await startTcpProxy(place.redisUrl);
  const start = (id: string, redisUrl: string) =>
    startTestGateway({ place, process: true, environment: { GATEWAY_ID: id, REDIS_URL: redisUrl } });
  const gateways = [await start('a', place.redisUrl), await start('b', proxy.url)] as const;
  let isCut = false;
  const cutRedisOfB = async () => {
    if (!isCut) await proxy.stop();
    isCut = true;
  };
  return {
    place,
    gateways,
    cutRedisOfB,
    async stop() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await cutRedisOfB();
      await place.drop();
    },
  };
}

/** A credential that works until it is revoked. */
interface Revocable {
  /** The key or access token. */
  readonly secret: string;
  /** Resolves with the moment after which no request that starts may be served. */
  revoke(): Promise<number>;
}

async function regeneratedKey({ place, gateways: [a] }: Pair): Promise<Revocable> {
  const { databaseUrl, organizationId } = place;
  const { key: adminKey } = await seedChannel(databaseUrl, organizationId, { role: 'org_admin' });
  const { key, channelId } = await seedChannel(databaseUrl, organizationId);
  return {
    secret: key,
    async revoke() {
      const admin = createApiClient({ baseUrl: a.baseUrl, key: adminKey });
      const path = `/api/v1/channels/${channelId}/regenerate-key`;
      const reply = await admin.raw<{ apiKey: string }>({ method: 'POST', path, headers: { 'x-api-key': adminKey } });
      const answeredAt = performance.now();
      assert.equal(reply.status, 200, reply.text);
      const headers = { 'x-api-key': reply.body.data.apiKey };
      const { status } = await admin.raw({ method: 'GET', path: '/api/v1/tasks', headers });
      assert.equal(status, 200, 'the new key works at once');
      admin.close();
      return answeredAt;
    },
  };
}

async function endedSession({ place, gateways: [a] }: Pair): Promise<Revocable> {
  const { databaseUrl, organizationId } = place;
  const { userId } = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const secret = await seedSession(databaseUrl, organizationId, userId);
  return {
    secret,
    async revoke() {
      const client = createApiClient({ baseUrl: a.baseUrl, key: secret });
      const headers = { authorization: `Bearer ${secret}` };
      const { status, text } = await client.raw({ method: 'POST', path: '/api/v1/auth/logout', headers });
      const answeredAt = performance.now();
      client.close();
      assert.equal(status, 200, text);
      return answeredAt;
    },
  };
}

async function overwrittenKey({ place: { databaseUrl, organizationId } }: Pair): Promise<Revocable> {
  const { key, channelId } = await seedChannel(databaseUrl, organizationId);
  return {
    secret: key,
    async revoke() {
      const overwrite = (sql: Sql) => sql`
        UPDATE channels SET key_hash = sha256(key_hash) WHERE organization_id = ${organizationId} AND id = ${channelId}`;
      await withSql(databaseUrl, overwrite);
      // The test does not wait for the gateways here: they have their second.
      return performance.now() + LIMITS.credentialValidMs;
    },
  };
}

interface Served {
  readonly startedAt: number;
  readonly tookMs: number;
  readonly status: number;
}

const CONNECTIONS = 64;
/** The pause between the requests of a client that is alone. */
const LOOK_MS = 20;
/** The pause between the requests of one connection: a user stays within the rate limit, and the gateways keep time. */
const PACE_MS = 250;

/** Lists from all connections, half of them at each gateway, until `isOver`. Notes each answer in `served`. */
async function listFromAll(
  { gateways }: Pair,
  { secret }: Revocable,
  served: Served[],
  isOver: () => boolean,
): Promise<void> {
  const clients = gateways.map(({ baseUrl }) => createApiClient({ baseUrl, key: secret }));
  try {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, index) => {
        while (!isOver()) {
          const startedAt = performance.now();
          const { status } = await clients[index % 2]!.list('limit=1');
          served.push({ startedAt, tookMs: performance.now() - startedAt, status });
          await delay(PACE_MS);
        }
      }),
    );
  } finally {
    for (const client of clients) client.close();
  }
}

/** The moment of the newest change of access, by the clock of Postgres, which is this machine's. */
function lastChangeAt({ databaseUrl }: TestPlace): Promise<number> {
  return withSql(databaseUrl, async (sql) => {
    const [row] = await sql<{ at: string }[]>`SELECT max(at) AS at FROM access_changes`;
    return Date.parse(row!.at);
  });
}

async function assertRevoked(pair: Pair, revocable: Revocable): Promise<void> {
  const { secret, revoke } = revocable;
  const { place, gateways } = pair;
  const { organizationId } = place;
  const endedAt: number[] = [];
  const streams = await Promise.all(
    gateways.map(({ baseUrl }) => openEventStream(baseUrl, { key: secret, organizationId })),
  );
  for (const stream of streams) void stream.ended.then(() => endedAt.push(Date.now()));
  let isOver = false;
  const served: Served[] = [];
  const load = listFromAll(pair, revocable, served, () => isOver);
  try {
    await until('it is in use', () => served.length > 2 * CONNECTIONS);
    const deadFrom = await revoke();
    const since = () => served.filter(({ startedAt }) => startedAt > deadFrom);
    await until(
      'both streams end, and as many have asked again',
      () => endedAt.length === 2 && since().length > CONNECTIONS,
    );
    isOver = true;
    await load;
    const before = served.filter(({ startedAt }) => startedAt <= deadFrom);
    assert.ok(before.filter(({ status }) => status === 200).length > CONNECTIONS, 'it was in use');
    assert.ok(before.every(({ status }) => status === 200 || status === 401));
    assert.deepEqual([...new Set(since().map(({ status }) => status))], [401]);
    // A machine that is slow to answer is as slow to report an end.
    const boundMs = LIMITS.credentialValidMs + Math.max(...served.map(({ tookMs }) => tookMs));
    const slowestMs = Math.max(...endedAt) - (await lastChangeAt(place));
    assert.ok(slowestMs <= boundMs, `a stream went on for ${slowestMs} ms`);
  } finally {
    isOver = true;
    await load;
    for (const stream of streams) stream.close();
  }
}

const WAYS = [
  ['a key that is regenerated', regeneratedKey],
  ['a session that is logged out', endedSession],
  ['a key that is overwritten in the database', overwrittenKey],
] as const;

test('no request that starts after a credential is dead is served by either of two gateways', async (t) => {
  const pair = await startPair();
  try {
    for (const [name, make] of WAYS) {
      await t.test(`under 64 connections: ${name}`, async () => assertRevoked(pair, await make(pair)));
    }
    await t.test('by one that was stopped while the key was replaced, when it wakes', () => assertDeadWhenAwake(pair));
    await pair.cutRedisOfB();
    for (const [name, make] of WAYS) {
      const title = `under 64 connections, with Redis cut off: ${name}`;
      await t.test(title, async () => assertRevoked(pair, await make(pair)));
    }
  } finally {
    await pair.stop();
  }
});

async function assertDeadWhenAwake(pair: Pair): Promise<void> {
  const [, b] = pair.gateways;
  const { secret, revoke } = await regeneratedKey(pair);
  const client = createApiClient({ baseUrl: b.baseUrl, key: secret });
  try {
    assert.equal((await client.list()).status, 200);
    process.kill(b.pid!, 'SIGSTOP');
    await revoke();
    const waiting = Promise.all(Array.from({ length: 10 }, () => client.list()));
    await delay(100);
    process.kill(b.pid!, 'SIGCONT');
    assert.deepEqual([...new Set((await waiting).map(({ status }) => status))], [401]);
  } finally {
    process.kill(b.pid!, 'SIGCONT');
    client.close();
  }
}

describe('one gateway', () => {
  test('alone answers a revocation without waiting, and the key is dead with the answer', async () => {
    const gateway = await startTestGateway();
    const { databaseUrl, organizationId, baseUrl } = gateway;
    const { key: adminKey } = await seedChannel(databaseUrl, organizationId, { role: 'org_admin' });
    const [admin, client] = [adminKey, gateway.key].map((key) => createApiClient({ baseUrl, key }));
    try {
      // A gateway that had this name before could remember for so long.
      await delay(LIMITS.credentialValidMs);
      assert.equal((await client!.list()).status, 200);
      const path = `/api/v1/channels/${gateway.channelId}/regenerate-key`;
      let quickestMs = Number.POSITIVE_INFINITY;
      // The machine may stand still during one of them.
      for (let round = 0; round < 5; round++) {
        const sentAt = performance.now();
        const { status } = await admin!.raw({ method: 'POST', path, headers: { 'x-api-key': adminKey } });
        quickestMs = Math.min(quickestMs, performance.now() - sentAt);
        assert.equal(status, 200);
        for (let i = 0; i < 4; i++) assert.equal((await client!.list()).status, 401);
      }
      assert.ok(quickestMs < LIMITS.credentialValidMs / 2, `answered after ${quickestMs} ms`);
    } finally {
      admin!.close();
      client!.close();
      await gateway.stop();
    }
  });

  test('a gateway whose connection for changes falls silent opens another one; meanwhile it looks up each request', async () => {
    const place = await createTestPlace();
    const proxy = await startTcpProxy(place.databaseUrl);
    const gateway = await startTestGateway({ place, environment: { DATABASE_URL: proxy.url } });
    const client = createApiClient(gateway);
    try {
      assert.equal((await client.list()).status, 200);
      const [silent] = proxy.connections('dispatch access');
      silent!.silence('both');
      const overAt = performance.now() + 2 * LIMITS.accessDeadlineMs + LIMITS.credentialValidMs;
      for (; performance.now() < overAt; await delay(LOOK_MS)) assert.equal((await client.list()).status, 200);
      await withSql(place.databaseUrl, async (sql) => {
        await sql`UPDATE channels SET key_hash = decode(${hashSecret('another')}, 'hex')
          WHERE organization_id = ${place.organizationId} AND id = ${place.channelId}`;
      });
      await until('the old key is refused', async () => (await client.list()).status === 401);
      assert.ok(
        proxy.connections('dispatch access').some((connection) => connection !== silent),
        'it has another connection',
      );
    } finally {
      client.close();
      await gateway.stop();
      await proxy.stop();
      await place.drop();
    }
  });

  test('a gateway whose Postgres is away uses known credentials for a second, and then answers that it cannot check them', async () => {
    const place = await createTestPlace();
    const proxy = await startTcpProxy(place.databaseUrl);
    const gateway = await startTestGateway({ place, environment: { DATABASE_URL: proxy.url } });
    const client = createApiClient(gateway);
    try {
      // A request that is refused for its body has passed the guards.
      assert.equal((await client.post('/tasks', {})).status, 400);
      const awayFrom = performance.now();
      await proxy.stop();
      const { status } = await client.post('/tasks', {});
      const isSoon = performance.now() - awayFrom < LIMITS.credentialValidMs / 2;
      assert.ok(status === 400 || !isSoon, `answered ${status}`);
      await delay(LIMITS.credentialValidMs);
      const refused = await client.post('/tasks', {});
      assert.deepEqual([refused.status, refused.body.code], [503, 'UNAVAILABLE']);
      assert.equal(refused.headers['retry-after'], '1');
      assert.ok(refused.headers['ratelimit'], 'with what every reply tells');
    } finally {
      client.close();
      // It cannot give its lease back.
      await assert.rejects(gateway.stop());
      await place.drop();
    }
  });
});

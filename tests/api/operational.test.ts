import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../schema/limits.ts';
import { createApiClient } from '../support/api-client.ts';
import { withSql } from '../support/connections.ts';
import { startTestGateway } from '../support/system/gateway.ts';
import { until } from '../support/until.ts';
import { useGateway } from './api-fixture.ts';

const fixture = useGateway({ own: 'a second gateway takes over at its place' });
const get = (path: string) => fixture.api.raw({ method: 'GET', path });

test('healthz answers while the process lives', async () => {
  const { status, text } = await get('/healthz');
  assert.deepEqual([status, text], [200, '{"status":"ok"}']);
});

test('readyz reports the stores and the shards', async () => {
  await until('Redis is heard of', async () => (await get('/readyz')).status === 200);
  const { status, text } = await get('/readyz');
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(text), {
    status: 'ready',
    postgres: true,
    redis: true,
    shardsOwned: 256,
    draining: false,
    volatilePostgres: [],
  });
});

test('a gateway is ready while reads of the log take long', async () => {
  const { gateway, api } = fixture;
  const asked = await withSql(gateway.databaseUrl, (sql) =>
    sql.begin(async (locking) => {
      await locking`LOCK TABLE events IN ACCESS EXCLUSIVE MODE`;
      const reads = Array.from({ length: LIMITS.readConnections }, () => api.get('/events'));
      await until('each connection for reads waits', async () => {
        const [found] = await locking<{ waiting: number }[]>`
          SELECT count(*)::integer AS waiting FROM pg_locks WHERE relation = 'events'::regclass AND NOT granted`;
        return found!.waiting === LIMITS.readConnections;
      });
      assert.equal((await get('/readyz')).status, 200);
      return { reads };
    }),
  );
  for (const { status } of await Promise.all(asked.reads)) assert.equal(status, 200);
});

test('a gateway that owns no shard, or cannot reach Redis, is not ready', async () => {
  const { place } = fixture.gateway;
  const second = await startTestGateway({
    place,
    environment: { GATEWAY_ID: 'second', REDIS_URL: 'redis://127.0.0.1:1' },
  });
  const there = createApiClient(second);
  try {
    const response = await there.raw({ method: 'GET', path: '/readyz' });
    assert.equal(response.status, 503);
    const facts = JSON.parse(response.text) as Record<string, unknown>;
    assert.deepEqual(
      [facts['status'], facts['redis'], facts['postgres'], facts['shardsOwned']],
      ['not ready', false, true, 0],
    );
    assert.equal((await there.raw({ method: 'GET', path: '/healthz' })).status, 200);
  } finally {
    there.close();
    await second.stop();
  }
});

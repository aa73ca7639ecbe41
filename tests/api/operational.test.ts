import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiClient } from '../support/api-client.ts';
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

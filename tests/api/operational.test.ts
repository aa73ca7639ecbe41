import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../support/system/gateway.ts';
import { until } from '../support/until.ts';
import { useGateway } from './api-fixture.ts';

const fixture = useGateway();
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
  try {
    const response = await fetch(`${second.baseUrl}/readyz`);
    assert.equal(response.status, 503);
    const facts = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(
      [facts['status'], facts['redis'], facts['postgres'], facts['shardsOwned']],
      ['not ready', false, true, 0],
    );
    assert.equal((await fetch(`${second.baseUrl}/healthz`)).status, 200);
  } finally {
    await second.stop();
  }
});

test('metrics are Prometheus text, and count requests', async () => {
  await fixture.api.createTask();
  const { status, headers, text } = await get('/metrics');
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const sample of samples)
    assert.match(
      sample,
      /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-zA-Z_]\w*="[^"]*"(,[a-zA-Z_]\w*="[^"]*")*\})? (-?\d[\d.e+-]*|NaN|[+-]?Inf)$/,
    );
  const sampleOf = (name: string) => Number(samples.find((sample) => sample.startsWith(`${name} `))?.split(' ')[1]);
  assert.ok(sampleOf('dispatch_commit_groups_total') >= 1);
  assert.equal(sampleOf('dispatch_shards_owned'), 256);
  assert.ok(sampleOf('dispatch_live_actors') >= 1);
  assert.ok(
    samples.some((sample) => sample.includes('/tasks')),
    'a route has samples',
  );
  assert.ok(!text.includes(fixture.gateway.key));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { systemScheduler } from '../../../engine/runtime/clock.ts';
import { createRelayStore } from '../../../engine/store/log/relay-store.ts';
import { redisKeys } from '../../../engine/store/redis-keys.ts';
import { until } from '../../support/until.ts';
import {
  countedAndLogged,
  createWorkersPlace,
  startOwnRedis,
  startWorkersHere,
  type WorkersPlace,
} from './workers-place.ts';

test('a sweep finds committed events without any hint', async () => {
  const place = await createWorkersPlace(3);
  const workers = await startWorkersHere(place);
  try {
    for (const organizationId of place.organizationIds) await place.commit(organizationId, 50);
    await place.untilCounted();
    const { counted, logged } = await countedAndLogged(place.sql);
    assert.deepEqual(counted, logged);
  } finally {
    await workers.stop();
    await place.drop();
  }
});

test('a hint gets committed events counted without a sweep', async () => {
  const place = await createWorkersPlace(1);
  const workers = await startWorkersHere(place, { ...systemScheduler, every: () => () => {} });
  const redis = new Redis(place.environment['REDIS_URL']!);
  const organizationId = place.organizationIds[0]!;
  try {
    const channel = await committedChannel(place);
    await place.commit(organizationId, 1);
    await until('the hint is heard', async () => (await redis.publish(channel, `${organizationId}`)) === 1);
    await place.untilCounted();
  } finally {
    redis.disconnect();
    await workers.stop();
    await place.drop();
  }
});

test('emptying Redis again and again loses no event and counts none twice', async () => {
  const redisServer = await startOwnRedis();
  const place = await createWorkersPlace(4, redisServer.url);
  const workers = await startWorkersHere(place);
  const redis = new Redis(redisServer.url);
  try {
    for (let round = 0; round < 40; round++) {
      for (const organizationId of place.organizationIds) await place.commit(organizationId, 25);
      const hint = place.organizationIds.join(',');
      await redis.publish(await committedChannel(place), hint);
      if (round % 4 === 0) await redis.flushall();
    }
    await place.untilCounted();
    const { counted, logged } = await countedAndLogged(place.sql);
    assert.deepEqual(counted, logged);
    assert.equal(
      logged.reduce((total, row) => total + row['count'], 0),
      4_000,
    );
  } finally {
    redis.disconnect();
    await workers.stop();
    await place.drop();
    await redisServer.stop();
  }
});

test('a sweep compares a page of organizations and goes on behind it', async () => {
  const place = await createWorkersPlace(5);
  const store = createRelayStore(place.sql);
  const [a, b, c, d, e] = place.organizationIds as [number, number, number, number, number];
  try {
    for (const organizationId of [b, c, e]) await place.commit(organizationId, 1);
    await store.countActivity(c);
    assert.deepEqual(await store.findLagging('activity', 0, 2), { lagging: [b], next: b });
    assert.deepEqual(await store.findLagging('activity', b, 2), { lagging: [], next: d });
    assert.deepEqual(await store.findLagging('activity', d, 2), { lagging: [e], next: undefined });
    assert.deepEqual(await store.findLagging('activity', e, 2), { lagging: [], next: undefined });
    assert.ok(a < b);
  } finally {
    await place.drop();
  }
});

async function committedChannel({ sql, environment }: WorkersPlace): Promise<string> {
  const [row] = await sql<{ history: string }[]>`SELECT history FROM log_history`;
  return redisKeys(environment['REDIS_PREFIX']!, row!.history).committed;
}

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { createPositionStore, type SavedPosition } from '../../../engine/store/positions/position-store.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { redisKeys } from '../../../engine/store/redis-keys.ts';
import { testRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const { url, prefix } = testRedis();
const log = createLog('test', 'silent');
const [redis, subscriber] = [connectRedis(url, log, 'patient'), connectRedis(url, log, 'patient')];
after(() => {
  redis.disconnect();
  subscriber.disconnect();
});
const keys = redisKeys(prefix, 'moves');
const store = createPositionStore(redis, keys);

function position(recordedAtMs: number): SavedPosition {
  const device = { accuracy: 1, speed: 0, heading: 0, altitude: 0, battery: 1 };
  return { agentId: 1, recordedAtMs, receivedAtMs: recordedAtMs, heardAtMs: 0, latitude: 1, longitude: 2, ...device };
}

test('the planner learns where agents have moved, and learns nothing of points that came too late', async () => {
  const told: string[] = [];
  subscriber.on('message', (_channel, message) => told.push(message));
  await subscriber.subscribe(keys.moved);
  await store.save(7, [position(2_000)]);
  await store.save(8, [position(2_000)]);
  await store.save(7, [position(1_000)]);
  await store.save(8, [position(3_000)]);
  await until('the last one is announced', () => told.length === 3);
  assert.deepEqual(told, ['7', '8', '8']);
});

test('a position that a clock kept before it was set back gives way to the present one, and not to that of a somewhat slow clock', async () => {
  const now = Date.now();
  const keptAfter = async (...times: number[]) => {
    for (const time of times) await store.save(9, [position(time)]);
    return (await store.load(9)).map(({ recordedAtMs }) => recordedAtMs - now);
  };
  assert.deepEqual(await keptAfter(now + 3_600_000, now), [0]);
  assert.deepEqual(await keptAfter(now + 30_000, now), [30_000]);
});

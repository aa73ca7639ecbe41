import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRoundTurnStore } from '../../../engine/store/planning/round-turn-store.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { redisKeys } from '../../../engine/store/redis-keys.ts';
import { testRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const { url, prefix } = testRedis();
const redis = connectRedis(url, createLog('test', 'silent'), 'patient');
after(() => redis.disconnect());
const keys = redisKeys(prefix, 'history');
const [ours, theirs] = [createRoundTurnStore(redis, keys, 'ours'), createRoundTurnStore(redis, keys, 'theirs')];

test('a turn is one process’s until it is given back, and nobody gives back another’s', async () => {
  assert.equal(await ours.take(1, 60_000), 0);
  const left = await theirs.take(1, 60_000);
  assert.ok(left > 0 && left <= 60_000, `${left} ms`);
  assert.equal(await theirs.take(2, 60_000), 0, 'another organization');
  await theirs.giveBack(1);
  assert.ok((await theirs.take(1, 60_000)) > 0);
  await ours.giveBack(1);
  assert.equal(await theirs.take(1, 60_000), 0);
});

test('a turn that nobody gives back ends by itself', async () => {
  assert.equal(await ours.take(3, 50), 0);
  await until('the turn has run out', async () => (await theirs.take(3, 50)) === 0);
});

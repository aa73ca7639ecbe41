import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { redisKeys } from '../../../engine/store/redis-keys.ts';
import { createRoundTurnStore } from '../../../engine/store/round-turn-store.ts';
import { testRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const { url, prefix } = testRedis();
const redis = connectRedis(url, createLog('test', 'silent'), 'patient');
after(() => redis.disconnect());
const keys = redisKeys(prefix, 'history');
const [ours, theirs] = [createRoundTurnStore(redis, keys, 'ours'), createRoundTurnStore(redis, keys, 'theirs')];

test('a turn is one process’s until it is given back, and nobody gives back another’s', async () => {
  assert.deepEqual([await ours.take(1, 60_000), await theirs.take(1, 60_000)], [true, false]);
  assert.equal(await theirs.take(2, 60_000), true, 'another organization');
  await theirs.giveBack(1);
  assert.equal(await theirs.take(1, 60_000), false);
  await ours.giveBack(1);
  assert.equal(await theirs.take(1, 60_000), true);
});

test('a turn that nobody gives back ends by itself', async () => {
  assert.equal(await ours.take(3, 50), true);
  await until('the turn has run out', () => theirs.take(3, 50));
});

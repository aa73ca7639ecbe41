import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { startOwnRedis } from '../../support/system/own-stores.ts';
import { until } from '../../support/until.ts';
import { type RoundsPlace, startRoundsPlace } from '../assignment/rounds-place.ts';

/** One that is asked has as many tasks as it may have, so that the next task needs another agent. */
const ONE_TASK_EACH = { maxTasksPerAgent: 1 };

/** A task right after the position of an agent that nobody knew before: it is offered to that agent, by the first round. */
async function assertKnownAtOnce(place: RoundsPlace, agentId: number): Promise<void> {
  await place.locate([agentId]);
  const { id } = await place.createTask();
  assert.equal((await place.untilOffered(id)).agentId, agentId);
  const { text } = await place.api.get(`/tasks/${id}/history`);
  assert.doesNotMatch(text, /stale_position/);
}

const byAgent = ([one]: readonly unknown[], [other]: readonly unknown[]) => Number(one) - Number(other);
const all = (agentIds: readonly number[]) => agentIds.map((agentId) => [agentId, 'pending']);

async function keptPositions({ system }: RoundsPlace): Promise<number> {
  const { redisUrl, redisPrefix } = system.place;
  const redis = new Redis(redisUrl);
  try {
    const [key] = await redis.keys(`${redisPrefix}:*:positions`);
    return key === undefined ? 0 : await redis.hlen(key);
  } finally {
    redis.disconnect();
  }
}

test('a position counts in the round that follows its answer', async () => {
  const place = await startRoundsPlace({ agents: 6, assignment: ONE_TASK_EACH });
  try {
    await place.startWorkers();
    for (const agentId of place.agentIds) await assertKnownAtOnce(place, agentId);
  } finally {
    await place.stop();
  }
});

test('a broadcast asks every agent whose position was answered, all in one round', async () => {
  const place = await startRoundsPlace({ agents: 10, assignment: { mode: 'broadcast' } });
  try {
    await place.startWorkers();
    await place.locate(place.agentIds.slice(0, 5));
    // The others are answered after the tick that hands these to Redis.
    await until('half of them are in Redis', async () => (await keptPositions(place)) === 5);
    await place.locate(place.agentIds.slice(5));
    for (let task = 0; task < 3; task += 1) {
      const { id } = await place.createTask();
      await place.untilOffered(id);
      const requests = await place.requestsOf(id);
      assert.deepEqual(requests.map(({ agentId, status }) => [agentId, status]).sort(byAgent), all(place.agentIds));
      assert.equal(new Set(requests.map(({ createdAt }) => createdAt)).size, 1);
      await place.api.put(`/tasks/${id}/status`, { status: 'cancelled' });
    }
  } finally {
    await place.stop();
  }
});

test('while Redis is away rounds go on, with the positions of the owner', async () => {
  const releaser = createReleaser(() => {});
  try {
    const redis = await startOwnRedis(releaser);
    const environment = { REDIS_URL: redis.url };
    const place = await startRoundsPlace({ agents: 4, assignment: ONE_TASK_EACH, environment });
    releaser.push('place', () => place.stop());
    await place.startWorkers(environment);
    const [before, ...others] = place.agentIds;
    await assertKnownAtOnce(place, before!);
    await redis.kill();
    for (const agentId of others) await assertKnownAtOnce(place, agentId);
  } finally {
    await releaser.stop();
  }
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Redis } from 'ioredis';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { type OwnRedis, startOwnRedis } from '../../support/system/own-stores.ts';
import { until } from '../../support/until.ts';
import { type RoundsPlace, startRoundsPlace } from '../assignment/rounds-place.ts';

/** Agents that a broadcast asks: nobody knows where the others are. */
const ASKED = 10;
/** One that is asked has as many tasks as it may have, so that the next task needs another agent. */
const ONE_TASK_EACH = { mode: 'sequential', maxTasksPerAgent: 1 };

const releaser = createReleaser(() => {});
let redis: OwnRedis;
let place: RoundsPlace;

before(async () => {
  redis = await startOwnRedis(releaser);
  const environment = { REDIS_URL: redis.url };
  place = await startRoundsPlace({ agents: ASKED + 9, assignment: { mode: 'broadcast' }, environment });
  releaser.push('place', () => place.stop());
  await place.startWorkers(environment);
});
after(() => releaser.stop());

/** A task right after the position of an agent that nobody knew before: it is offered to that agent, by the first round. */
async function assertKnownAtOnce(agentId: number): Promise<void> {
  await place.locate([agentId]);
  const { id } = await place.createTask();
  assert.equal((await place.untilOffered(id)).agentId, agentId);
  const { text } = await place.api.get(`/tasks/${id}/history`);
  assert.doesNotMatch(text, /stale_position/);
}

const byAgent = ([one]: readonly unknown[], [other]: readonly unknown[]) => Number(one) - Number(other);
const all = (agentIds: readonly number[]) => agentIds.map((agentId) => [agentId, 'pending']);

async function keptPositions(): Promise<number> {
  const client = new Redis(redis.url);
  try {
    const [key] = await client.keys(`${place.system.place.redisPrefix}:*:positions`);
    return key === undefined ? 0 : await client.hlen(key);
  } finally {
    client.disconnect();
  }
}

test('a broadcast asks every agent whose position was answered, all in one round', async () => {
  const asked = place.agentIds.slice(0, ASKED);
  await place.locate(asked.slice(0, 5));
  // The others are answered after the tick that hands these to Redis.
  await until('half of them are in Redis', async () => (await keptPositions()) === 5);
  await place.locate(asked.slice(5));
  for (let task = 0; task < 3; task += 1) {
    const { id } = await place.createTask();
    await place.untilOffered(id);
    const requests = await place.requestsOf(id);
    assert.deepEqual(requests.map(({ agentId, status }) => [agentId, status]).sort(byAgent), all(asked));
    assert.equal(new Set(requests.map(({ createdAt }) => createdAt)).size, 1);
    await place.api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  }
});

test('a position counts in the round that follows its answer', async () => {
  for (const agentId of place.agentIds.slice(0, ASKED)) {
    const { status } = await place.api.put(`/agents/${agentId}/duty`, { onDuty: false });
    assert.equal(status, 200);
  }
  await place.changeAssignment(ONE_TASK_EACH);
  for (const agentId of place.agentIds.slice(ASKED, -3)) await assertKnownAtOnce(agentId);
});

test('while Redis is away rounds go on, with the positions of the owner', async () => {
  await redis.kill();
  for (const agentId of place.agentIds.slice(-3)) await assertKnownAtOnce(agentId);
});

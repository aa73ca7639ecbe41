import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { startOwnRedis } from '../../support/system/own-stores.ts';
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

test('a position counts in the round that follows its answer', async () => {
  const place = await startRoundsPlace({ agents: 6, assignment: ONE_TASK_EACH });
  try {
    await place.startWorkers();
    for (const agentId of place.agentIds) await assertKnownAtOnce(place, agentId);
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import type { FaultPoint } from '../../../engine/runtime/fault-points.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { TestPlace } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { type RoundsPlace, startRoundsPlace } from './rounds-place.ts';

/** How long an offer is open: twice as long each time that the machine needed more before it could be killed. */
const FIRST_TTL_SECONDS = 5;
const LONGEST_TTL_SECONDS = 40;

/** All that this system keeps in Redis is gone, as after FLUSHALL. */
async function emptyRedis({ redisUrl, redisPrefix }: TestPlace): Promise<number> {
  const redis = new Redis(redisUrl);
  try {
    const keys = await redis.keys(`*${redisPrefix}*`);
    return keys.length === 0 ? 0 : await redis.del(keys);
  } finally {
    redis.disconnect();
  }
}

async function readTask(place: RoundsPlace, taskId: number): Promise<TaskView> {
  return (await place.api.get<TaskView>(`/tasks/${taskId}`)).body.data;
}

/** Three tasks are offered when the gateway and the workers are killed, and none of the offers has run out. */
async function killWithOpenOffers() {
  for (let ttlSeconds = FIRST_TTL_SECONDS; ; ttlSeconds *= 2) {
    const place = await startRoundsPlace({ agents: 3, assignment: { requestTtlSeconds: ttlSeconds } });
    try {
      await place.locate();
      const workers = await place.startWorkers();
      const tasks = await Promise.all([place.createTask(), place.createTask(), place.createTask()]);
      const firsts = await Promise.all(tasks.map(({ id }) => place.untilOffered(id)));
      await Promise.all([place.system.killGateway(), workers.kill()]);
      const killedAt = new Date().toISOString();
      if (firsts.every(({ attempt, expiresAt }) => attempt === 1 && killedAt < expiresAt))
        return { place, tasks, firsts };
      assert.ok(ttlSeconds < LONGEST_TTL_SECONDS, 'the offers ran out before everything was killed');
    } catch (error) {
      await place.stop();
      throw error;
    }
    await place.stop();
  }
}

test('offers that are open when everything is killed and Redis is emptied run out in time and go to somebody else', async () => {
  const { place, tasks, firsts } = await killWithOpenOffers();
  try {
    assert.ok((await emptyRedis(place.system.place)) > 0, 'there was something to lose');
    // Later ones must not expire too.
    await place.setAssignment({});
    await place.system.startGateway();
    await place.startWorkers();
    await place.locate();
    for (const [index, { id }] of tasks.entries()) {
      const first = firsts[index]!;
      await until(`the first offer of task ${id} has run out`, async () => {
        const { body } = await place.api.get(`/assignment-requests/${first.id}`);
        return body.data.status === ('expired' as never);
      });
      const second = await place.untilOffered(id);
      assert.deepEqual([second.attempt, second.agentId === first.agentId], [2, false]);
      const late = await place.api.post(`/assignment-requests/${first.id}/accept`, {});
      assert.deepEqual([late.status, late.body.code], [409, 'ASSIGNMENT_REQUEST_EXPIRED']);
      const ranOut = (await place.requestsOf(id)).find((one) => one.id === first.id)!;
      assert.ok(ranOut.respondedAt! >= first.expiresAt, 'not before its time');
    }
  } finally {
    await place.stop();
  }
});

test('a scheduled task begins to look in time, though everything was killed since and nobody has asked anything', async () => {
  const place = await startRoundsPlace({ agents: 1 });
  try {
    await place.locate();
    // By default the search begins half an hour before.
    const scheduledAt = new Date(Date.now() + 30 * 60_000 + 6_000).toISOString();
    const { id } = await place.createTask({ timeToServe: 'scheduled', scheduledAt });
    await place.system.killGateway();
    await emptyRedis(place.system.place);
    await place.system.startGateway();
    await place.startWorkers();
    // Positions reach no actor: the organization sleeps.
    await place.locate();
    const request = await place.untilOffered(id);
    assert.ok(Date.parse(request.createdAt) >= Date.parse(scheduledAt) - 30 * 60_000, 'not before its time');
  } finally {
    await place.stop();
  }
});

test('workers that die wherever a round can be cut off leave its task to the next ones, which offer it once', async () => {
  const place = await startRoundsPlace({ agents: 2 });
  const points: readonly FaultPoint[] = ['after-round-view', 'after-round-plan', 'after-proposal'];
  try {
    await place.locate();
    let id: number | undefined;
    for (const point of points) {
      const workers = await place.startWorkers({ FAULT_POINT: point });
      id ??= (await place.createTask()).id;
      await workers.ended;
      assert.equal((await place.requestsOf(id)).length, point === 'after-proposal' ? 1 : 0, point);
    }
    await place.startWorkers();
    // Whose rounds go on.
    await place.untilOffered((await place.createTask()).id);
    assert.equal((await readTask(place, id!)).autoAssignmentStatus, 'offered');
    assert.equal((await place.requestsOf(id!)).length, 1);
  } finally {
    await place.stop();
  }
});

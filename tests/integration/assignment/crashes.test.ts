import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Redis } from 'ioredis';
import type { FaultPoint } from '../../../engine/runtime/fault-points.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { TestPlace } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import type { WorkersProcess } from '../workers/workers-place.ts';
import { type RoundsPlace, startRoundsPlace } from './rounds-place.ts';

/** How long an offer is open: twice as long each time that the machine needed more before it could be killed. */
const FIRST_TTL_SECONDS = 5;
const LONGEST_TTL_SECONDS = 40;

let place: RoundsPlace;
/** The workers of the last test that started some. */
let workers: WorkersProcess;
before(async () => {
  place = await startRoundsPlace({ agents: 3 });
  await place.locate();
});
after(() => place.stop());

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

async function readTask(taskId: number): Promise<TaskView> {
  return (await place.api.get<TaskView>(`/tasks/${taskId}`)).body.data;
}

test('a scheduled task begins to look in time, though everything was killed since and nobody has asked anything', async () => {
  // By default the search begins half an hour before.
  const scheduledAt = new Date(Date.now() + 30 * 60_000 + 6_000).toISOString();
  const { id } = await place.createTask({ timeToServe: 'scheduled', scheduledAt });
  await place.system.killGateway();
  // It may have had no time to write anything there.
  await emptyRedis(place.system.place);
  await place.system.startGateway();
  workers = await place.startWorkers();
  // Positions reach no actor: the organization sleeps.
  await place.locate();
  const request = await place.untilOffered(id);
  assert.ok(Date.parse(request.createdAt) >= Date.parse(scheduledAt) - 30 * 60_000, 'not before its time');
  await workers.kill();
  await place.cancelOpenTasks();
});

test('workers that die wherever a round can be cut off leave its task to the next ones, which offer it once', async () => {
  const points: readonly FaultPoint[] = ['after-round-view', 'after-round-plan', 'after-proposal'];
  let id: number | undefined;
  for (const point of points) {
    const dying = await place.startWorkers({ FAULT_POINT: point });
    id ??= (await place.createTask()).id;
    await dying.ended;
    assert.equal((await place.requestsOf(id)).length, point === 'after-proposal' ? 1 : 0, point);
  }
  workers = await place.startWorkers();
  // Whose rounds go on.
  await place.untilOffered((await place.createTask()).id);
  assert.equal((await readTask(id!)).autoAssignmentStatus, 'offered');
  assert.equal((await place.requestsOf(id!)).length, 1);
  await place.cancelOpenTasks();
});

/** Three tasks are offered when the gateway and the workers are killed, and none of the offers has run out. */
async function killWithOpenOffers() {
  for (let requestTtlSeconds = FIRST_TTL_SECONDS; ; requestTtlSeconds *= 2) {
    await place.changeAssignment({ requestTtlSeconds });
    const tasks = await Promise.all([place.createTask(), place.createTask(), place.createTask()]);
    const firsts = await Promise.all(tasks.map(({ id }) => place.untilOffered(id)));
    await Promise.all([place.system.killGateway(), workers.kill()]);
    const killedAt = new Date().toISOString();
    if (firsts.every(({ attempt, expiresAt }) => attempt === 1 && killedAt < expiresAt)) return { tasks, firsts };
    assert.ok(requestTtlSeconds < LONGEST_TTL_SECONDS, 'the offers ran out before everything was killed');
    await place.system.startGateway();
    await place.cancelOpenTasks();
    await place.locate();
    workers = await place.startWorkers();
  }
}

test('offers that are open when everything is killed and Redis is emptied run out in time and go to somebody else', async () => {
  const { tasks, firsts } = await killWithOpenOffers();
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
});

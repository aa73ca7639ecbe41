import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { until } from '../../support/until.ts';
import type { WorkersProcess } from '../workers/workers-place.ts';
import { type RoundsPlace, startRoundsPlace } from './rounds-place.ts';

const VEHICLE = { type: 'car', maxWeightKg: 20, maxVolumeM3: null, maxPackages: null };

let place: RoundsPlace;
let workers: WorkersProcess;
before(async () => {
  place = await startRoundsPlace({ agents: 4, vehicle: VEHICLE });
  await place.locate();
  workers = await place.startWorkers();
});
after(() => place.stop());

const readTask = async (taskId: number) => (await place.api.get<TaskView>(`/tasks/${taskId}`)).body.data;

test('a task is offered to the nearest agent, and to the next one when that agent declines', async () => {
  const { id, status, autoAssignmentStatus } = await place.createTask();
  assert.deepEqual([status, autoAssignmentStatus], ['new', 'pending']);
  const first = await place.untilOffered(id);
  assert.deepEqual([first.agentId, first.attempt, first.distanceM], [place.agentIds[0], 1, 0]);
  const offered = await readTask(id);
  assert.deepEqual(
    [offered.status, offered.autoAssignmentStatus, offered.agentId],
    ['assigned', 'offered', first.agentId],
  );
  assert.equal((await place.api.post(`/assignment-requests/${first.id}/reject`, { reason: 'too far' })).status, 200);
  const second = await place.untilOffered(id);
  assert.deepEqual([second.agentId, second.attempt], [place.agentIds[1], 2]);
  assert.equal((await place.api.post(`/assignment-requests/${second.id}/accept`, {})).status, 200);
  assert.equal((await readTask(id)).status, 'accepted');
});

test('a task that nobody can bring in time is offered all the same, and its history says how late it comes', async () => {
  const windowEnd = new Date(Date.now() + 120_000).toISOString();
  const location = { address: 'Far away', latitude: 0.001, longitude: 0.5 };
  const { id } = await place.createTask({ windowEnd, location });
  await place.untilOffered(id);
  const { text } = await place.api.get(`/tasks/${id}/history`);
  assert.match(text, /"reason":"window_cannot_be_met","lateMinutes":\d+/);
  assert.equal((await place.api.put(`/tasks/${id}/status`, { status: 'cancelled' })).status, 200);
});

test('the search for a task that no vehicle can carry goes on, and the history says why no agent was asked', async () => {
  const { id } = await place.createTask({ packages: [{ name: 'Safe', weight: 15, quantity: 2 }] });
  await until('the first round has seen it', async () => (await readTask(id)).autoAssignmentStatus === 'searching');
  const history = (await place.api.get<{ items: { details?: Record<string, unknown> }[] }>(`/tasks/${id}/history`))
    .text;
  assert.match(history, /"reason":"capacity_exceeded"/);
  assert.match(history, /"counts":\{"capacity":4\}/);
  assert.deepEqual(await place.requestsOf(id), []);
  assert.equal((await place.api.put(`/tasks/${id}/status`, { status: 'cancelled' })).status, 200);
});

test('an agent that comes on duty is found by a search that has found nobody', async () => {
  const { agentIds, api } = place;
  for (const agentId of agentIds) await api.put(`/agents/${agentId}/duty`, { onDuty: false });
  const { id } = await place.createTask();
  await until('nobody is there', async () => (await readTask(id)).autoAssignmentStatus === 'searching');
  assert.equal((await api.put(`/agents/${agentIds[3]}/duty`, { onDuty: true })).status, 200);
  assert.equal((await place.untilOffered(id)).agentId, agentIds[3]);
  for (const agentId of agentIds) await api.put(`/agents/${agentId}/duty`, { onDuty: true });
});

test('a task that waits for a busy agent says so, and its history names the agent', async () => {
  const { agentIds, api } = place;
  const [busy, ...others] = agentIds;
  for (const agentId of others) await api.put(`/agents/${agentId}/duty`, { onDuty: false });
  await place.untilOffered((await place.createTask()).id);
  const { id } = await place.createTask();
  await until('a round has seen it', async () => (await readTask(id)).search?.waitsFor === 'busy_agent');
  const { text } = await api.get(`/tasks/${id}/history`);
  assert.match(text, new RegExp(`"nearest":\\[\\{"agentId":${busy},"reason":"busy"`));
  await cancelOpenTasks();
  for (const agentId of others) await api.put(`/agents/${agentId}/duty`, { onDuty: true });
});

test('an owner that is killed is found again where it comes back', async () => {
  await place.system.killGateway();
  await place.system.startGateway();
  await place.locate();
  const { id } = await place.createTask();
  await place.untilOffered(id);
});

test('workers that are killed with tasks to look for have others do it', async () => {
  const { agentIds, api } = place;
  for (const agentId of agentIds) await api.put(`/agents/${agentId}/duty`, { onDuty: false });
  const { id } = await place.createTask();
  await until('the workers look for somebody', async () => (await readTask(id)).autoAssignmentStatus === 'searching');
  await workers.kill();
  for (const agentId of agentIds) await api.put(`/agents/${agentId}/duty`, { onDuty: true });
  workers = await place.startWorkers();
  await place.untilOffered(id);
});

test('two processes that plan the same rounds offer each task once, to agents that are free', async () => {
  await cancelOpenTasks();
  await place.startWorkers();
  const tasks = await Promise.all(place.agentIds.map(() => place.createTask()));
  const asked = new Set<number>();
  for (const { id } of tasks) {
    asked.add((await place.untilOffered(id)).agentId);
    assert.equal((await place.requestsOf(id)).length, 1);
  }
  assert.deepEqual(asked, new Set(place.agentIds));
});

async function cancelOpenTasks(): Promise<void> {
  const { items } = (await place.api.get<{ items: TaskView[] }>('/tasks?limit=100')).body.data;
  for (const { id, status } of items)
    if (status !== 'cancelled') await place.api.put(`/tasks/${id}/status`, { status: 'cancelled' });
}

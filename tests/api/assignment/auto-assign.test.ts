import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { seedAgent } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { dispatchersOf } from '../agents/agent-place.ts';
import { useGateway } from '../api-fixture.ts';
import { offerPlace } from './offer-place.ts';

const fixture = useGateway();

test('a search that starts after the creation is an event, and a second start changes nothing', async () => {
  const { api } = await offerPlace(fixture, 0);
  const { id, autoAssignmentStatus } = await api.createTask();
  assert.equal(autoAssignmentStatus, 'not_requested');
  const asked = await api.post(`/tasks/${id}/auto-assign`, undefined);
  assert.deepEqual([asked.status, asked.body.data.status], [200, 'new']);
  assert.equal(asked.body.data.autoAssignmentStatus, 'pending');
  assert.deepEqual((await api.get(`/tasks/${id}`)).body.data, asked.body.data);
  assert.deepEqual((await api.post(`/tasks/${id}/auto-assign`, undefined)).body.data, asked.body.data);
  const { items } = (await api.get<{ items: { type: string; data: { task: TaskView } }[] }>('/events')).body.data;
  assert.deepEqual(
    items.map(({ type, data }) => [type, data.task.autoAssignmentStatus]),
    [
      ['task.created', 'not_requested'],
      ['task.updated', 'pending'],
    ],
  );
});

test('a running search goes on when it is started again: open requests stay open', async () => {
  const place = await offerPlace(fixture, 1);
  const [request] = await place.offer([place.agents[0]!.id]);
  const before = (await place.api.get(`/tasks/${request!.taskId}`)).body.data;
  assert.equal(before.autoAssignmentStatus, 'offered');
  const again = await place.api.post(`/tasks/${request!.taskId}/auto-assign`, undefined);
  assert.deepEqual([again.status, again.body.data], [200, before]);
  assert.deepEqual((await place.api.get(`/assignment-requests/${request!.id}`)).body.data, request);
});

test('a task that was taken back from its agent is searched for again', async () => {
  const place = await offerPlace(fixture, 1);
  const [agent] = place.agents;
  const [request] = await place.offer([agent!.id]);
  await agent!.api.post(`/assignment-requests/${request!.id}/accept`, undefined);
  const taken = (await place.api.post(`/tasks/${request!.taskId}/unassign`, {})).body.data;
  assert.equal(taken.status, 'awaiting_assignment');
  const searched = await place.api.post(`/tasks/${request!.taskId}/auto-assign`, undefined);
  assert.deepEqual([searched.status, searched.body.data.autoAssignmentStatus], [200, 'searching']);
});

test('nobody is looked for past awaiting_assignment, and a job is assigned by its parts', async () => {
  const { api, ...owner } = await dispatchersOf(fixture);
  const { databaseUrl } = fixture.gateway;
  const { agentId } = await seedAgent(databaseUrl, owner.organizationId);
  const statuses = ['assigned', 'accepted', 'in_transit', 'completed', 'cancelled'] as const;
  const seeds = statuses.map((status) => ({ status, agentId }));
  const seeded = await seedTasks(databaseUrl, owner, [...seeds, { children: [{}, {}] }]);
  const job = seeded.pop()!;
  for (const [index, { id }] of seeded.entries()) {
    const { status, body } = await api.post(`/tasks/${id}/auto-assign`, undefined);
    assert.deepEqual([status, body.code, body.details['from']], [409, 'INVALID_STATUS_TRANSITION', statuses[index]]);
  }
  const derived = await api.post(`/tasks/${job.id}/auto-assign`, undefined);
  assert.deepEqual([derived.status, derived.body.code], [409, 'STATUS_DERIVED']);
  assert.equal((await api.post(`/tasks/${job.children[0]!.id}/auto-assign`, undefined)).status, 200);
  const unknown = await api.post('/tasks/999000111/auto-assign', undefined);
  assert.deepEqual([unknown.status, unknown.body.message], [404, 'Task with ID 999000111 not found']);
});

test('a retry under one Idempotency-Key gets the first answer again', async () => {
  const { api } = await dispatchersOf(fixture);
  const { id } = await api.createTask();
  const send = () => api.post(`/tasks/${id}/auto-assign`, undefined, { 'idempotency-key': 'search once' });
  const first = await send();
  await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  const again = await send();
  assert.deepEqual([again.status, again.body.data], [200, first.body.data]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
});

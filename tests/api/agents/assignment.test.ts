import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { useGateway } from '../api-fixture.ts';
import { assignedTask, clientOfAgent, createAgent, dispatchersOf } from './agent-place.ts';

const fixture = useGateway();

interface TaskEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly task: TaskView };
}

test('a task is assigned, taken back and given to another agent; the history and the log name the actor and the reason', async () => {
  const { api, channelId } = await dispatchersOf(fixture);
  const [one, two] = [await createAgent(api), await createAgent(api, { name: 'Bruno Costa' })];
  const { id } = await api.createTask();
  const assigned = await api.post(`/tasks/${id}/assign`, { agentId: one.id, reason: 'near', reasonCode: 'NEAR' });
  assert.equal(assigned.status, 200);
  const { status, agentId, agent, assignedAt, courierType } = assigned.body.data;
  assert.deepEqual([status, agentId, agent?.user, courierType], ['assigned', one.id, one.user, 'internal']);
  assert.equal(assignedAt, assigned.body.data.updatedAt);
  const away = await api.post(`/tasks/${id}/assign`, { agentId: two.id });
  assert.deepEqual([away.status, away.body.code], [409, 'INVALID_STATUS_TRANSITION'], 'it is taken back first');
  const taken = (await api.post(`/tasks/${id}/unassign`, { reason: 'ill' })).body.data;
  assert.deepEqual(
    [taken.status, taken.agentId, taken.agent, taken.assignedAt],
    ['awaiting_assignment', null, null, null],
  );
  assert.deepEqual((await api.get(`/tasks/${id}`)).body.data, taken);
  const again = (await api.post(`/tasks/${id}/assign`, { agentId: two.id })).body.data;
  assert.deepEqual([again.status, again.agent?.user.firstName], ['assigned', 'Bruno']);

  const { items: steps } = (await api.get<{ items: HistoryStepView[] }>(`/tasks/${id}/history`)).body.data;
  assert.deepEqual(
    steps
      .slice(1)
      .map((step) => [step.kind, step.fromStatus, step.toStatus, step.reason, step.reasonCode, step.actor.id]),
    [
      ['status_changed', 'new', 'assigned', 'near', 'NEAR', channelId],
      ['status_changed', 'assigned', 'awaiting_assignment', 'ill', null, channelId],
      ['status_changed', 'awaiting_assignment', 'assigned', null, null, channelId],
    ],
  );
  assert.deepEqual(
    steps.map(({ details }) => details),
    [null, { agentId: one.id }, { previousAgentId: one.id }, { agentId: two.id }],
  );
  const { items: events } = (await api.get<{ items: TaskEvent[] }>('/events')).body.data;
  assert.deepEqual(
    events.slice(1).map(({ type, data: { task, actor: _, ...told } }) => [type, told, task.agentId]),
    [
      ['task.status_changed', { previousStatus: 'new', status: 'assigned', reason: 'near' }, one.id],
      [
        'task.status_changed',
        { previousStatus: 'assigned', status: 'awaiting_assignment', reason: 'ill', previousAgentId: one.id },
        null,
      ],
      ['task.status_changed', { previousStatus: 'awaiting_assignment', status: 'assigned', reason: null }, two.id],
    ],
  );
});

test('to assign the agent who has the task changes nothing, until the task is accepted', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const made = await createAgent(api);
  const id = await assignedTask(api, made.id);
  const before = (await api.get(`/tasks/${id}`)).body.data;
  assert.deepEqual((await api.post(`/tasks/${id}/assign`, { agentId: made.id })).body.data, before);
  const agent = await clientOfAgent(fixture, organizationId, made);
  assert.equal((await agent.put(`/tasks/${id}/status`, { status: 'accepted' })).status, 200);
  const late = await api.post(`/tasks/${id}/assign`, { agentId: made.id });
  assert.deepEqual([late.status, late.body.code], [409, 'INVALID_STATUS_TRANSITION']);
  const taken = await api.post(`/tasks/${id}/unassign`, {});
  assert.deepEqual([taken.body.data.status, taken.body.data.acceptedAt], ['awaiting_assignment', null]);
  assert.equal((await agent.get(`/tasks/${id}`)).status, 404, 'no longer its own');
});

test('an unknown task is reported before an unknown agent, and both before the status of the task', async () => {
  const { api } = await dispatchersOf(fixture);
  const { id } = await api.createTask();
  await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  const assign = async (taskId: number, agentId: number) =>
    (await api.post(`/tasks/${taskId}/assign`, { agentId })).body.message;
  assert.equal(await assign(999_000_111, 999_000_112), 'Task with ID 999000111 not found');
  assert.equal(await assign(id, 999_000_112), 'Agent with ID 999000112 not found');
  assert.equal(await assign(id, (await createAgent(api)).id), 'The task is already cancelled');
  assert.deepEqual((await api.post(`/tasks/${id}/assign`, {})).body.message, ['agentId is required']);
});

test('a body that says why is not needed to take a task back', async () => {
  const { api, key } = await dispatchersOf(fixture);
  const id = await assignedTask(api, (await createAgent(api)).id);
  const bare = await api.raw({ method: 'POST', path: `/api/v1/tasks/${id}/unassign`, headers: { 'x-api-key': key } });
  assert.deepEqual([bare.status, bare.body.data.status], [200, 'awaiting_assignment']);
});

test('a job follows its parts, and is assigned by them alone', async () => {
  const { api } = await dispatchersOf(fixture);
  const { id: agentId } = await createAgent(api);
  const part = { name: 'Part', taskType: 'delivery', location: { address: 'X', latitude: 1, longitude: 2 } };
  const job = await api.createTask({
    children: [part, part].map((each) => ({ ...each, customer: { name: 'Ada', phone: '+442079460001' } })),
  });
  const refused = await api.post(`/tasks/${job.id}/assign`, { agentId });
  assert.deepEqual([refused.status, refused.body.code], [409, 'STATUS_DERIVED']);
  assert.equal((await api.post(`/tasks/${job.id}/unassign`, {})).body.code, 'STATUS_DERIVED');
  const [first] = job.children;
  assert.equal((await api.post(`/tasks/${first!.id}/assign`, { agentId })).body.data.status, 'assigned');
  assert.equal((await api.get(`/tasks/${job.id}`)).body.data.status, 'assigned');
  await api.post(`/tasks/${first!.id}/unassign`, {});
  const after = (await api.get(`/tasks/${job.id}`)).body.data;
  assert.deepEqual([after.status, after.assignedAt], ['awaiting_assignment', null]);
});

test('of 20 agents that a task is given to at once one gets it, and the others are refused', async () => {
  const { api } = await dispatchersOf(fixture);
  const agents = await Promise.all(Array.from({ length: 20 }, () => createAgent(api)));
  const { id } = await api.createTask();
  const replies = await Promise.all(agents.map((agent) => api.post(`/tasks/${id}/assign`, { agentId: agent.id })));
  const [winner, ...others] = replies.filter(({ status }) => status === 200);
  assert.deepEqual(others, []);
  for (const { status, body } of replies)
    if (status !== 200) assert.deepEqual([status, body.code], [409, 'INVALID_STATUS_TRANSITION']);
  const { items } = (await api.get<{ items: TaskEvent[] }>('/events?limit=100')).body.data;
  const given = items.filter(({ data }) => data.task?.id === id).slice(1);
  assert.equal(given.length, 1);
  assert.equal((await api.get(`/tasks/${id}`)).body.data.agentId, winner!.body.data.agentId);
});

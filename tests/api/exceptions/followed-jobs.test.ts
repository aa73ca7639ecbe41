import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { taskInput } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { untilPast } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { type Day, dayOf } from './day-of.ts';

const fixture = useGateway();
const CHILDREN = 12;

/** The events after this one: of the job with their type and what changed, of other tasks with their type. */
async function toldOf(day: Day, jobId: number, after: number) {
  const told = await day.told(after);
  return told.map(({ type, data }) => (data.task.id === jobId ? [type, data['changed'] ?? data['status']] : type));
}

/** A job whose children were assigned one after the other, the number of its events, and the times of its children. */
async function assignedJob(day: Day) {
  const children = Array.from({ length: CHILDREN }, () => taskInput());
  const job = await day.api.createTask({ children });
  const ids = job.children.map(({ id }) => id);
  const times: string[] = [];
  for (const id of ids) {
    const { body } = await day.api.post<TaskView>(`/tasks/${id}/assign`, { agentId: day.agents[0]!.agentId });
    times.push(body.data.assignedAt!);
    await untilPast(body.data.assignedAt!);
  }
  return { jobId: job.id, ids, times, after: (await day.told()).length };
}

test('an action on many children is one event of their job, after theirs', async () => {
  const day = await dayOf(fixture);
  const { jobId, ids, times, after } = await assignedJob(day);
  const cancelled = ids.slice(0, -1);
  const { body } = await day.api.post<{ done: number }>('/tasks/actions', { action: 'cancel', taskIds: cancelled });
  assert.equal(body.data.done, CHILDREN - 1);
  const ofChildren = cancelled.map(() => 'task.status_changed');
  assert.deepEqual(await toldOf(day, jobId, after), [...ofChildren, ['task.updated', ['assignedAt']]]);
  const [last] = (await day.told(after)).slice(-1);
  const job = await day.read(jobId);
  assert.deepEqual(last!.data.task, job);
  assert.equal(job.assignedAt, times.at(-1));
  const [step] = (await day.history(jobId)).slice(-1);
  assert.deepEqual([step!.kind, step!.details], ['updated', { changed: ['assignedAt'] }]);
  const [audited] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
      SELECT changes FROM task_history WHERE organization_id = ${day.organizationId} AND task_id = ${jobId}
      ORDER BY sequence DESC LIMIT 1`,
  );
  const changes = { before: { assignedAt: times[0] }, after: { assignedAt: times.at(-1) } };
  assert.deepEqual(audited!['changes'], changes, 'the audit log has the time before the action');
});

test('the event of a job names the changes by the steps of all its children', async () => {
  const day = await dayOf(fixture);
  const { jobId, ids } = await assignedJob(day);
  const [first, second, third] = ids as [number, number, number];
  for (const id of [second, third, first]) {
    const { body } = await day.api.put<TaskView>(`/tasks/${id}/status`, { status: 'accepted' });
    await untilPast(body.data.acceptedAt!);
  }
  const after = (await day.told()).length;
  await day.api.post('/tasks/actions', { action: 'cancel', taskIds: [second, first] });
  const ofChildren = ['task.status_changed', 'task.status_changed'];
  assert.deepEqual(await toldOf(day, jobId, after), [...ofChildren, ['task.updated', ['acceptedAt', 'assignedAt']]]);
});

test('a new status of a job has an event of its own, in place of one of its times', async () => {
  const day = await dayOf(fixture);
  const { jobId, ids, after } = await assignedJob(day);
  await day.api.post('/tasks/actions', { action: 'cancel', taskIds: ids });
  const ofChildren = ids.map(() => 'task.status_changed');
  assert.deepEqual(await toldOf(day, jobId, after), [...ofChildren, ['task.status_changed', 'cancelled']]);
});

for (const query of ['', '?atomic=true'])
  test(`a batch${query} with many children of a job is one event of the job, after theirs`, async () => {
    const day = await dayOf(fixture);
    const { id: jobId } = await day.api.createTask();
    const after = (await day.told()).length;
    const tasks = Array.from({ length: CHILDREN }, () => taskInput({ parentId: jobId }));
    const { body } = await day.api.post<{ items: { task: TaskView }[] }>(`/tasks/batch${query}`, { tasks });
    const made = body.data.items.map(({ task }) => task);
    const ofChildren = made.map(() => 'task.created');
    assert.deepEqual(await toldOf(day, jobId, after), [...ofChildren, ['task.updated', ['children']]]);
    const [last] = (await day.told(after)).slice(-1);
    assert.deepEqual(
      last!.data.task.children.map(({ id }) => id),
      made.map(({ id }) => id),
    );
    assert.deepEqual(last!.data.task, await day.read(jobId));
  });

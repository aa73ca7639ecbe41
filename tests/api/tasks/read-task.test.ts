import assert from 'node:assert/strict';
import { test } from 'node:test';
import { taskInput } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

test('a task reads back as it was answered when it was created', async () => {
  const task = await fixture.api.createTask({ packages: [{ description: 'books', weight: 2.5 }] });
  const { status, body } = await fixture.api.get(`/tasks/${task.id}`);
  assert.equal(status, 200);
  assert.deepEqual(body.data, task);
});

test('a task from memory and the same task from Postgres are alike in everything', async () => {
  const { api } = fixture;
  const fields = {
    code: 'ORDER-7',
    integrationData: { order: 7, nested: { list: [1, null, 'x'] } },
    requiredSkills: ['cold'],
  };
  const task = await api.createTask({ ...fields, packages: [{ name: 'ice' }], readyAt: '2031-05-01T10:00:00+02:00' });
  const { items } = (await api.list('sortBy=createdAt')).body.data;
  assert.deepEqual(
    items.find(({ id }) => id === task.id),
    (await api.get(`/tasks/${task.id}`)).body.data,
  );
});

test('an unknown task and the task of another organization are refused with the same bytes', async () => {
  const other = await fixture.organization();
  const foreign = await other.api.createTask();
  const unknown = await fixture.api.get('/tasks/999000111');
  const refused = await fixture.api.get(`/tasks/${foreign.id}`);
  assert.equal(unknown.text, '{"statusCode":404,"message":"Task with ID 999000111 not found","error":"Not Found"}');
  assert.equal(refused.status, 404);
  assert.equal(refused.text.replace(`ID ${foreign.id} `, 'ID 999000111 '), unknown.text);
});

test('a single read names the place in the log at which it was true', async () => {
  const created = await fixture.api.post('/tasks', taskInput());
  const read = await fixture.api.get(`/tasks/${created.body.data.id}`);
  assert.match(created.body.metadata.position, /^[a-z0-9]+-\d+$/);
  assert.equal(read.body.metadata.position, created.body.metadata.position);
});

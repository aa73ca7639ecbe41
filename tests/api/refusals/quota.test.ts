import assert from 'node:assert/strict';
import { test } from 'node:test';
import { taskInput } from '../../support/api-client.ts';
import { nextMonth } from '../../support/seeds/next-month.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

test('of 300 tasks at once exactly as many are created as the limit allows, and the others get the reason', async () => {
  const { api, organizationId } = await fixture.organization({ limits: { tasks: 100 } });
  const resetsAt = await nextMonth();
  const replies = await Promise.all(Array.from({ length: 300 }, () => api.post('/tasks', taskInput())));
  const refused = replies.filter(({ status }) => status !== 201);
  assert.equal(replies.length - refused.length, 100);
  for (const { text } of refused) {
    assert.deepEqual(JSON.parse(text), {
      statusCode: 403,
      message: 'The subscription limit is reached',
      error: 'Forbidden',
      code: 'PACKAGE_LIMIT_EXCEEDED',
      details: { resource: 'tasks', limit: 100, used: 100, remaining: 0, resetsAt },
    });
  }
  const [stored] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ used: number; tasks: number }[]>`
    SELECT used, (SELECT count(*) FROM tasks WHERE organization_id = ${organizationId}) AS tasks
    FROM usage WHERE organization_id = ${organizationId} AND resource = 'tasks'`,
  );
  assert.deepEqual(stored, { used: 100, tasks: 100 });
});

test('cancelling gives nothing back', async () => {
  const { api } = await fixture.organization({ limits: { tasks: 1 } });
  const { id } = await api.createTask();
  await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  assert.equal((await api.post('/tasks', taskInput())).body.code, 'PACKAGE_LIMIT_EXCEEDED');
});

test('a refused task uses nothing up', async () => {
  const { api } = await fixture.organization({ limits: { tasks: 2 } });
  await api.createTask({ code: 'ONCE' });
  assert.equal((await api.post('/tasks', taskInput({ code: 'ONCE' }))).status, 409);
  assert.equal((await api.post('/tasks', taskInput({ name: '' }))).status, 400);
  assert.equal((await api.post('/tasks', taskInput())).status, 201);
});

test('a new customer counts against the limit of customers, a known one does not', async () => {
  const { api } = await fixture.organization({ limits: { customers: 1 } });
  await api.createTask();
  await api.createTask();
  const { status, body } = await api.post(
    '/tasks',
    taskInput({ customer: { name: 'New One', phone: '+442079460999' } }),
  );
  assert.equal(status, 403);
  assert.deepEqual(body.details, { resource: 'customers', limit: 1, used: 1, remaining: 0, resetsAt: null });
});

test('a limit of null is none, and a limit of 0 allows nothing', async () => {
  const open = await fixture.organization({ limits: { tasks: null, customers: null } });
  assert.equal((await open.api.post('/tasks', taskInput())).status, 201);
  const closed = await fixture.organization({ limits: { tasks: 0 } });
  const { status, body } = await closed.api.post('/tasks', taskInput());
  assert.equal(status, 403);
  assert.deepEqual(body.details['used'], 0);
});

test('last month counts for itself', async () => {
  await nextMonth();
  const { api, organizationId } = await fixture.organization({ limits: { tasks: 1 } });
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
    INSERT INTO usage (organization_id, resource, period, used)
    VALUES (${organizationId}, 'tasks', date_trunc('month', now()) - interval '1 month', 1)`,
  );
  assert.equal((await api.post('/tasks', taskInput())).status, 201);
});

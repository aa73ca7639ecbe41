import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomerView, DeliverySummary } from '../../../schema/customers/customer.ts';
import { seedAgent, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

interface CustomerList {
  readonly items: CustomerView[];
  readonly count: number;
}
type CustomerDetail = CustomerView & { readonly deliverySummary: DeliverySummary };

const fixture = useGateway();

async function organizationWith(customers: number) {
  const { api, organizationId } = await fixture.organization();
  const created: CustomerView[] = [];
  for (let number = 1; number <= customers; number++) {
    const phone = `+4479${String(number).padStart(8, '0')}`;
    created.push((await api.post<CustomerView>('/customers', { name: `Customer ${number}`, phone })).body.data);
  }
  return { api, organizationId, created };
}

test('customers are listed newest first, twenty to a page, and counted exactly', async () => {
  const { api, created } = await organizationWith(23);
  const newestFirst = created.toReversed();
  const first = await api.get<CustomerList>('/customers');
  assert.equal(first.status, 200);
  assert.deepEqual([first.body.data.items, first.body.data.count], [newestFirst.slice(0, 20), 23]);
  assert.match(first.body.metadata.position, /^[a-z0-9]+-\d+$/);
  const second = await api.get<CustomerList>('/customers?page=2');
  assert.deepEqual(second.body.data, { items: newestFirst.slice(20), count: 23, nextCursor: null });
});

test('pages behind the last one are empty and still counted', async () => {
  const { api } = await organizationWith(2);
  for (const page of ['3', '50000', String(Number.MAX_SAFE_INTEGER)]) {
    const { status, body } = await api.get<CustomerList>(`/customers?limit=100&page=${page}`);
    assert.deepEqual([status, body.data], [200, { items: [], count: 2, nextCursor: null }], page);
  }
});

test('an organization without customers has an empty list', async () => {
  const { api } = await fixture.organization();
  assert.deepEqual((await api.get<CustomerList>('/customers')).body.data, { items: [], count: 0, nextCursor: null });
});

test('customers that tasks bring along are listed and counted like all others', async () => {
  const { api, created } = await organizationWith(1);
  const task = await api.createTask();
  const { items, count } = (await api.get<CustomerList>('/customers')).body.data;
  assert.equal(count, 2);
  assert.deepEqual(
    items.map(({ id }) => id),
    [task.customerId, created[0]!.id],
  );
});

for (const query of ['limit=101', 'limit=0', 'page=0', 'page=-1', 'limit=ten', 'page=1.5', 'page=1&page=2']) {
  test(`?${query} is a violation`, async () => {
    const { status, body } = await fixture.api.get(`/customers?${query}`);
    assert.equal(status, 400);
    assert.equal((body.message as string[]).length, 1);
  });
}

test('a new customer reads back with a summary of nothing', async () => {
  const { api, created } = await organizationWith(1);
  const { status, body } = await api.get<CustomerDetail>(`/customers/${created[0]!.id}`);
  assert.equal(status, 200);
  const deliverySummary = { totalTasks: 0, completedTasks: 0, cancelledTasks: 0, lastTaskAt: null };
  assert.deepEqual(body.data, { ...created[0], deliverySummary });
  assert.match(body.metadata.position, /^[a-z0-9]+-\d+$/);
});

test('the summary counts every task once, by its outcome', async () => {
  const { api, organizationId } = await fixture.organization();
  const { agentId } = await seedAgent(fixture.gateway.databaseUrl, organizationId);
  const tasks = [];
  for (let number = 0; number < 5; number++) tasks.push(await api.createTask());
  const { customerId } = tasks[0]!;
  for (const { id } of tasks.slice(0, 2)) await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  await complete(organizationId, tasks[2]!.id, agentId);
  await api.createTask({ customer: { name: 'Somebody Else', phone: '+442079460999' } });
  const { body } = await api.get<CustomerDetail>(`/customers/${customerId}`);
  assert.deepEqual(body.data.deliverySummary, {
    totalTasks: 5,
    completedTasks: 1,
    cancelledTasks: 2,
    lastTaskAt: tasks[4]!.createdAt,
  });
});

test('reads and lists name the place in the log at which they were true', async () => {
  const { api } = await fixture.organization();
  const { customerId } = await api.createTask();
  const created = await api.createTask();
  const read = await api.get(`/customers/${customerId}`);
  const listed = await api.get('/customers');
  const task = await api.get(`/tasks/${created.id}`);
  assert.equal(read.body.metadata.position, task.body.metadata.position);
  assert.equal(listed.body.metadata.position, task.body.metadata.position);
});

test('a read that has not changed is 304 by its entity tag', async () => {
  const { api, created } = await organizationWith(1);
  const path = `/customers/${created[0]!.id}`;
  const first = await api.get(path);
  assert.match(first.headers.etag!, /^"[\w-]+"$/);
  const same = await api.get(path, { 'if-none-match': first.headers.etag! });
  assert.deepEqual([same.status, same.text, same.headers.etag], [304, '', first.headers.etag]);
  await api.createTask({ customer: undefined, customerId: created[0]!.id });
  assert.equal((await api.get(path, { 'if-none-match': first.headers.etag! })).status, 200, 'the summary has changed');
});

for (const id of ['0', '-1', '1.5', 'abc', '9007199254740992']) {
  test(`the customer id "${id}" is a violation`, async () => {
    for (const reply of [await fixture.api.get(`/customers/${id}`), await fixture.api.patch(`/customers/${id}`, {})]) {
      assert.equal(reply.status, 400);
      assert.deepEqual(reply.body.message, ['id must be a positive integer']);
    }
  });
}

test('other methods are 405 with what is allowed', async () => {
  const reply = await fixture.api.put('/customers/1', {});
  assert.equal(reply.status, 405);
  assert.deepEqual(reply.headers.allow!.split(', ').sort(), ['GET', 'HEAD', 'PATCH']);
});

/** As an agent would have completed it. */
async function complete(organizationId: number, taskId: number, agentId: number): Promise<void> {
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
    UPDATE tasks SET status = 'completed', status_rank = 5, agent_id = ${agentId}
    WHERE organization_id = ${organizationId} AND id = ${taskId}`,
  );
}

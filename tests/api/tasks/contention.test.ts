import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiClient, type ApiReply, taskInput } from '../../support/api-client.ts';
import { nextMonth } from '../../support/seeds/next-month.ts';
import { type SeededOrganization, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

type Tenant = SeededOrganization & { readonly api: ApiClient };

/** So many clients that hardly a request waits for a connection: each has 128. */
const CLIENTS = 8;

/** Sends `count` requests at once. */
function atOnce<T>(
  { key }: Tenant,
  count: number,
  send: (api: ApiClient, number: number) => Promise<ApiReply<T>>,
): Promise<ApiReply<T>[]> {
  const clients = Array.from({ length: CLIENTS }, () => fixture.clientOf(key));
  return Promise.all(Array.from({ length: count }, (_, number) => send(clients[number % CLIENTS]!, number)));
}

function countByStatus(replies: readonly ApiReply<unknown>[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The created rows, and the counts against the limits. */
async function stored({ organizationId }: Tenant) {
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ tasks: number; customers: number; usedTasks: number; usedCustomers: number; counted: number }[]>`
      SELECT (SELECT count(*) FROM tasks t WHERE t.organization_id = o.id) AS tasks,
        (SELECT count(*) FROM customers c WHERE c.organization_id = o.id) AS customers,
        (SELECT coalesce(sum(count), 0)::bigint FROM task_counts n WHERE n.organization_id = o.id) AS counted,
        coalesce((SELECT used FROM usage u WHERE u.organization_id = o.id AND resource = 'tasks'), 0) AS used_tasks,
        coalesce((SELECT used FROM usage u WHERE u.organization_id = o.id AND resource = 'customers'), 0) AS used_customers
      FROM (VALUES (${organizationId}::bigint)) AS o(id)`,
  );
  return row!;
}

const child = (overrides: object = {}) => taskInput({ name: 'A part', ...overrides });
const job = (children: number) => taskInput({ children: Array.from({ length: children }, () => child()) });

test('of 300 creates at once against a limit of 100 exactly 100 are created, and the others get the reason', async () => {
  const tenant = await fixture.organization({ limits: { tasks: 100 } });
  const resetsAt = await nextMonth();
  const replies = await atOnce(tenant, 300, (api) => api.post('/tasks', taskInput()));
  assert.deepEqual(countByStatus(replies), { 201: 100, 403: 200 });
  const refusals = new Set(replies.filter(({ status }) => status === 403).map(({ text }) => text));
  assert.deepEqual(
    [...refusals].map((text) => JSON.parse(text)),
    [
      {
        statusCode: 403,
        message: 'The subscription limit is reached',
        error: 'Forbidden',
        code: 'PACKAGE_LIMIT_EXCEEDED',
        details: { resource: 'tasks', limit: 100, used: 100, remaining: 0, resetsAt },
      },
    ],
  );
  assert.deepEqual(await stored(tenant), {
    tasks: 100,
    customers: 1,
    usedTasks: 100,
    usedCustomers: 1,
    counted: 100,
  });
});

test('of 300 cancels of one task at once one is carried out and 299 get 409 because it has ended', async () => {
  const tenant = await fixture.organization();
  const { id } = await tenant.api.createTask();
  const replies = await atOnce(tenant, 300, (api) => api.put(`/tasks/${id}/status`, { status: 'cancelled' }));
  assert.deepEqual(countByStatus(replies), { 200: 1, 409: 299 });
  const refused = replies.filter(({ status }) => status === 409);
  assert.deepEqual([...new Set(refused.map(({ body }) => body.code))], ['INVALID_STATUS_TRANSITION']);
  assert.deepEqual(refused[0]!.body.details, { from: 'cancelled', to: 'cancelled', allowed: [] });
  const steps = await tenant.api.get<{ items: { kind: string }[] }>(`/tasks/${id}/history`);
  assert.deepEqual(
    steps.body.data.items.map(({ kind }) => kind),
    ['created', 'status_changed'],
  );
});

test('an inline customer of 200 tasks created at once exists once', async () => {
  const tenant = await fixture.organization();
  const spellings = ['+442079460777', '+44 20 7946 0777', '+44 (20) 7946-0777'];
  const replies = await atOnce(tenant, 200, (api, number) =>
    api.post('/tasks', taskInput({ customer: { name: 'Grace Hopper', phone: spellings[number % 3] } })),
  );
  assert.deepEqual(countByStatus(replies), { 201: 200 });
  assert.equal(new Set(replies.map(({ body }) => body.data.customerId)).size, 1);
  const { customers, usedCustomers, tasks } = await stored(tenant);
  assert.deepEqual({ customers, usedCustomers, tasks }, { customers: 1, usedCustomers: 1, tasks: 200 });
});

test('of 200 new customers with one phone, posted among tasks for that phone, one is made', async () => {
  const tenant = await fixture.organization();
  const customer = { name: 'Grace Hopper', phone: '+442079460778' };
  const replies = await atOnce<unknown>(tenant, 200, (api, number) =>
    number % 2 === 0 ? api.post('/customers', customer) : api.post('/tasks', taskInput({ customer })),
  );
  const posted = countByStatus(replies.filter((_, number) => number % 2 === 0));
  assert.deepEqual(countByStatus(replies.filter((_, number) => number % 2 === 1)), { 201: 100 });
  assert.ok((posted[201] ?? 0) <= 1 && (posted[201] ?? 0) + (posted[409] ?? 0) === 100, JSON.stringify(posted));
  assert.equal((await stored(tenant)).customers, 1);
});

test('of 100 tasks at once with one code one is made', async () => {
  const tenant = await fixture.organization();
  const replies = await atOnce(tenant, 100, (api) => api.post('/tasks', taskInput({ code: 'ONLY-ONE' })));
  assert.deepEqual(countByStatus(replies), { 201: 1, 409: 99 });
  assert.equal((await stored(tenant)).tasks, 1);
});

test('of 50 tasks at once that claim one loose package one gets it', async () => {
  const tenant = await fixture.organization();
  const { id, packages } = await tenant.api.createTask({ packages: [{ name: 'Wanted' }] });
  const packageId = packages[0]!.id;
  assert.equal((await tenant.api.patch(`/tasks/${id}`, { packages: [] })).status, 200);
  const replies = await atOnce(tenant, 50, (api) => api.post('/tasks', taskInput({ packageIds: [packageId] })));
  assert.deepEqual(countByStatus(replies), { 201: 1, 409: 49 });
  const winner = replies.find(({ status }) => status === 201)!.body.data;
  const read = await tenant.api.get(`/tasks/${winner.id}`);
  assert.deepEqual(
    read.body.data.packages.map((one) => [one.id, one.taskId]),
    [[packageId, winner.id]],
  );
});

test('a plain batch fills a limit in order', async () => {
  const { api } = await fixture.organization({ limits: { tasks: 5 } });
  const tasks = Array.from({ length: 8 }, (_, number) => taskInput({ name: `Number ${number}` }));
  tasks[1] = taskInput({ name: '' });
  const { status, body } = await api.post<BatchData>('/tasks/batch', { tasks });
  assert.equal(status, 200);
  assert.deepEqual(
    body.data.items.map((item) => item.task?.name ?? item.error!.statusCode),
    ['Number 0', 400, 'Number 2', 'Number 3', 'Number 4', 'Number 5', 403, 403],
  );
  assert.deepEqual([body.data.created, body.data.failed], [5, 3]);
});

test('plain batches at once fill a limit exactly', async () => {
  const tenant = await fixture.organization({ limits: { tasks: 100 } });
  const tasks = Array.from({ length: 15 }, () => taskInput());
  const replies = await atOnce<BatchData>(tenant, 20, (api) => api.post('/tasks/batch', { tasks }));
  const created = replies.reduce((sum, { body }) => sum + body.data.created, 0);
  const { tasks: there, usedTasks } = await stored(tenant);
  assert.deepEqual([created, there, usedTasks], [100, 100, 100]);
});

test('atomic batches and jobs at once against a limit are made whole or not at all', async () => {
  const tenant = await fixture.organization({ limits: { tasks: 100 } });
  const tasks = Array.from({ length: 7 }, () => taskInput());
  const replies = await atOnce<unknown>(tenant, 60, (api, number) =>
    number % 2 === 0 ? api.post('/tasks/batch?atomic=true', { tasks }) : api.post('/tasks', job(3)),
  );
  const made = countByStatus(replies);
  assert.equal((made[200] ?? 0) + (made[201] ?? 0) + (made[403] ?? 0) + (made[422] ?? 0), 60);
  const { tasks: there, usedTasks, counted } = await stored(tenant);
  assert.equal(there, 7 * (made[200] ?? 0) + 4 * (made[201] ?? 0));
  assert.deepEqual([usedTasks, counted], [there, there]);
  assert.ok(there > 96 && there <= 100, `${there} tasks: a job of four would still have had its place`);
  const families = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ children: number }[]>`
      SELECT count(*) AS children FROM tasks WHERE organization_id = ${tenant.organizationId} AND parent_id IS NOT NULL
      GROUP BY parent_id`,
  );
  assert.ok(families.every(({ children }) => children === 3));
});

test('a job over the limit is refused whole, and says how much is left', async () => {
  const tenant = await fixture.organization({ limits: { tasks: 4 } });
  const resetsAt = await nextMonth();
  assert.equal((await tenant.api.post('/tasks', job(2))).status, 201);
  const { status, body } = await tenant.api.post('/tasks', job(1));
  assert.equal(status, 403);
  assert.deepEqual(body.details, { resource: 'tasks', limit: 4, used: 3, remaining: 1, resetsAt });
  assert.equal((await tenant.api.post('/tasks', taskInput())).status, 201, 'what a job did not get is still there');
  assert.equal((await stored(tenant)).tasks, 4);
});

interface BatchData {
  readonly items: readonly { readonly task?: { readonly name: string }; readonly error?: { statusCode: number } }[];
  readonly created: number;
  readonly failed: number;
}

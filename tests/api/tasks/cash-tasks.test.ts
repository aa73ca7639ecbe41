import assert from 'node:assert/strict';
import { test } from 'node:test';
import { taskInput } from '../../support/api-client.ts';
import { seedAgent, seedChannel, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

const cash = (overrides: object = {}) => ({
  name: 'Collect',
  taskType: 'cash_collection',
  amount: '12.50',
  ...overrides,
});

for (const taskType of ['cash_collection', 'cash_drop', 'CASH_DROP'] as const) {
  test(`a dispatcher makes a ${taskType} task without customer and location`, async () => {
    const { api } = await fixture.organization({ role: 'dispatcher' });
    const { status, body } = await api.post(
      '/tasks',
      taskType === 'CASH_DROP' ? { type: taskType, amount: 3 } : cash({ taskType }),
    );
    assert.equal(status, 201);
    const { data } = body;
    assert.equal(data.taskType, taskType.toLowerCase());
    assert.deepEqual([data.amount, data.currency], [taskType === 'CASH_DROP' ? '3.00' : '12.50', 'USD']);
    assert.deepEqual([data.customer, data.customerId, data.location, data.locationId], [null, null, null, null]);
    assert.deepEqual((await api.get(`/tasks/${data.id}`)).body.data, data);
    const list = (await api.list(`taskType=${taskType.toLowerCase()}`)).body.data;
    assert.deepEqual(list, { ...list, items: [data], count: 1 });
  });
}

test('a cash task may have a customer and a location', async () => {
  const { api } = await fixture.organization({ role: 'org_admin' });
  const { status, body } = await api.post('/tasks', cash({ ...taskInput(), taskType: 'cash_drop' }));
  assert.equal(status, 201);
  assert.equal(body.data.customer?.user.firstName, 'Ada');
  assert.equal(body.data.location?.address, '12 St James Square, London');
});

test('for an integration the four values stand, and an amount does not stand in for customer and location', async () => {
  const { status, body } = await fixture.api.post('/tasks', cash());
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'taskType must be one of: delivery, pickup, return, transfer',
    'customer or customerId must be given, exactly one of them',
    'location or locationId must be given, exactly one of them',
  ]);
  const child = await fixture.api.post(
    '/tasks',
    taskInput({ children: [taskInput({ taskType: 'cash_drop', amount: 1 })] }),
  );
  assert.deepEqual(
    [child.status, child.body.message],
    [400, ['children.0.taskType must be one of: delivery, pickup, return, transfer']],
  );
});

test('an integration sees a cash task and changes nothing about it', async () => {
  const { api, organizationId } = await fixture.organization({ role: 'dispatcher' });
  const { databaseUrl } = fixture.gateway;
  const integration = fixture.clientOf((await seedChannel(databaseUrl, organizationId)).key);
  const { agentId } = await seedAgent(databaseUrl, organizationId);
  const { data: task } = (await api.post('/tasks', cash({ packages: [{ name: 'purse' }] }))).body;
  assert.deepEqual((await integration.get(`/tasks/${task.id}`)).body.data, task);
  const changes = [
    ['patch', `/tasks/${task.id}`, { notes: 'x' }],
    ['post', `/tasks/${task.id}/packages`, { name: 'x' }],
    ['patch', `/packages/${task.packages[0]!.id}`, { status: 'picking_up' }],
    ['post', `/tasks/${task.id}/assign`, { agentId }],
    ['post', `/tasks/${task.id}/unassign`, {}],
    ['post', `/tasks/${task.id}/auto-assign`, {}],
    ['put', `/tasks/${task.id}/status`, { status: 'cancelled' }],
    ['put', `/tasks/${task.id}/status`, { status: 'completed' }],
    ['post', `/tasks/${task.id}/proof`, { pin: '0000' }],
    ['post', '/payments/cash', { taskId: task.id, amount: '12.50' }],
    ['post', '/payments/wallet', { taskId: task.id, amount: '12.50' }],
    ['post', '/payments/initialize', { taskId: task.id, amount: '12.50' }],
  ] as const;
  for (const [method, path, input] of changes) {
    const { status, body } = await integration[method](path, input);
    assert.deepEqual([status, body.error], [403, 'Forbidden'], `${method} ${path}`);
  }
  assert.deepEqual((await api.get(`/tasks/${task.id}`)).body.data, task);
  assert.equal((await api.post(`/tasks/${task.id}/assign`, { agentId })).status, 200);
});

/** A dispatcher and an integration of one organization. */
async function office() {
  const { api: dispatcher, organizationId } = await fixture.organization({ role: 'dispatcher' });
  const { key } = await seedChannel(fixture.gateway.databaseUrl, organizationId);
  return { dispatcher, integration: fixture.clientOf(key) };
}

test('a cash task is no job: the agent with the cash completes it', async () => {
  const { dispatcher, integration } = await office();
  const made = await dispatcher.post('/tasks', cash({ children: [taskInput()] }));
  assert.deepEqual([made.status, made.body.message], [400, ['children must not be given in a cash task']]);
  assert.equal((await dispatcher.post('/tasks', cash({ children: [] }))).status, 201);

  const { data: task } = (await dispatcher.post('/tasks', cash())).body;
  for (const api of [dispatcher, integration]) {
    const { status, body } = await api.post('/tasks', taskInput({ parentId: task.id }));
    assert.deepEqual([status, body.code, body.details], [409, 'INVALID_PARENT', { parentId: task.id, reason: 'cash' }]);
  }
  assert.deepEqual((await dispatcher.get(`/tasks/${task.id}`)).body.data, task);
});

test('an integration cancels no job with an open cash task in it', async () => {
  const { dispatcher, integration } = await office();
  const { data: job } = (await dispatcher.post('/tasks', taskInput({ children: [taskInput(), cash()] }))).body;
  const cancel = (api: typeof integration, id: number) => api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  const { status, body } = await cancel(integration, job.id);
  assert.deepEqual([status, body.error], [403, 'Forbidden']);
  assert.deepEqual((await dispatcher.get(`/tasks/${job.id}`)).body.data, job);
  assert.equal((await cancel(dispatcher, job.children[1]!.id)).status, 200);
  assert.equal((await cancel(integration, job.id)).body.data.status, 'cancelled');
});

test('an integration takes no packages out of a cash task, not even of one that has ended', async () => {
  const { dispatcher, integration } = await office();
  const { data: task } = (await dispatcher.post('/tasks', cash({ packages: [{ name: 'purse' }] }))).body;
  await dispatcher.put(`/tasks/${task.id}/status`, { status: 'cancelled' });
  const packageIds = [task.packages[0]!.id];
  const { status, body } = await integration.post('/tasks', taskInput({ packageIds }));
  assert.deepEqual([status, body.code], [409, 'PACKAGE_ATTACHED']);
  assert.equal((await dispatcher.post('/tasks', taskInput({ packageIds }))).status, 201);
});

test("a dispatcher's violations name all six values", async () => {
  const { api } = await fixture.organization({ role: 'dispatcher' });
  const { body } = await api.post('/tasks', taskInput({ taskType: 'fly' }));
  assert.deepEqual(body.message, [
    'taskType must be one of: delivery, pickup, return, transfer, cash_collection, cash_drop',
  ]);
});

/** Every amount stands in tests/unit/domain/money/parse-amount.test.ts. */
for (const [amount, currency, shown] of [
  [0.1, 'EUR', '0.10'],
  ['99999999.990', 'KWD', '99999999.990'],
] as const) {
  test(`the amount ${JSON.stringify(amount)} in ${currency} is shown as ${shown}`, async () => {
    const { api } = await fixture.organization({ role: 'dispatcher' });
    const { status, body } = await api.post('/tasks', cash({ amount, currency }));
    assert.deepEqual([status, body.data.amount, body.data.currency], [201, shown, currency]);
    assert.deepEqual((await api.list()).body.data.items, [body.data]);
  });
}

test('a cash task without a good amount and currency is refused, as a part of a job too', async () => {
  const { api } = await fixture.organization({ role: 'dispatcher' });
  for (const [input, told] of [
    [{ amount: undefined }, 'amount is required for cash tasks'],
    [{ amount: '1.5', currency: 'JPY' }, 'amount must have no decimals in JPY'],
    [{ amount: true }, 'amount must be a number or a decimal string'],
    [{ currency: 'usd' }, 'currency must be an ISO 4217 code of three capital letters'],
    [{ currency: 'ZZZ' }, 'currency must be a code of ISO 4217 in use, in capitals'],
  ] as const) {
    const { status, body } = await api.post('/tasks', cash(input));
    assert.deepEqual([status, body.message], [400, [told]]);
    const child = await api.post('/tasks', taskInput({ children: [cash(input)] }));
    assert.deepEqual([child.status, child.body.message], [400, [`children.0.${told}`]]);
  }
});

test('without a currency the organization’s own counts, with its decimals', async () => {
  const { api, organizationId } = await fixture.organization({ role: 'dispatcher' });
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`UPDATE organizations SET currency = 'KWD' WHERE organization_id = ${organizationId}`,
  );
  const { body } = await api.post('/tasks', cash({ amount: 1.5 }));
  assert.deepEqual([body.data.amount, body.data.currency], ['1.500', 'KWD']);
});

test('a task that is no cash task has no amount', async () => {
  const { api } = await fixture.organization({ role: 'dispatcher' });
  const task = await api.createTask({ amount: '5', currency: 'EUR' });
  assert.deepEqual([task.amount, task.currency], [null, null]);
});

test('the packages of a cash task go through its payment', async () => {
  const { api } = await fixture.organization({ role: 'dispatcher' });
  const { body } = await api.post('/tasks', cash({ packages: [{ name: 'box' }] }));
  const path = `/packages/${body.data.packages[0]!.id}`;
  for (const status of [
    'picking_up',
    'picked_up',
    'delivering',
    'collecting_payment',
    'payment_collected',
    'delivered',
    'dropping_payment',
    'payment_dropped',
  ]) {
    const step = await api.patch(path, { status });
    assert.deepEqual([step.status, step.body.data.status], [200, status]);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { type Day, dayOf, failedTask } from './day-of.ts';

const fixture = useGateway();

const DEPOT = { address: 'Dock 1', latitude: 51.6, longitude: -0.2 };
const again = (day: Day, taskId: number, body: object = {}, headers = {}) =>
  day.api.post(`/tasks/${taskId}/reattempt`, body, headers);

test('a failed task is attempted again by a new task that has its order and its packages', async () => {
  const day = await dayOf(fixture);
  const integrationData = { order: 'A-1' };
  const boxes = [{ name: 'lost one' }, { name: 'box' }];
  const { id: taskId, packages } = await day.taskIn('in_transit', { packages: boxes, integrationData, notes: 'ring' });
  for (const status of ['picking_up', 'picked_up', 'lost'])
    await day.api.patch(`/packages/${packages[0]!.id}`, { status });
  const failure = { status: 'completed', outcome: 'failed', failureReason: 'nobody at home' };
  const { data: before } = (await day.api.put(`/tasks/${taskId}/status`, failure)).body;
  const logged = (await day.told()).length;
  const { status, body, text } = await again(day, taskId);
  assert.equal(status, 201, text);
  const { data: task } = body;
  assert.deepEqual(
    [task.previousTaskId, task.nextTaskId, task.attempt, task.status, task.agentId, task.outcome],
    [taskId, null, 2, 'new', null, null],
  );
  for (const field of [
    'name',
    'taskType',
    'customerId',
    'locationId',
    'notes',
    'integrationData',
    'channelId',
  ] as const)
    assert.deepEqual(task[field], before[field], field);
  assert.notEqual(task.code, before.code);
  assert.deepEqual(
    task.packages.map((one) => [one.id, one.taskId, one.status]),
    [[packages[1]!.id, task.id, 'pending']],
  );
  assert.deepEqual(await day.read(task.id), task);
  const old = await day.read(taskId);
  assert.deepEqual(
    [old.nextTaskId, old.attempt, old.previousTaskId, old.packages.map(({ status: own }) => own)],
    [task.id, 1, null, ['lost']],
  );
  assert.deepEqual(
    (await day.told(logged)).map(({ type, data }) => [type, data.task.id, data['changed']]),
    [
      ['task.updated', taskId, ['nextTaskId', 'packages']],
      ['task.created', task.id, undefined],
    ],
  );
  const [created] = await day.history(task.id);
  assert.deepEqual([created!.kind, created!.details], ['created', { previousTaskId: taskId, attempt: 2 }]);
  assert.deepEqual((await day.history(taskId)).at(-1)!.details, {
    changed: ['nextTaskId', 'packages'],
    nextTaskId: task.id,
  });
  const found = (await day.api.list('integrationData.order=A-1')).body.data;
  assert.deepEqual(
    found.items.toSorted((a, b) => a.attempt - b.attempt).map(({ id, attempt }) => [id, attempt]),
    [
      [taskId, 1],
      [task.id, 2],
    ],
  );
});

test('packages that cannot be handed over go back by a return with the places swapped, at the wanted time', async () => {
  const day = await dayOf(fixture);
  const failed = await failedTask(day, { pickupLocation: DEPOT, packages: [{ name: 'box' }] });
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
  const { status, body } = await again(day, failed.id, { returnToPickup: true, scheduledAt });
  assert.equal(status, 201);
  const { data: task } = body;
  assert.deepEqual([task.taskType, task.timeToServe, task.scheduledAt], ['return', 'scheduled', scheduledAt]);
  assert.deepEqual([task.location, task.pickupLocation], [failed.pickupLocation, failed.location]);
  assert.equal(task.packages.length, 1);
  const refused = await again(day, (await failedTask(day)).id, { returnToPickup: true });
  assert.deepEqual([refused.status, refused.body.code], [409, 'TASK_NOT_RETURNABLE']);
});

test('of several who attempt a task again at once one does, and the others learn by which task', async () => {
  const day = await dayOf(fixture);
  const { id } = await failedTask(day);
  const replies = await Promise.all(Array.from({ length: 20 }, () => again(day, id)));
  const [made, ...more] = replies.filter(({ status }) => status === 201);
  assert.ok(made && more.length === 0);
  const refused = replies.filter((reply) => reply !== made);
  const nextTaskId = made.body.data.id;
  for (const { status, body } of refused)
    assert.deepEqual([status, body.code, body.details], [409, 'TASK_ALREADY_REATTEMPTED', { nextTaskId }]);
  assert.equal((await day.api.list()).body.data.count, 2);
});

test('a retry with its key gets the first answer, and makes nothing', async () => {
  const day = await dayOf(fixture);
  const { id } = await failedTask(day);
  const key = { 'idempotency-key': 'again' };
  const replies = await Promise.all([again(day, id, {}, key), again(day, id, {}, key)]);
  const later = await again(day, id, {}, key);
  for (const { status, body } of [...replies, later])
    assert.deepEqual([status, body.data], [201, replies[0]!.body.data]);
  assert.equal(later.headers['idempotency-replayed'], 'true');
  assert.equal((await again(day, id, { returnToPickup: false }, key)).status, 422);
});

test('Postgres refuses a second next task, even one that memory knows nothing of', async () => {
  const day = await dayOf(fixture);
  const { id } = await failedTask(day);
  const other = await day.api.createTask();
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`UPDATE tasks SET previous_task_id = ${id}
      WHERE organization_id = ${day.organizationId} AND id = ${other.id}`,
  );
  const { status, body } = await again(day, id);
  assert.deepEqual([status, body.code], [409, 'TASK_ALREADY_REATTEMPTED']);
  assert.equal((await day.read(id)).nextTaskId, null);
  assert.equal((await day.api.list()).body.data.count, 2);
});

test('a new attempt of a task that has not failed, or that is a job, is 409 with what it is', async () => {
  const day = await dayOf(fixture);
  for (const status of ['new', 'in_transit', 'completed', 'cancelled'] as const) {
    const { id, outcome } = await day.taskIn(status);
    const refused = await again(day, id);
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.details],
      [409, 'TASK_NOT_FAILED', { status, outcome }],
    );
  }
  const job = await day.api.createTask({ children: [{ ...PART, name: 'part' }] });
  assert.equal((await again(day, job.id)).body.code, 'STATUS_DERIVED');
});

const PART = {
  taskType: 'delivery',
  customer: { name: 'Ada Lovelace', phone: '+442079460001' },
  location: DEPOT,
};

test('a bad body names every fault, and times that have passed', async () => {
  const day = await dayOf(fixture);
  const past = '2020-01-01T00:00:00Z';
  const { status, body } = await again(day, 1, { returnToPickup: 1, windowStart: past, windowEnd: past });
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'returnToPickup must be a boolean',
    'windowEnd must be after windowStart',
    'windowEnd must be in the future',
  ]);
  const late = await again(day, (await failedTask(day)).id, { scheduledAt: past });
  assert.deepEqual([late.status, late.body.message], [400, ['scheduledAt must be in the future']]);
});

test('a new attempt counts against the limit of tasks, and a refused one does not', async () => {
  const day = await dayOf(fixture, { limits: { tasks: 2 } });
  const { id } = await failedTask(day);
  const { data: second } = (await again(day, id)).body;
  assert.equal((await again(day, id)).body.code, 'TASK_ALREADY_REATTEMPTED');
  const { agentId } = day.agents[0]!;
  await day.api.post(`/tasks/${second.id}/assign`, { agentId });
  for (const status of ['accepted', 'in_transit']) await day.api.put(`/tasks/${second.id}/status`, { status });
  const failure = { status: 'completed', outcome: 'failed', failureReason: 'again' };
  await day.api.put(`/tasks/${second.id}/status`, failure);
  const { status, body } = await again(day, second.id);
  assert.deepEqual([status, body.code, body.details['used']], [403, 'PACKAGE_LIMIT_EXCEEDED', 2]);
});

test('an order that was paid stays paid, and one that was not is paid once, by the new task', async () => {
  const day = await dayOf(fixture);
  const cash = (taskId: number) => day.api.post<{ id: number }>('/payments/cash', { taskId, amount: 5 });
  const paid = await failedTask(day);
  const payment = (await cash(paid.id)).body.data;
  const { data: next } = (await again(day, paid.id)).body;
  assert.equal(next.paymentId, payment.id);
  assert.equal((await cash(next.id)).body.code, 'TASK_ALREADY_PAID');

  const unpaid = await failedTask(day);
  const opened = await day.api.post<{ id: number }>('/payments/initialize', { taskId: unpaid.id, amount: 5 });
  assert.equal(opened.status, 201, opened.text);
  const { data: second } = (await again(day, unpaid.id)).body;
  assert.equal(second.paymentId, null);
  const given = await day.api.get<{ status: string; failureReason: string }>(`/payments/${opened.body.data.id}`);
  assert.deepEqual([given.body.data.status, given.body.data.failureReason], ['failed', 'superseded']);
  assert.deepEqual([(await cash(unpaid.id)).body.code, (await cash(second.id)).status], ['TASK_NOT_PAYABLE', 201]);
});

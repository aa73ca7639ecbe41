import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentView } from '../../../schema/money/payment.ts';
import { useGateway } from '../api-fixture.ts';
import { codeOf, madeBy, type PaymentPlace, paymentPlace, readLedger, readTask } from './payment-place.ts';

const fixture = useGateway();

const readPayment = async ({ api }: PaymentPlace, { id }: PaymentView) =>
  (await api.get<PaymentView>(`/payments/${id}`)).body.data;

test('a cash payment without a courier is the office’s, and the task names it', async () => {
  const place = await paymentPlace(fixture);
  const task = await place.api.createTask();
  assert.equal(task.paymentId, null);
  const reply = await place.cash({ taskId: task.id, amount: '12.5', reference: 'till 4' });
  const payment = madeBy(reply);
  assert.deepEqual(payment, {
    id: payment.id,
    taskId: task.id,
    method: 'cash',
    status: 'succeeded',
    amount: '12.50',
    currency: 'USD',
    customerId: task.customerId,
    agentId: null,
    courierId: null,
    reference: 'till 4',
    provider: null,
    providerReference: null,
    checkoutUrl: null,
    refund: null,
    failureReason: null,
    createdAt: payment.createdAt,
    updatedAt: payment.createdAt,
  });
  assert.equal((await readTask(place, task)).paymentId, payment.id);
  assert.deepEqual(await readPayment(place, payment), payment);
  assert.deepEqual(await readLedger(fixture, place.organizationId), [
    { kind: 'payment', account: 'cash_office', ownerId: 0, currency: 'USD', amountMinor: 1_250 },
    { kind: 'payment', account: 'revenue', ownerId: 0, currency: 'USD', amountMinor: -1_250 },
  ]);
});

test('a wallet pays what it has and not a minor unit more', async () => {
  const place = await paymentPlace(fixture);
  const [one, two] = [await place.api.createTask(), await place.api.createTask()];
  await place.topUp(one.customerId, '10');
  const refused = await place.wallet({ taskId: one.id, amount: '10.01' });
  assert.deepEqual(codeOf(refused), [409, 'INSUFFICIENT_FUNDS']);
  assert.deepEqual(refused.body.details, { balance: '10.00', amount: '10.01', currency: 'USD' });
  const payment = madeBy(await place.wallet({ taskId: one.id, amount: 10 }));
  assert.deepEqual([payment.method, payment.status, payment.amount], ['wallet', 'succeeded', '10.00']);
  assert.equal(await place.balanceOf(one.customerId), '0.00');
  assert.deepEqual(codeOf(await place.wallet({ taskId: two.id, amount: '0.01' })), [409, 'INSUFFICIENT_FUNDS']);
  assert.deepEqual((await readTask(place, two)).paymentId, null);
  assert.equal((await readLedger(fixture, place.organizationId)).length, 4);
});

test('a wallet pays in the currency that it has', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId, customerId } = await place.api.createTask();
  await place.topUp(customerId, '10', 'EUR');
  assert.deepEqual(codeOf(await place.wallet({ taskId, amount: 5 })), [409, 'INSUFFICIENT_FUNDS']);
  const payment = madeBy(await place.wallet({ taskId, amount: 5, currency: 'EUR' }));
  assert.deepEqual([payment.amount, payment.currency], ['5.00', 'EUR']);
});

test('a task without a customer has no wallet', async () => {
  const place = await paymentPlace(fixture);
  const task = { name: 'Collect', taskType: 'cash_collection', amount: 5 };
  const { id: taskId } = (await place.api.post('/tasks', task)).body.data;
  assert.deepEqual(codeOf(await place.wallet({ taskId, amount: 5 })), [409, 'CUSTOMER_REQUIRED']);
});

test('an online payment waits behind a link that is known at once, and there is one at a time', async () => {
  const place = await paymentPlace(fixture);
  const task = await place.api.createTask();
  const payment = madeBy(await place.online({ taskId: task.id, amount: 7 }));
  assert.deepEqual([payment.method, payment.status, payment.provider], ['online', 'pending', 'test']);
  assert.match(payment.checkoutUrl!, /^\/api\/v1\/payments\/checkout\/[0-9a-z]+\.[0-9a-z]+\.[\w-]{24}$/);
  assert.equal((await readTask(place, task)).paymentId, payment.id);
  const second = await place.online({ taskId: task.id, amount: 7 });
  assert.deepEqual(codeOf(second), [409, 'PAYMENT_PENDING']);
  assert.deepEqual(second.body.details, { paymentId: payment.id });
  assert.deepEqual(await readLedger(fixture, place.organizationId), [], 'nothing has been paid');
});

for (const method of ['cash', 'wallet'] as const) {
  test(`a ${method} payment takes the place of an online one that is open`, async () => {
    const place = await paymentPlace(fixture);
    const task = await place.api.createTask();
    await place.topUp(task.customerId, '7');
    const open = madeBy(await place.online({ taskId: task.id, amount: 7 }));
    const paid = madeBy(await place[method]({ taskId: task.id, amount: 7 }));
    const { status, failureReason } = await readPayment(place, open);
    assert.deepEqual([status, failureReason], ['failed', 'superseded']);
    assert.equal((await readTask(place, task)).paymentId, paid.id);
  });
}

test('a task is paid once, by any method', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId, customerId } = await place.api.createTask();
  await place.topUp(customerId, '100');
  const { id: paymentId } = madeBy(await place.cash({ taskId, amount: 7 }));
  for (const pay of [place.cash, place.wallet, place.online]) {
    const refused = await pay({ taskId, amount: 7 });
    assert.deepEqual(codeOf(refused), [409, 'TASK_ALREADY_PAID']);
    assert.deepEqual(refused.body.details, { paymentId });
  }
  assert.equal(await place.balanceOf(customerId), '100.00');
});

test('a cancelled task cannot be paid, and cancelling ends what is open', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId } = await place.api.createTask();
  const open = madeBy(await place.online({ taskId, amount: 7 }));
  assert.equal((await place.api.put(`/tasks/${taskId}/status`, { status: 'cancelled' })).status, 200);
  const { status, failureReason } = await readPayment(place, open);
  assert.deepEqual([status, failureReason], ['failed', 'task_cancelled']);
  for (const pay of [place.cash, place.wallet, place.online])
    assert.deepEqual(codeOf(await pay({ taskId, amount: 7 })), [409, 'TASK_NOT_PAYABLE']);
});

test('a cash_drop cannot be paid: it hands over what others have paid', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId } = (await place.api.post('/tasks', { name: 'Hand over', taskType: 'cash_drop', amount: 7 })).body
    .data;
  for (const pay of [place.cash, place.wallet, place.online])
    assert.deepEqual(codeOf(await pay({ taskId, amount: 7 })), [409, 'TASK_NOT_PAYABLE']);
});

test('the amount of a cash task binds every payer', async () => {
  const place = await paymentPlace(fixture);
  const task = { name: 'Collect', taskType: 'cash_collection', amount: '12.50', currency: 'EUR' };
  const { id: taskId } = (await place.api.post('/tasks', task)).body.data;
  for (const body of [
    { amount: '12.51', currency: 'EUR' },
    { amount: '12.50', currency: 'USD' },
    { amount: '12.50' },
  ]) {
    const refused = await place.cash({ taskId, ...body });
    assert.deepEqual(codeOf(refused), [409, 'PAYMENT_AMOUNT_MISMATCH'], JSON.stringify(body));
    assert.deepEqual(refused.body.details, { amount: '12.50', currency: 'EUR' });
  }
  assert.equal(madeBy(await place.cash({ taskId, amount: 12.5, currency: 'EUR' })).amount, '12.50');
});

for (const method of ['cash', 'wallet'] as const) {
  test(`a ${method} payment is given back whole, once, and the task can be paid again`, async () => {
    const place = await paymentPlace(fixture);
    const { id: taskId, customerId } = await place.api.createTask();
    await place.topUp(customerId, '7');
    const payment = madeBy(await place[method]({ taskId, amount: 7 }));
    const refunded = await place.refund(payment.id);
    const { refund, updatedAt } = refunded.body.data;
    assert.deepEqual(
      [refunded.status, refunded.body.data],
      [200, { ...payment, status: 'refunded', refund, updatedAt }],
    );
    assert.deepEqual(refund, {
      status: 'succeeded',
      reason: 'came back',
      requestedAt: updatedAt,
      refundedAt: updatedAt,
      failureReason: null,
    });
    assert.deepEqual(await readPayment(place, payment), refunded.body.data);
    assert.deepEqual(codeOf(await place.refund(payment.id)), [409, 'PAYMENT_ALREADY_REFUNDED']);
    assert.equal(await place.balanceOf(customerId), '7.00');
    const again = madeBy(await place.wallet({ taskId, amount: 7 }));
    assert.equal((await readTask(place, { id: taskId })).paymentId, again.id);
    await readLedger(fixture, place.organizationId);
  });
}

test('an unpaid task cannot be refunded', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId } = await place.api.createTask();
  const { id } = madeBy(await place.online({ taskId, amount: 7 }));
  const pending = await place.refund(id);
  assert.deepEqual(codeOf(pending), [409, 'PAYMENT_NOT_REFUNDABLE']);
  assert.deepEqual(pending.body.details, { status: 'pending' });
  await place.cash({ taskId, amount: 7 });
  assert.deepEqual((await place.refund(id)).body.details, { status: 'failed' });
});

test('the packages of a task with an amount move on with its payment, in the same commit', async () => {
  const place = await paymentPlace(fixture);
  const task = {
    name: 'Collect',
    taskType: 'cash_collection',
    amount: 5,
    packages: [{ name: 'box' }, { name: 'bag' }],
  };
  const { id: taskId, packages } = (await place.api.post('/tasks', task)).body.data;
  const path = `/packages/${packages[0]!.id}`;
  for (const status of ['picking_up', 'picked_up', 'delivering', 'collecting_payment'])
    assert.equal((await place.api.patch(path, { status })).status, 200, status);
  madeBy(await place.cash({ taskId, amount: 5 }));
  const { packages: after, paymentId } = await readTask(place, { id: taskId });
  assert.ok(paymentId);
  assert.deepEqual(
    after.map(({ status }) => status),
    ['payment_collected', 'pending'],
  );
});

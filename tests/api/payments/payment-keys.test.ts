import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentView } from '../../../schema/money/payment.ts';
import type { ApiReply } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';
import { codeOf, madeBy, type PaymentList, type PaymentPlace, paymentPlace, readLedger } from './payment-place.ts';

const fixture = useGateway();

const keyed = (key: string) => ({ 'idempotency-key': key });
const isReplay = ({ headers }: ApiReply<unknown>) => headers['idempotency-replayed'] === 'true';
const countOf = async ({ api }: PaymentPlace) => (await api.get<PaymentList>('/payments')).body.data.count;

function assertReplay(again: ApiReply<unknown>, first: ApiReply<unknown>): void {
  assert.deepEqual([first, again].map(isReplay), [false, true]);
  assert.deepEqual([again.status, again.body.data, again.body.code], [first.status, first.body.data, first.body.code]);
}

for (const method of ['online', 'cash', 'wallet'] as const) {
  test(`a payment (${method}) that is sent again is the first one, also once it has been refunded`, async () => {
    const place = await paymentPlace(fixture);
    const { id: taskId, customerId } = await place.api.createTask();
    await place.topUp(customerId, '50');
    const pay = (amount: number) => place[method]({ taskId, amount }, keyed('pay'));
    const first = await pay(5);
    const payment = madeBy(first);
    assertReplay(await pay(5), first);
    if (method !== 'online') await place.refund(payment.id);
    assertReplay(await pay(5), first);
    assert.deepEqual(codeOf(await pay(6)), [422, 'IDEMPOTENCY_KEY_REUSED']);
    assert.equal(await countOf(place), 1);
    await readLedger(fixture, place.organizationId);
  });
}

test('of 50 wallet payments at once with one key one is made, and all get its answer', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId, customerId } = await place.api.createTask();
  await place.topUp(customerId, '50');
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => place.wallet({ taskId, amount: '1.00' }, keyed('race'))),
  );
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
  assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body.data))).size, 1);
  assert.equal(replies.filter(isReplay).length, 49);
  assert.equal(await place.balanceOf(customerId), '49.00');
});

test('a repeated refund with its key gets the first answer, while a second refund is refused', async () => {
  const place = await paymentPlace(fixture);
  const { id } = madeBy(await place.cash({ taskId: (await place.api.createTask()).id, amount: 5 }));
  const first = await place.refund(id, keyed('back'));
  assertReplay(await place.refund(id, keyed('back')), first);
  const second = await place.refund(id, keyed('again'));
  assert.deepEqual(codeOf(second), [409, 'PAYMENT_ALREADY_REFUNDED']);
  assertReplay(await place.refund(id, keyed('again')), second);
});

test('a top-up that is sent again comes in once', async () => {
  const place = await paymentPlace(fixture);
  const { customerId } = await place.api.createTask();
  const topUp = () => place.api.post(`/wallets/${customerId}/top-ups`, { amount: 5 }, keyed('top-up'));
  const first = await topUp();
  assert.equal(first.status, 201);
  assertReplay(await topUp(), first);
  assert.equal(await place.balanceOf(customerId), '5.00');
});

test('a payment without funds is refused again under its key, and paid under another', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId, customerId } = await place.api.createTask();
  const pay = (key: string) => place.wallet({ taskId, amount: 5 }, keyed(key));
  const first = await pay('poor');
  assert.deepEqual(codeOf(first), [409, 'INSUFFICIENT_FUNDS']);
  await place.topUp(customerId, '5');
  assertReplay(await pay('poor'), first);
  assert.equal((await pay('rich')).status, 201);
});

test('a request that was wrong is not kept under its key', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId } = await place.api.createTask();
  const pay = (amount: unknown): Promise<ApiReply<PaymentView>> => place.cash({ taskId, amount }, keyed('typo'));
  assert.equal((await pay('5.001')).status, 400);
  assert.equal((await pay('5.00')).status, 201);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';
import { madeBy, type PaymentList, type PaymentPlace, paymentPlace, readLedger } from './payment-place.ts';

const fixture = useGateway();

/** So many clients that hardly a request waits for a connection: each has 128. */
const CLIENTS = 8;

/** Sends `count` requests at once. */
function atOnce(
  { key }: PaymentPlace,
  count: number,
  send: (api: ApiClient, number: number) => Promise<ApiReply<unknown>>,
): Promise<ApiReply<unknown>[]> {
  const clients = Array.from({ length: CLIENTS }, () => fixture.clientOf(key));
  return Promise.all(Array.from({ length: count }, (_, number) => send(clients[number % CLIENTS]!, number)));
}

/** How often which status came, with its code. */
function tally(replies: readonly ApiReply<unknown>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const name = [status, body.code].filter(Boolean).join(' ');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Tasks of one customer. */
async function tasksOfOne({ api }: PaymentPlace, count: number): Promise<{ customerId: number; taskIds: number[] }> {
  const { customerId } = await api.createTask();
  const task = { name: 'One of many', taskType: 'delivery', customerId, location: { latitude: 1, longitude: 2 } };
  const tasks = Array.from({ length: count }, () => ({ ...task, location: { ...task.location, address: 'Dock 1' } }));
  const { body, text } = await api.post<{ items: { task: { id: number } }[]; created: number }>('/tasks/batch', {
    tasks,
  });
  assert.equal(body.data.created, count, text);
  return { customerId: customerId!, taskIds: body.data.items.map(({ task: { id } }) => id) };
}

test('of 500 wallet payments at once against a balance for 100 exactly 100 are made', async () => {
  const place = await paymentPlace(fixture);
  const { customerId, taskIds } = await tasksOfOne(place, 500);
  await place.topUp(customerId, '700.00');
  const replies = await atOnce(place, 500, (api, number) =>
    api.post('/payments/wallet', { taskId: taskIds[number], amount: '7.00' }),
  );
  assert.deepEqual(tally(replies), { 201: 100, '409 INSUFFICIENT_FUNDS': 400 });
  assert.equal(await place.balanceOf(customerId), '0.00');
  const { count } = (await place.api.get<PaymentList>('/payments?status=succeeded&limit=1')).body.data;
  assert.equal(count, 100);
  const ledger = await readLedger(fixture, place.organizationId);
  const ofWallet = ledger.filter(({ account }) => account === 'wallet').map(({ amountMinor }) => amountMinor);
  assert.deepEqual(ofWallet, [-70_000, ...Array.from({ length: 100 }, () => 700)]);
});

test('of 100 refunds of one payment at once one is made', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId, customerId } = await place.api.createTask();
  await place.topUp(customerId, '7');
  const { id } = madeBy(await place.wallet({ taskId, amount: 7 }));
  const replies = await atOnce(place, 100, (api) => api.post(`/payments/${id}/refund`, { reason: 'came back' }));
  assert.deepEqual(tally(replies), { 200: 1, '409 PAYMENT_ALREADY_REFUNDED': 99 });
  assert.equal(await place.balanceOf(customerId), '7.00');
  const ledger = await readLedger(fixture, place.organizationId);
  assert.deepEqual(
    ledger.filter(({ account }) => account === 'wallet').map(({ kind, amountMinor }) => [kind, amountMinor]),
    [
      ['top_up', -700],
      ['payment', 700],
      ['refund', -700],
    ],
  );
});

test('of 60 payments of one task at once, by every method, one succeeds', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId, customerId } = await place.api.createTask();
  await place.topUp(customerId, '1000');
  const methods = ['cash', 'wallet', 'initialize'];
  const replies = await atOnce(place, 60, (api, number) =>
    api.post(`/payments/${methods[number % 3]}`, { taskId, amount: 7 }),
  );
  assert.ok(replies.every(({ status }) => status === 201 || status === 409));
  const { items, count } = (await place.api.get<PaymentList>(`/payments?taskId=${taskId}`)).body.data;
  const succeeded = items.filter(({ status }) => status === 'succeeded');
  assert.equal(succeeded.length, 1);
  assert.ok(count <= 2, 'beside it at most one that was open before');
  assert.deepEqual(
    items.flatMap(({ status, failureReason }) => (status === 'succeeded' ? [] : [[status, failureReason]])),
    Array.from({ length: count - 1 }, () => ['failed', 'superseded']),
  );
  const revenue = (await readLedger(fixture, place.organizationId)).filter(({ account }) => account === 'revenue');
  assert.deepEqual(
    revenue.map(({ amountMinor }) => amountMinor),
    [-700],
  );
});

test('top-ups, payments and refunds at once leave what they add up to', async () => {
  const place = await paymentPlace(fixture);
  const { customerId, taskIds } = await tasksOfOne(place, 30);
  await place.topUp(customerId, '100');
  const replies = await atOnce(place, 90, async (api, number) => {
    if (number % 3 === 0) return api.post(`/wallets/${customerId}/top-ups`, { amount: '0.50' });
    const paid = await api.post<{ id: number }>('/payments/wallet', { taskId: taskIds[number % 30], amount: '3.01' });
    return paid.status === 201 && number % 3 === 1
      ? api.post(`/payments/${paid.body.data.id}/refund`, { reason: 'came back' })
      : paid;
  });
  assert.ok(replies.every(({ status }) => status < 300 || status === 409));
  const { count } = (await place.api.get<PaymentList>('/payments?status=succeeded')).body.data;
  const expected = 10_000 + 30 * 50 - count * 301;
  assert.equal(await place.balanceOf(customerId), `${(expected / 100).toFixed(2)}`);
  await readLedger(fixture, place.organizationId);
});

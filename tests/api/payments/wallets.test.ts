import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilPast } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { madeBy, type PaymentPlace, paymentPlace, readLedger, type WalletView } from './payment-place.ts';

const fixture = useGateway();

interface Statement {
  readonly items: readonly {
    readonly transferId: number;
    readonly kind: string;
    readonly amount: string;
    readonly currency: string;
    readonly balance: string;
    readonly paymentId: number | null;
    readonly taskId: number | null;
    readonly reference: string | null;
    readonly at: string;
  }[];
  readonly count: number;
}

async function statementOf({ api }: PaymentPlace, customerId: number | null, query = ''): Promise<Statement> {
  const { status, body, text } = await api.get<Statement>(`/wallets/${customerId}/statement?${query}`);
  assert.equal(status, 200, text);
  return body.data;
}

test('a wallet that nobody has used is empty, in the organization’s currency', async () => {
  const place = await paymentPlace(fixture);
  const { customerId } = await place.api.createTask();
  const { body } = await place.api.get<WalletView>(`/wallets/${customerId}`);
  assert.deepEqual(body.data, { customerId, balance: '0.00', currency: 'USD', balances: [] });
  assert.deepEqual(await statementOf(place, customerId), { items: [], count: 0 });
});

test('a statement is refused in what is no code of a currency, and empty in a currency that the wallet never had', async () => {
  const place = await paymentPlace(fixture);
  const { customerId } = await place.api.createTask();
  for (const currency of ['usd', 'EURO', 'USD,EUR']) {
    const { status, body } = await place.api.get(`/wallets/${customerId}/statement?currency=${currency}`);
    assert.deepEqual(
      [status, body.message],
      [400, ['currency must be an ISO 4217 code of three capital letters']],
      currency,
    );
  }
  assert.deepEqual(await statementOf(place, customerId, 'currency=EUR'), { items: [], count: 0 });
});

test('a top-up answers with what the wallet then has', async () => {
  const place = await paymentPlace(fixture);
  const { customerId } = await place.api.createTask();
  const path = `/wallets/${customerId}/top-ups`;
  const first = await place.api.post<Record<string, unknown>>(path, { amount: '7.5', reference: 'voucher 12' });
  const { id, createdAt } = first.body.data;
  assert.deepEqual(
    [first.status, first.body.data],
    [
      201,
      {
        ...{ id, customerId, amount: '7.50', currency: 'USD', balance: '7.50' },
        ...{ reference: 'voucher 12', createdAt },
      },
    ],
  );
  const second = await place.api.post<Record<string, unknown>>(path, { amount: 1, currency: 'JPY' });
  const { amount, balance, currency, reference } = second.body.data;
  assert.deepEqual([amount, balance, currency, reference], ['1', '1', 'JPY', null]);
  const { data } = (await place.api.get<WalletView>(`/wallets/${customerId}`)).body;
  assert.deepEqual(data, {
    customerId,
    balance: '7.50',
    currency: 'USD',
    balances: [
      { balance: '1', currency: 'JPY' },
      { balance: '7.50', currency: 'USD' },
    ],
  });
});

test('the statement tells every movement, newest first, with the balance after it, and adds up', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId, customerId } = await place.api.createTask();
  await place.topUp(customerId, '10');
  await place.topUp(customerId, '500', 'JPY');
  await untilPast((await statementOf(place, customerId)).items[0]!.at);
  const payment = madeBy(await place.wallet({ taskId, amount: '2.5', reference: 'order 9' }));
  await place.refund(payment.id);
  const statement = await statementOf(place, customerId);
  const [refund, paid, yen, topUp] = statement.items;
  assert.deepEqual(
    statement.items.map((line) => [line.kind, line.amount, line.currency, line.balance]),
    [
      ['refund', '2.50', 'USD', '10.00'],
      ['payment', '-2.50', 'USD', '7.50'],
      ['top_up', '500', 'JPY', '500'],
      ['top_up', '10.00', 'USD', '10.00'],
    ],
  );
  assert.deepEqual(
    [refund, paid, yen].map((line) => [line!.paymentId, line!.taskId, line!.reference]),
    [
      [payment.id, taskId, 'came back'],
      [payment.id, taskId, 'order 9'],
      [null, null, null],
    ],
  );
  assert.equal(paid!.at, payment.createdAt);
  const found = async (query: string) => {
    const { items, count } = await statementOf(place, customerId, query);
    assert.equal(items.length, count, query);
    return items;
  };
  assert.deepEqual(await found('currency=JPY'), [yen]);
  assert.deepEqual(await found('currency=EUR'), []);
  assert.deepEqual(await found(`paymentId=${payment.id}`), [refund, paid]);
  assert.deepEqual(await found(`from=${encodeURIComponent(paid!.at)}`), [refund, paid]);
  assert.deepEqual(await found(`to=${encodeURIComponent(yen!.at)}`), [yen, topUp]);
  const second = await statementOf(place, customerId, 'limit=3&page=2');
  assert.deepEqual(second, { items: [topUp], count: 4 });
  assert.deepEqual(await statementOf(place, customerId, 'page=9000000000'), { items: [], count: 4 });
  await readLedger(fixture, place.organizationId);
});

test('a wallet shows no other customer', async () => {
  const place = await paymentPlace(fixture);
  const customers = [];
  for (const phone of ['+442079460001', '+442079460002'])
    customers.push((await place.api.createTask({ customer: { name: 'Ada', phone } })).customerId);
  await place.topUp(customers[0]!, '10');
  assert.equal(await place.balanceOf(customers[1]!), '0.00');
  assert.deepEqual(await statementOf(place, customers[1]!), { items: [], count: 0 });
});

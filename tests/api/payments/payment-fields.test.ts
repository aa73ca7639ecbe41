import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { seedChannel } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { madeBy, type PaymentPlace, paymentPlace, type WalletView } from './payment-place.ts';

let place: PaymentPlace;
let taskId: number;
let customerId: number;
let paymentId: number;

const fixture = useGateway({}, async (gateway) => {
  place = await paymentPlace(gateway);
  const task = await place.api.createTask();
  [taskId, customerId] = [task.id, task.customerId!];
  paymentId = madeBy(await place.cash({ taskId: (await place.api.createTask()).id, amount: 5 })).id;
});

const TOO_LONG = 'x'.repeat(LIMITS.shortTextChars + 1);

/** Invalid amounts for every body that holds one, with their violations. */
const AMOUNTS = [
  [{ amount: undefined }, 'amount is required'],
  [{ amount: null }, 'amount must be a number or a decimal string'],
  [{ amount: true }, 'amount must be a number or a decimal string'],
  [{ amount: [5] }, 'amount must be a number or a decimal string'],
  [{ amount: 0 }, 'amount must be more than 0'],
  [{ amount: '-5' }, 'amount must be more than 0'],
  [{ amount: '5.001' }, 'amount must have at most 2 decimals in USD'],
  [{ amount: '1.5', currency: 'JPY' }, 'amount must have no decimals in JPY'],
  [{ amount: '1.2345', currency: 'KWD' }, 'amount must have at most 3 decimals in KWD'],
  [{ amount: 100_000_000 }, 'amount must be at most 99999999.99'],
  [{ amount: '1e3' }, 'amount must be a decimal such as 12.50'],
  [{ amount: ' 5' }, 'amount must be a decimal such as 12.50'],
  [{ amount: 'five' }, 'amount must be a decimal such as 12.50'],
  [{ currency: 'usd' }, 'currency must be a code of ISO 4217 in use, in capitals'],
  [{ currency: 'ZZZ' }, 'currency must be a code of ISO 4217 in use, in capitals'],
  [{ currency: 840 }, 'currency must be a string'],
  [{ reference: 7 }, 'reference must be a string'],
  [{ reference: TOO_LONG }, `reference must be at most ${LIMITS.shortTextChars} characters`],
  [{ reference: 'a\u0000b' }, 'reference must not contain NUL or unpaired surrogates'],
] as const;

const TASK_IDS = [
  [{ taskId: undefined }, 'taskId is required'],
  [{ taskId: '7' }, 'taskId must be a number'],
  [{ taskId: 0 }, 'taskId must be a positive integer'],
  [{ taskId: 1.5 }, 'taskId must be a positive integer'],
] as const;

const REASONS = [
  [{ reason: undefined }, 'reason is required'],
  [{ reason: '' }, 'reason must not be empty'],
  [{ reason: '  ' }, 'reason must not be empty'],
  [{ reason: TOO_LONG }, `reason must be at most ${LIMITS.shortTextChars} characters`],
] as const;

type Cases = readonly (readonly [object, string])[];
/** For each route a valid body and its faults, one by one. */
const ROUTES: readonly (readonly [path: () => string, right: () => object, Cases])[] = [
  ...['initialize', 'cash', 'wallet'].map(
    (how) => [() => `/payments/${how}`, () => ({ taskId, amount: 5 }), [...TASK_IDS, ...AMOUNTS]] as const,
  ),
  [() => `/wallets/${customerId}/top-ups`, () => ({ amount: 5 }), AMOUNTS],
  [() => `/payments/${paymentId}/refund`, () => ({ reason: 'r' }), REASONS],
];

for (const [path, right, cases] of ROUTES) {
  test(`POST ${path().replace(/undefined/, ':id')} says what is wrong with each field`, async () => {
    for (const [wrong, told] of cases) {
      const { status, body, text } = await place.api.post(path(), { ...right(), ...wrong });
      assert.deepEqual([status, body.message], [400, [told]], `${JSON.stringify(wrong).slice(0, 60)} ${text}`);
    }
    for (const none of [[], 'text', 7])
      assert.equal((await place.api.post(path(), none)).status, 400, JSON.stringify(none));
  });
}

test('every violation is named at once', async () => {
  const { status, body } = await place.api.post('/payments/cash', { taskId: '7', amount: false, reference: 7 });
  assert.deepEqual(
    [status, body.message],
    [400, ['taskId must be a number', 'amount must be a number or a decimal string', 'reference must be a string']],
  );
});

for (const [query, told] of [
  ['status=paid', 'status.0 must be one of: pending, succeeded, failed, refunded'],
  ['method=card', 'method.0 must be one of: online, cash, wallet'],
  ['taskId=x', 'taskId must be a positive integer'],
  ['customerId=0', 'customerId must be a positive integer'],
  ['agentId=-1', 'agentId.0 must be a positive integer'],
  ['customerId=1&customerId=2', 'customerId must be given once'],
  ['from=yesterday', 'from must be an ISO 8601 date-time with a zone or offset'],
  ['to=2026-01-01', 'to must be an ISO 8601 date-time with a zone or offset'],
  ['limit=101', 'limit must be an integer between 1 and 100'],
  ['page=0', 'page must be an integer of 1 or more'],
] as const) {
  test(`GET /payments?${query} is refused`, async () => {
    const { status, body } = await place.api.get(`/payments?${query}`);
    assert.deepEqual([status, body.message], [400, [told]]);
  });
}

test('the statement and the audit log take what they know and nothing else', async () => {
  for (const path of [
    `/wallets/${customerId}/statement?limit=101`,
    `/wallets/${customerId}/statement?from=now`,
    `/wallets/${customerId}/statement?paymentId=x`,
    `/payments/${paymentId}/audit-logs?page=0`,
    '/wallets/x',
    '/wallets/0/statement',
    '/payments/1e3',
    '/agents/x/cash',
  ])
    assert.equal((await place.api.get(path)).status, 400, path);
});

for (const [currency, amount, shown] of [
  ['JPY', 1, '1'],
  ['USD', '99999999.99', '99999999.99'],
  ['KWD', '0.001', '0.001'],
] as const) {
  test(`${amount} ${currency} comes in, pays and goes back as ${shown}, with nothing lost`, async () => {
    const { id, customerId: payer } = await place.api.createTask({
      customer: { name: 'Grace', phone: `+4420794${60_000 + Math.round(Number(amount) % 1000)}` },
    });
    const path = `/wallets/${payer}`;
    const inCurrency = async () => {
      const { balances } = (await place.api.get<WalletView>(path)).body.data;
      return balances.find((each) => each.currency === currency)?.balance ?? '';
    };
    const before = await inCurrency();
    const topped = await place.api.post<{ amount: string; balance: string }>(`${path}/top-ups`, { amount, currency });
    assert.equal(topped.body.data.amount, shown);
    const payment = madeBy(await place.wallet({ taskId: id, amount, currency }));
    assert.deepEqual([payment.amount, payment.currency], [shown, currency]);
    assert.equal(Number(await inCurrency()), Number(before));
    await place.refund(payment.id);
    assert.equal(await inCurrency(), topped.body.data.balance);
  });
}

test('without a currency the organization’s own counts, with its decimals', async () => {
  const yen = await paymentPlace(fixture);
  const { key } = await seedChannel(fixture.gateway.databaseUrl, yen.organizationId, { role: 'org_admin' });
  const changed = await fixture.clientOf(key).patch(`/organizations/${yen.organizationId}`, { currency: 'JPY' });
  assert.equal(changed.status, 200, changed.text);
  const task = await yen.api.createTask();
  await yen.topUp(task.customerId, '100');
  assert.deepEqual((await yen.cash({ taskId: task.id, amount: 1.5 })).body.message, [
    'amount must have no decimals in JPY',
  ]);
  const { amount, currency } = madeBy(await yen.wallet({ taskId: task.id, amount: '40' }));
  assert.deepEqual([amount, currency, await yen.balanceOf(task.customerId)], ['40', 'JPY', '60']);
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { AuditEntryView } from '../../../schema/accounts/audit.ts';
import type { PaymentView } from '../../../schema/money/payment.ts';
import type { ApiReply } from '../../support/api-client.ts';
import { seedChannel, withSql } from '../../support/seeds/seed.ts';
import { untilPast } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { madeBy, type PaymentList, type PaymentPlace, paymentPlace } from './payment-place.ts';

const fixture = useGateway();

interface AuditList {
  readonly items: AuditEntryView[];
  readonly count: number;
}

const idsOf = ({ items }: PaymentList) => items.map(({ id }) => id);
const list = ({ api }: PaymentPlace, query = '') => api.get<PaymentList>(`/payments?${query}`);
const auditOf = ({ api }: PaymentPlace, id: number, query = '') =>
  api.get<AuditList>(`/payments/${id}/audit-logs?${query}`);

test('payments are listed newest first, page by page, counted exactly, and found by each filter', async () => {
  const place = await paymentPlace(fixture);
  const { api } = place;
  const tasks = [];
  for (const phone of ['+442079460001', '+442079460001', '+442079460002', '+442079460002'])
    tasks.push(await api.createTask({ customer: { name: 'Ada', phone } }));
  const [one, two, three, four] = tasks as [(typeof tasks)[0], (typeof tasks)[0], (typeof tasks)[0], (typeof tasks)[0]];
  await place.topUp(one.customerId, '100');
  const made = async (reply: Promise<ApiReply<PaymentView>>) => {
    const payment = madeBy(await reply);
    await untilPast(payment.createdAt);
    return payment;
  };
  const a = await made(place.wallet({ taskId: one.id, amount: 1 }));
  const b = await made(place.cash({ taskId: two.id, amount: 2 }));
  const c = await made(place.online({ taskId: three.id, amount: 3 }));
  const d = await made(place.cash({ taskId: three.id, amount: 3 }));
  const e = await made(place.online({ taskId: four.id, amount: 4 }));
  await place.refund(b.id);
  const time = (at: string) => encodeURIComponent(at);
  const expected: Readonly<Record<string, readonly PaymentView[]>> = {
    '': [e, d, c, b, a],
    'status=succeeded': [d, a],
    'status=pending,failed': [e, c],
    'status=refunded&status=pending': [e, b],
    'status=': [e, d, c, b, a],
    'method=cash': [d, b],
    'method=wallet,online': [e, c, a],
    'method=cash&status=refunded': [b],
    [`taskId=${three.id}`]: [d, c],
    [`customerId=${one.customerId}`]: [b, a],
    [`customerId=${three.customerId}&method=online`]: [e, c],
    'customerId=999000111': [],
    'agentId=999000111': [],
    [`from=${time(c.createdAt)}`]: [e, d, c],
    [`to=${time(b.createdAt)}`]: [b, a],
    [`from=${time(b.createdAt)}&to=${time(d.createdAt)}`]: [d, c, b],
    [`from=${time(e.createdAt)}&to=${time(a.createdAt)}`]: [],
  };
  for (const [query, payments] of Object.entries(expected)) {
    const { status, body } = await list(place, query);
    const ids = payments.map(({ id }) => id);
    assert.deepEqual([status, idsOf(body.data), body.data.count], [200, ids, ids.length], query);
  }
  const second = (await list(place, 'limit=2&page=2')).body.data;
  assert.deepEqual([idsOf(second), second.count], [[c.id, b.id], 5]);
  assert.deepEqual((await list(place, 'page=9000000000')).body.data, { items: [], count: 5, nextCursor: null });
  const { items } = (await list(place)).body.data;
  for (const item of items) assert.deepEqual((await api.get(`/payments/${item.id}`)).body.data, item);
});

test('payments of one moment are listed in one order, on pages of any size', async () => {
  const place = await paymentPlace(fixture);
  const ids: number[] = [];
  for (let made = 0; made < 4; made += 1)
    ids.push(madeBy(await place.cash({ taskId: (await place.api.createTask()).id, amount: 1 })).id);
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`UPDATE payments SET created_at = '2026-01-02' WHERE organization_id = ${place.organizationId}`,
  );
  const pages: number[] = [];
  for (const page of [1, 2, 3, 4]) pages.push(...idsOf((await list(place, `limit=1&page=${page}`)).body.data));
  assert.deepEqual(
    pages,
    ids.toSorted((x, y) => y - x),
  );
});

test('a list and a payment are true at the place in the log that they name', async () => {
  const place = await paymentPlace(fixture);
  const { api } = place;
  const sequenceOf = ({ body }: { body: { metadata: { position: string } } }) =>
    Number(body.metadata.position.split('-')[1]);
  const { id: taskId, customerId } = await api.createTask();
  const before = await list(place);
  assert.deepEqual(before.body.data, { items: [], count: 0, nextCursor: null });
  const { id } = madeBy(await place.cash({ taskId, amount: 1 }));
  const events = await api.get<{ items: { sequence: number; type: string }[] }>('/events?limit=100');
  const told = events.body.data.items.find(({ type }) => type === 'payment.succeeded')!.sequence;
  assert.ok(told > sequenceOf(before));
  for (const path of ['/payments', `/payments/${id}`, `/payments/${id}/audit-logs`, `/wallets/${customerId}`])
    assert.equal(sequenceOf(await api.get(path)), told, path);
});

test('a payment has an entity tag that a refund changes', async () => {
  const place = await paymentPlace(fixture);
  const { id } = madeBy(await place.cash({ taskId: (await place.api.createTask()).id, amount: 1 }));
  const first = await place.api.get<PaymentView>(`/payments/${id}`);
  const tag = { 'if-none-match': first.headers.etag! };
  assert.equal((await place.api.get(`/payments/${id}`, tag)).status, 304);
  await place.refund(id);
  const changed = await place.api.get(`/payments/${id}`, tag);
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.etag, first.headers.etag);
});

test('every change of a payment stands in its audit log, with who made it, from where and in which request', async () => {
  const place = await paymentPlace(fixture);
  const { api, channelId, userId } = place;
  const { id: taskId } = await api.createTask();
  const correlation = randomUUID();
  const open = madeBy(await place.online({ taskId, amount: 1 }));
  const paid = madeBy(await place.cash({ taskId, amount: '1.00' }, { 'x-correlation-id': correlation }));
  await place.refund(paid.id);
  const { items, count } = (await auditOf(place, paid.id)).body.data;
  assert.deepEqual(
    [count, items.map(({ action, record }) => [action, record])],
    [2, ['payment.updated', 'payment.created'].map((action) => [action, { type: 'payment', id: paid.id }])],
  );
  const [refunded, created] = items as [AuditEntryView, AuditEntryView];
  assert.deepEqual([created.before, created.after!['status'], created.after!['amountMinor']], [null, 'succeeded', 100]);
  assert.deepEqual([refunded.before!['status'], refunded.after!['status']], ['succeeded', 'refunded']);
  assert.equal((refunded.after!['refund'] as { reason: string }).reason, 'came back');
  assert.equal(created.correlationId, correlation);
  for (const { actor, address } of items) {
    assert.deepEqual(actor, { type: 'channel', id: channelId, userId });
    assert.equal(address, '127.0.0.1');
  }
  const superseded = (await auditOf(place, open.id)).body.data;
  assert.deepEqual(
    superseded.items.map(({ action, after }) => [action, after!['status'], after!['failureReason']]),
    [
      ['payment.updated', 'failed', 'superseded'],
      ['payment.created', 'pending', null],
    ],
  );
  const token = open.checkoutUrl!.split('.').at(-1)!;
  assert.ok(!JSON.stringify(superseded).includes(token), 'nobody pays with what an audit log tells');
  const [newest] = (await auditOf(place, paid.id, 'limit=1')).body.data.items;
  assert.deepEqual(newest, refunded);
  const [oldest] = (await auditOf(place, paid.id, 'limit=1&page=2')).body.data.items;
  assert.deepEqual(oldest, created);
  assert.deepEqual((await auditOf(place, paid.id, 'page=7')).body.data, { items: [], count: 2 });
});

test('the audit log of the organization tells the same of payments, and of top-ups', async () => {
  const place = await paymentPlace(fixture);
  const { key } = await seedChannel(fixture.gateway.databaseUrl, place.organizationId, { role: 'org_admin' });
  const admin = fixture.clientOf(key);
  const { id: taskId, customerId } = await place.api.createTask();
  const topUp = await place.api.post<{ id: number }>(`/wallets/${customerId}/top-ups`, {
    amount: 5,
    reference: 'gift',
  });
  const { id } = madeBy(await place.wallet({ taskId, amount: 5 }));
  const payments = (await admin.get<AuditList>(`/audit-logs?recordType=payment&recordId=${id}`)).body.data;
  assert.deepEqual(payments, (await auditOf(place, id)).body.data);
  const { items } = (await admin.get<AuditList>('/audit-logs?recordType=top_up')).body.data;
  assert.deepEqual(
    items.map(({ action, record, before }) => [action, record, before]),
    [['top_up.created', { type: 'top_up', id: topUp.body.data.id }, null]],
  );
  const { reference, kind } = items[0]!.after!;
  assert.deepEqual([reference, kind], ['gift', 'top_up']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { PaymentView } from '../../../schema/money/payment.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { acceptedTask, assignedTask, clientOfAgent, createAgent } from '../agents/agent-place.ts';
import { useGateway } from '../api-fixture.ts';
import {
  codeOf,
  madeBy,
  type PaymentList,
  type PaymentPlace,
  paymentPlace,
  readLedger,
  type WalletView,
} from './payment-place.ts';

const fixture = useGateway();

interface AgentPlace extends PaymentPlace {
  readonly agent: AgentView;
  readonly own: ApiClient;
}

async function agentPlace(): Promise<AgentPlace> {
  const place = await paymentPlace(fixture);
  const agent = await createAgent(place.api);
  return { ...place, agent, own: await clientOfAgent(fixture, place.organizationId, agent) };
}

/** A task about cash that the agent has been given. */
async function cashTask({ api, agent }: AgentPlace, taskType: string, amount: string): Promise<number> {
  const { id } = (await api.post('/tasks', { name: 'Cash', taskType, amount })).body.data;
  assert.equal((await api.post(`/tasks/${id}/assign`, { agentId: agent.id })).status, 200);
  return id;
}

/** The agent carries the task out; the answer to its end. */
async function carryOut({ own }: AgentPlace, taskId: number, end: object = {}) {
  for (const status of ['accepted', 'in_transit'])
    assert.equal((await own.put(`/tasks/${taskId}/status`, { status })).status, 200, status);
  return own.put(`/tasks/${taskId}/status`, { status: 'completed', ...end });
}

const cashOf = async ({ own }: AgentPlace) => (await own.get<WalletView>('/agents/me/cash')).body.data;

test('an agent takes cash for a task that it has, and answers for it', async () => {
  const place = await agentPlace();
  const { agent, own, api } = place;
  assert.deepEqual(await cashOf(place), { agentId: agent.id, balance: '0.00', currency: 'USD', balances: [] });
  const taskId = await acceptedTask(api, agent.id);
  const payment = madeBy(await own.post<PaymentView>('/payments/cash', { taskId, amount: '12.5' }));
  assert.deepEqual([payment.agentId, payment.courierId, payment.method], [agent.id, null, 'cash']);
  const cash = {
    agentId: agent.id,
    balance: '12.50',
    currency: 'USD',
    balances: [{ balance: '12.50', currency: 'USD' }],
  };
  assert.deepEqual(await cashOf(place), cash);
  const read = await api.get(`/agents/${agent.id}/cash`);
  assert.deepEqual(read.body.data, cash);
  assert.equal((await api.get(`/agents/${agent.id}/cash`, { 'if-none-match': read.headers.etag! })).status, 304);
  const found = (await api.get<PaymentList>(`/payments?agentId=${agent.id}`)).body.data;
  assert.deepEqual(found, { items: [payment], count: 1, nextCursor: null });
  const either = (await api.get<PaymentList>(`/payments?agentId=999000111,${agent.id}`)).body.data;
  assert.deepEqual(either, found);
  assert.equal((await api.get<PaymentList>('/payments?agentId=999000111,999000112')).body.data.count, 0);
});

test('an agent takes no cash for a task that it has not accepted, and staff take that cash for the office', async () => {
  const place = await agentPlace();
  const taskId = await assignedTask(place.api, place.agent.id);
  const { status, body } = await place.own.post('/payments/cash', { taskId, amount: 3 });
  const message = 'Accept the task before you collect its cash';
  assert.deepEqual([status, body.code, body.message], [409, 'TASK_NOT_PAYABLE', message]);
  const payment = madeBy(await place.cash({ taskId, amount: 3 }));
  assert.equal(payment.agentId, null);
  assert.equal((await cashOf(place)).balance, '0.00');
});

test('cash that staff note for a task is with the agent that has accepted the task', async () => {
  const place = await agentPlace();
  const taskId = await acceptedTask(place.api, place.agent.id);
  madeBy(await place.cash({ taskId, amount: 3 }));
  assert.equal((await cashOf(place)).balance, '3.00');
});

test('tasks and cash of others are unknown to an agent', async () => {
  const place = await agentPlace();
  const { own, api } = place;
  const colleague = await createAgent(api);
  const [theirs, nobodys] = [await assignedTask(api, colleague.id), (await api.createTask()).id];
  const foreign = (await (await paymentPlace(fixture)).api.createTask()).id;
  for (const taskId of [theirs, nobodys, foreign, 999_000_111]) {
    const { status, body } = await own.post('/payments/cash', { taskId, amount: 1 });
    assert.deepEqual([status, body.message], [404, `Task with ID ${taskId} not found`]);
  }
  for (const id of [colleague.id, 999_000_111]) {
    const { status, body } = await own.get(`/agents/${id}/cash`);
    assert.deepEqual([status, body.message], [404, `Agent with ID ${id} not found`]);
  }
  assert.equal((await place.api.get('/agents/me/cash')).status, 404, 'staff is no agent');
});

test('cash that is collected is a payment once the task is completed, and a drop hands it over', async () => {
  const place = await agentPlace();
  const { api, agent, organizationId } = place;
  const collection = await cashTask(place, 'cash_collection', '30.00');
  const collected = await carryOut(place, collection);
  assert.equal(collected.status, 200, collected.text);
  const { items } = (await api.get<PaymentList>(`/payments?taskId=${collection}`)).body.data;
  const [payment] = items;
  assert.deepEqual(
    [items.length, payment!.status, payment!.amount, payment!.agentId],
    [1, 'succeeded', '30.00', agent.id],
  );
  assert.equal(collected.body.data.paymentId, payment!.id);
  assert.equal((await cashOf(place)).balance, '30.00');

  const tooMuch = await cashTask(place, 'cash_drop', '30.01');
  const refused = await carryOut(place, tooMuch);
  assert.deepEqual(codeOf(refused), [409, 'INSUFFICIENT_FUNDS']);
  assert.deepEqual(refused.body.details, { balance: '30.00', amount: '30.01', currency: 'USD' });
  assert.equal((await api.get(`/tasks/${tooMuch}`)).body.data.status, 'in_transit');

  const drop = await cashTask(place, 'cash_drop', '20');
  assert.equal((await carryOut(place, drop)).status, 200);
  assert.equal((await cashOf(place)).balance, '10.00');
  const agentCash = { account: 'agent_cash', ownerId: agent.id, currency: 'USD' };
  const office = { account: 'cash_office', ownerId: 0, currency: 'USD' };
  assert.deepEqual(await readLedger(fixture, organizationId), [
    { kind: 'payment', ...agentCash, amountMinor: 3_000 },
    { kind: 'payment', ...office, account: 'revenue', amountMinor: -3_000 },
    { kind: 'cash_drop', ...office, amountMinor: 2_000 },
    { kind: 'cash_drop', ...agentCash, amountMinor: -2_000 },
  ]);
});

test('a collection that was paid before makes no second payment, and one that failed makes none', async () => {
  const place = await agentPlace();
  const { api } = place;
  const paid = await cashTask(place, 'cash_collection', '5.00');
  const { id } = madeBy(await place.cash({ taskId: paid, amount: 5 }));
  assert.equal((await carryOut(place, paid)).body.data.paymentId, id);
  const failed = await cashTask(place, 'cash_collection', '5.00');
  const ended = await carryOut(place, failed, { outcome: 'failed', failureReason: 'nobody there' });
  assert.deepEqual([ended.status, ended.body.data.paymentId], [200, null], ended.text);
  assert.equal((await api.get<PaymentList>('/payments')).body.data.count, 1);
  assert.equal((await cashOf(place)).balance, '0.00', 'the office took it before the agent accepted');
});

test('cash is refunded by the office, and stays with the agent until that hands it over', async () => {
  const place = await agentPlace();
  const taskId = await acceptedTask(place.api, place.agent.id);
  const { id } = madeBy(await place.cash({ taskId, amount: 4 }));
  assert.equal((await place.refund(id)).status, 200);
  assert.equal((await cashOf(place)).balance, '4.00');
  const drop = await cashTask(place, 'cash_drop', '4.00');
  assert.equal((await carryOut(place, drop)).status, 200);
  assert.equal((await cashOf(place)).balance, '0.00');
  await readLedger(fixture, place.organizationId);
});

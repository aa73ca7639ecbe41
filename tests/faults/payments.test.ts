import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connectPostgres } from '../../engine/store/postgres.ts';
import type { PaymentView } from '../../schema/money/payment.ts';
import type { TaskView } from '../../schema/tasks/task-view.ts';
import { type ApiClient, type ApiReply, createApiClient } from '../support/api-client.ts';
import { assertBooksAgree } from '../support/assert-books-agree.ts';
import { seedChannel } from '../support/seeds/seed.ts';
import { startCrashableSystem } from '../support/system/crashable-system.ts';
import { until } from '../support/until.ts';

const TASKS = 200;
const COVERED = 160;
const CONNECTIONS = 32;
const BATCH = 100;

test('a gateway killed with -9 during wallet payments takes each of them once, and no more than the wallet has', async () => {
  const system = await startCrashableSystem();
  const { place, baseUrl } = system;
  const sql = connectPostgres(place.databaseUrl, { name: 'test', connections: 2, statementTimeoutMs: 30_000 });
  const { key } = await seedChannel(place.databaseUrl, place.organizationId, { role: 'dispatcher' });
  const client = createApiClient({ baseUrl, key });
  try {
    await system.startGateway();
    const tasks = await makeTasks(client);
    const wallet = `/wallets/${tasks[0]!.customer!.id}`;
    const topUp = await client.post(`${wallet}/top-ups`, { amount: `${COVERED}.00` });
    assert.equal(topUp.status, 201, topUp.text);

    const outcomes = new Map<number, string>();
    let retried = 0;
    const paying = inTurn(tasks, async ({ id }) => {
      outcomes.set(id, await payUntilTold(client, id, () => (retried += 1)));
    });
    paying.catch(() => {});
    await until('a part of the payments is made', () => outcomes.size > TASKS / 5);
    await system.killGateway();
    await system.startGateway();
    await paying;
    assert.ok(retried > 0, 'the crash met no request');

    const refused = [...outcomes.values()].filter((outcome) => outcome === 'INSUFFICIENT_FUNDS');
    assert.equal(refused.length, TASKS - COVERED);
    await inTurn(tasks, async ({ id }) => assert.equal(await payUntilTold(client, id, () => {}), outcomes.get(id)));
    assert.equal((await client.get<{ balance: string }>(wallet)).body.data.balance, '0.00');
    const payments = await sql<{ id: number; taskId: number }[]>`
      SELECT id, task_id FROM payments WHERE organization_id = ${place.organizationId} AND status = 'succeeded'`;
    const acknowledged = [...outcomes].filter(([, outcome]) => outcome !== 'INSUFFICIENT_FUNDS');
    const byTask = (pairs: readonly (readonly [number, string])[]) => [...pairs].sort(([a], [b]) => a - b);
    assert.deepEqual(byTask(payments.map(({ id, taskId }) => [taskId, String(id)])), byTask(acknowledged));
    await assertBooksAgree(sql, place.organizationId);
  } finally {
    client.close();
    await sql.end({ timeout: 5 });
    await system.stop();
  }
});

/** The payments of one customer. */
async function makeTasks(client: ApiClient): Promise<TaskView[]> {
  const customer = { name: 'Ada Lovelace', phone: '+442079460001' };
  const location = { address: '1 Harbour Road', latitude: 51, longitude: 6 };
  const one = { name: 'Bring', taskType: 'delivery', customer, location };
  const made: TaskView[] = [];
  while (made.length < TASKS) {
    const tasks = Array.from({ length: BATCH }, () => one);
    const { status, text, body } = await client.post<{ items: { task: TaskView }[] }>('/tasks/batch', { tasks });
    assert.equal(status, 200, text);
    made.push(...body.data.items.map(({ task }) => task));
  }
  return made;
}

/** Returns the id of the payment or the code of a refusal. Retries an unanswered request with the same key. */
async function payUntilTold(client: ApiClient, taskId: number, onRetry: () => void): Promise<string> {
  for (;;) {
    const reply = await client
      .post<PaymentView>('/payments/wallet', { taskId, amount: '1.00' }, { 'idempotency-key': `pay-${taskId}` })
      .catch((): ApiReply<PaymentView> | undefined => undefined);
    if (reply && reply.status < 500) return reply.status === 201 ? String(reply.body.data.id) : reply.body.code;
    onRetry();
    await delay(20);
  }
}

async function inTurn<T>(items: readonly T[], body: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await body(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

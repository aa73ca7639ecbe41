import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { readConfig } from '../../engine/runtime/config.ts';
import { createLog } from '../../engine/runtime/log.ts';
import { redisKeys } from '../../engine/store/redis-keys.ts';
import type { PaymentView } from '../../schema/money/payment.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { usePayments } from '../integration/payments/payment-place.ts';
import { shownSession } from '../integration/payments/stripe-server.ts';
import { type OwnRedis, startOwnRedis } from '../support/system/own-stores.ts';
import { until } from '../support/until.ts';

/** Two sets of workers carry out payments through BullMQ while the test empties, stops and freezes Redis. */

const PAYMENTS = 8;

let ownRedis: OwnRedis;
let connection: Redis;
let stepJobs: string;

const place = usePayments('stripe', async ({ sql, workerEnvironment }, releaser) => {
  ownRedis = await startOwnRedis(releaser);
  const config = readConfig({ ...workerEnvironment, REDIS_URL: ownRedis.url });
  for (let i = 0; i < 2; i += 1) await startWorkers({ config, log: createLog('workers', 'silent'), releaser });
  connection = new Redis(ownRedis.url, { maxRetriesPerRequest: null });
  connection.on('error', () => {});
  releaser.push('connection', () => connection.disconnect());
  const [row] = await sql<{ history: string }[]>`SELECT history FROM log_history`;
  stepJobs = `${redisKeys(config.redisPrefix, row!.history).jobs}:{payment-steps}`;
});

async function initialize(count = PAYMENTS): Promise<PaymentView[]> {
  return Promise.all(Array.from({ length: count }, () => place.initialize()));
}

/** Counts how often Stripe got a request for a session. */
const requested = () => place.stripe.requests.filter((request) => request === 'POST /v1/checkout/sessions').length;

/** The payments. Each has one checkout, made by one request. */
async function assertMadeOnce(payments: readonly PaymentView[], madeBefore: number): Promise<void> {
  for (const { id } of payments) await place.when(id, ({ providerReference }) => providerReference !== null);
  const sessions = [...place.stripe.sessions.values()].map(({ metadata }) => Number(metadata['paymentId']));
  const made = payments.map(({ id }) => sessions.filter((paymentId) => paymentId === id).length);
  assert.deepEqual(new Set(made), new Set([1]));
  assert.equal(requested() - madeBefore, payments.length, 'nothing was carried out twice');
  await until('what follows is noted', async () => (await place.steps()).every(({ step }) => step === 'await_payment'));
}

/** The ids of the jobs that BullMQ reports as done, in order. */
async function doneJobs(): Promise<string[]> {
  const told = await connection.xrange(`${stepJobs}:events`, '-', '+');
  const fields = told.map(([, pairs]) => pairs);
  return fields.filter((pairs) => pairs.includes('completed')).map((pairs) => pairs[pairs.indexOf('jobId') + 1]!);
}

const jobOf = (paymentId: number) => `${place.gateway.organizationId}-${paymentId}-create_checkout-0`;

test('two processes share the steps, and a job of its own carries out each one once', async () => {
  const before = requested();
  const payments = await initialize();
  await assertMadeOnce(payments, before);
  for (const { id } of payments) await until('a job has done it', async () => (await doneJobs()).includes(jobOf(id)));
});

test('while Redis is emptied again and again, every step is carried out, and none twice', async () => {
  const before = requested();
  let isOver = false;
  const emptying = (async () => {
    for (; !isOver; await delay(20)) await connection.flushall();
  })();
  const payments = await initialize();
  await assertMadeOnce(payments, before);
  isOver = true;
  await emptying;
});

test('while Redis is away payments go on, and their jobs come back with it', async () => {
  await ownRedis.kill();
  const before = requested();
  const payments = await initialize();
  await assertMadeOnce(payments, before);
  await ownRedis.start();
  await until('a job does a step', async () => {
    const [later] = await initialize(1);
    await place.when(later!.id, ({ providerReference }) => providerReference !== null);
    return (await doneJobs()).includes(jobOf(later!.id));
  });
});

test('while Redis hangs payments go on', async () => {
  const before = requested();
  process.kill(ownRedis.pid, 'SIGSTOP');
  try {
    await assertMadeOnce(await initialize(), before);
  } finally {
    process.kill(ownRedis.pid, 'SIGCONT');
  }
});

/** Makes BullMQ start the schedule again, with a run at once. */
async function reconcile(): Promise<void> {
  let removed = 0;
  // Rows that an earlier test removed may not be back yet.
  await until('a schedule is taken away', async () => {
    const keys = await connection.keys(`${stepJobs.replace('steps', 'reconciliation')}*`);
    if (keys.length > 0) removed = await connection.del(...keys);
    return removed > 0;
  });
}

test('the scheduled reconciliation finds a payment with a step that was never noted', async () => {
  const [payment] = await initialize(1);
  await place.when(payment!.id, ({ providerReference }) => providerReference !== null);
  await until('its wait is noted', async () => (await place.steps(payment!.id)).length === 1);
  await place.sql`DELETE FROM payment_attempts WHERE organization_id > 0 AND payment_id = ${payment!.id}`;
  await reconcile();
  await until('it is noted again', async () => (await place.steps(payment!.id)).length === 1);
});

test('the reconciliation also finds the results of lost callbacks, even when other payments cannot be read', async () => {
  const [payment] = await initialize(1);
  const { providerReference } = await place.when(payment!.id, (now) => now.providerReference !== null);
  const session = place.stripe.pay(providerReference!);
  place.stripe.giveBack(session.id);
  place.stripe.missed.push(
    { type: 'checkout.session.completed', data: { object: shownSession(session, false) } },
    { type: 'charge.refunded', data: { object: { payment_intent: 'pi_unknown' } } },
    { type: 'charge.refunded', data: { object: { payment_intent: session.intent!.id } } },
  );
  await reconcile();
  await place.when(payment!.id, ({ status }) => status === 'refunded');
  assert.deepEqual(await place.transfersOf(payment!.id), ['payment', 'refund']);
});

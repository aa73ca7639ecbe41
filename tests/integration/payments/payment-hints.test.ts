import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemScheduler } from '../../../engine/runtime/clock.ts';
import { readConfig } from '../../../engine/runtime/config.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { until } from '../../support/until.ts';
import { usePayments } from './payment-place.ts';

/** Kinds of the hints that were sent so far, of all commits. */
const hinted: string[] = [];
const hintsOf = (kind: string) => hinted.filter((each) => each === kind).length;

/** Workers that never sweep: they find only announced steps. */
const place = usePayments('test', async ({ workerEnvironment }, releaser) => {
  const config = readConfig(workerEnvironment);
  const log = createLog('workers', 'silent');
  const redis = connectRedis(workerEnvironment['REDIS_URL']!, log, 'patient');
  releaser.push('redis', () => redis.disconnect());
  redis.on('pmessage', (_pattern, channel: string) => hinted.push(channel.split(':').at(-1)!));
  await redis.psubscribe(`${config.redisPrefix}:*:committed`, `${config.redisPrefix}:*:payments`);
  await startWorkers({ config, log, releaser, scheduler: { ...systemScheduler, every: () => () => {} } });
});

/** A payment that nothing is left to be done for but to wait. */
async function initialize(): Promise<number> {
  const { id } = await place.initialize();
  await until('its checkout is made', async () => {
    const [step] = await place.steps(id);
    return step?.step === 'await_payment';
  });
  return id;
}

/** So many commits without a payment, each announced by a hint of its own. */
async function commitTasks(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const before = hintsOf('committed');
    await place.api.createTask();
    await until('the commit is announced', () => hintsOf('committed') > before);
  }
}

test('steps of payments are carried out by hints alone: a new one, a refund, one that is given up', async () => {
  const paid = await initialize();
  const [checkout] = await place.sql<{ checkoutPage: string }[]>`
    SELECT checkout_page FROM payments WHERE organization_id = ${place.gateway.organizationId} AND id = ${paid}`;
  await place.ask('POST', checkout!.checkoutPage, {
    body: 'outcome=pay',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  await place.when(paid, ({ status }) => status === 'succeeded');
  // The commit of a refund has no event.
  const before = hintsOf('payments');
  assert.equal((await place.api.post(`/payments/${paid}/refund`, { reason: 'nobody was there' })).status, 200);
  await until('the refund is announced', () => hintsOf('payments') > before);
  await place.when(paid, ({ status }) => status === 'refunded');
  const open = await initialize();
  const { taskId } = await place.read(open);
  assert.equal((await place.api.put(`/tasks/${taskId}/status`, { status: 'cancelled' })).status, 200);
  await until('its checkout is closed', async () => (await place.stepOf(open)) === null);
});

test('commits without a payment lead to no look for steps of payments, the next one with a payment leads to one', async () => {
  const due = await initialize();
  const attempts = async () => (await place.steps(due))[0]!.attempts;
  // The look at the start, and the one after the step before, are over once no worker looks any more.
  await until('no worker looks, after any commit', async () => {
    await place.hurry();
    const before = await attempts();
    await commitTasks(8);
    return (await attempts()) === before;
  });
  const before = await attempts();
  await initialize();
  await until('what is due is found', async () => (await attempts()) > before);
});

test('a payment is announced when something is to be done for it, not when it is only waited for', async () => {
  await commitTasks(3);
  const before = hintsOf('payments');
  const { id: taskId } = await place.api.createTask();
  assert.equal((await place.api.post('/payments/cash', { taskId, amount: '1.00', currency: 'EUR' })).status, 201);
  await commitTasks(1);
  assert.equal(hintsOf('payments'), before);
  await initialize();
  await commitTasks(3);
  assert.equal(hintsOf('payments'), before + 1);
});

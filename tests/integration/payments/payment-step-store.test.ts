import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createPaymentStepStore, type PaymentStep } from '../../../engine/store/payments/payment-step-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ProviderStep } from '../../../schema/money/payment.ts';
import { useDatabase } from '../../support/system/use-database.ts';

const { sql } = useDatabase({ connections: 8 });
const store = createPaymentStepStore(sql);
beforeEach(async () => {
  await sql`DELETE FROM payments WHERE organization_id > 0`;
  await sql`DELETE FROM payment_attempts WHERE organization_id > 0`;
});

const ORGANIZATION = 7;

async function payments(step: ProviderStep | null, count = 1): Promise<void> {
  await sql`
    INSERT INTO payments (organization_id, id, version, task_id, channel_id, method, status, amount_minor, currency,
      provider, checkout_token, step, created_at, updated_at)
    SELECT ${ORGANIZATION}, n + (SELECT count(*) FROM payments WHERE organization_id = ${ORGANIZATION}), 1, 3, 1, 'online',
      'pending', 100, 'EUR', 'test', 't', ${step}, now(), now()
    FROM generate_series(1, ${count}) AS n`;
}

async function become(step: ProviderStep | null): Promise<void> {
  await sql`UPDATE payments SET step = ${step} WHERE organization_id = ${ORGANIZATION}`;
}

async function noted(): Promise<{ step: string; attempts: number; dueInMs: number }[]> {
  const rows = await sql<{ step: string; attempts: number; dueInMs: number }[]>`
    SELECT step, attempts, extract(epoch FROM due_at - now())::float8 * 1000 AS due_in_ms FROM payment_attempts
    WHERE organization_id = ${ORGANIZATION} ORDER BY payment_id, step`;
  return [...rows];
}

/** Every due step, taken by one process. */
async function leaseDue(): Promise<PaymentStep[]> {
  const leased = await Promise.all((await store.findDue([])).map((step) => store.lease(step)));
  return leased.filter((step) => step !== undefined);
}

const steps = async () => (await noted()).map(({ step }) => step);

test('a step that calls for work is due at once, and one that only waits is looked at in a minute', async () => {
  await payments('create_checkout');
  await payments('await_payment');
  await payments(null);
  await store.enlist('urgent');
  assert.deepEqual(await steps(), ['create_checkout']);
  await store.enlist('all');
  await store.enlist('all');
  const [urgent, waiting, ...others] = await noted();
  assert.ok(urgent!.dueInMs <= 0);
  assert.ok(Math.abs(waiting!.dueInMs - LIMITS.paymentLookMs) < 30_000);
  assert.deepEqual(others, []);
});

test('of many who take it on at the same time, each step is taken on by one', async () => {
  await payments('create_checkout', 8);
  await store.enlist('urgent');
  const leased = (await Promise.all(Array.from({ length: 8 }, leaseDue))).flat();
  assert.equal(leased.length, 8);
  assert.equal(new Set(leased.map(({ paymentId }) => paymentId)).size, 8);
  assert.deepEqual(await leaseDue(), []);
});

test('of what is due each organization has its oldest, and none stands behind another', async () => {
  const many = LIMITS.paymentStepsPerOrganization + 1;
  await payments('create_checkout', many);
  await store.enlist('urgent');
  await sql`
    UPDATE payment_attempts SET due_at = now() - payment_id * interval '1 second' WHERE organization_id = ${ORGANIZATION}`;
  await sql`
    INSERT INTO payment_attempts (organization_id, payment_id, step, due_at) VALUES
      (8, 1, 'refund', now()), (9, 1, 'refund', now() + interval '1 minute')`;
  const keys = async (passed: number[]) =>
    (await store.findDue(passed)).map(({ organizationId, paymentId }) => `${organizationId}-${paymentId}`);
  const ofThis = Array.from({ length: many - 1 }, (_, index) => `${ORGANIZATION}-${many - index}`);
  assert.deepEqual(await keys([]), [...ofThis, '8-1']);
  assert.deepEqual(await keys([ORGANIZATION]), ['8-1']);
  assert.deepEqual(await keys([ORGANIZATION, 8]), []);
});

test('a step that is taken holds everything that its provider must know', async () => {
  await payments('create_checkout');
  await sql`
    UPDATE payments SET step = 'refund', provider_reference = 'cs_1', reference = 'till', refund = '{"attempt":2}'
    WHERE organization_id = ${ORGANIZATION}`;
  await store.enlist('urgent');
  const [step, ...others] = await leaseDue();
  assert.equal(others.length, 0);
  assert.deepEqual(step, {
    ...{ organizationId: ORGANIZATION, paymentId: 1, step: 'refund', attempts: 1, amountMinor: 100, currency: 'EUR' },
    ...{ reference: 'till', taskId: 3, provider: 'test', providerReference: 'cs_1', checkoutToken: 't' },
    refundAttempt: 2,
  });
});

test('a step whose worker is gone is due again within the lease, and one that is renewed is not', async () => {
  await payments('create_checkout', 2);
  await store.enlist('urgent');
  const [lost, kept] = await leaseDue();
  for (const { dueInMs } of await noted()) assert.ok(dueInMs <= LIMITS.paymentLeaseMs, `due in ${dueInMs} ms`);
  await sql`UPDATE payment_attempts SET due_at = now() WHERE organization_id = ${ORGANIZATION}`;
  await store.renew([kept!]);
  const again = await leaseDue();
  assert.deepEqual([again.length, again[0]!.paymentId, again[0]!.attempts], [1, lost!.paymentId, 2]);
});

test('renewing never brings a step forward that was put off', async () => {
  await payments('create_checkout');
  await store.enlist('urgent');
  const [step] = await leaseDue();
  await store.postpone(step!, 3_600_000, 'away');
  await store.renew([step!]);
  assert.ok((await noted())[0]!.dueInMs > 3_000_000);
});

test('a step that is done is forgotten, and the one that follows is noted', async () => {
  await payments('create_checkout');
  await store.enlist('urgent');
  const [step] = await leaseDue();
  await become('await_payment');
  assert.equal(await store.settle(step!), true);
  assert.deepEqual(await steps(), ['await_payment']);
});

test('a step that is still to be done after its report is not forgotten', async () => {
  await payments('create_checkout');
  await store.enlist('urgent');
  const [step] = await leaseDue();
  assert.equal(await store.settle(step!), false);
  assert.deepEqual(await steps(), ['create_checkout']);
});

test('a step that comes back starts again', async () => {
  await payments('refund');
  await store.enlist('urgent');
  await sql`UPDATE payment_attempts SET attempts = 9, due_at = now() + interval '1 hour' WHERE organization_id = ${ORGANIZATION}`;
  await become('await_refund');
  await store.settle({ organizationId: ORGANIZATION, paymentId: 1, step: 'create_checkout' });
  await become('refund');
  await store.settle({ organizationId: ORGANIZATION, paymentId: 1, step: 'await_refund' });
  const [refund] = await noted();
  assert.deepEqual([refund!.step, refund!.attempts], ['refund', 0]);
  assert.ok(refund!.dueInMs <= 0);
});

test('a step that somebody else has settled is forgotten when it is due', async () => {
  await payments('await_payment');
  await store.enlist('all');
  await become(null);
  await sql`UPDATE payment_attempts SET due_at = now() WHERE organization_id = ${ORGANIZATION}`;
  assert.equal((await leaseDue()).length, 0);
  assert.deepEqual(await noted(), []);
});

test('why a step failed is kept, cut short', async () => {
  await payments('create_checkout');
  await store.enlist('urgent');
  const [step] = await leaseDue();
  await store.postpone(step!, 1_000, 'x'.repeat(10_000));
  const [row] = await sql<{ lastError: string }[]>`
    SELECT last_error FROM payment_attempts WHERE organization_id = ${ORGANIZATION}`;
  assert.equal(row!.lastError.length, LIMITS.paymentErrorChars);
});

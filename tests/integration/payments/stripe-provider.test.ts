import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { ProviderCheckout, ProviderPayment } from '../../../engine/providers/payment-provider.ts';
import { createStripeProvider } from '../../../engine/providers/stripe-provider.ts';
import { systemClock } from '../../../engine/runtime/clock.ts';
import type { ProviderReport } from '../../../schema/money/payment.ts';
import {
  type Mishap,
  SECRET_KEY,
  type StripeServer,
  shownSession,
  startStripeServer,
  stripeEvent,
  WEBHOOK_SECRET,
} from './stripe-server.ts';

const PAYMENT: ProviderPayment = {
  organizationId: 7,
  paymentId: 12,
  mark: 'a1',
  amountMinor: 1_250,
  currency: 'EUR',
  description: 'Two boxes of books',
  returnUrl: 'https://dispatch.example/api/v1/payments/checkout/7.c.token?returned=1',
};

let stripe: StripeServer;
before(async () => {
  stripe = await startStripeServer();
});
after(() => stripe.stop());
beforeEach(() => {
  stripe.sessions.clear();
  stripe.refunds.clear();
  stripe.forgetKeys();
  stripe.mishaps.length = 0;
  stripe.missed.length = 0;
  stripe.requests.length = 0;
  stripe.refundStatus = 'succeeded';
});

function provider(changes: { readonly secretKey?: string; readonly callMs?: number } = {}) {
  const settings = { secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, apiBase: stripe.url };
  return createStripeProvider({ ...settings, clock: systemClock, ...changes });
}

/** Patient enough for a request to arrive, and not for an answer that never comes. */
const impatient = () => provider({ callMs: 1_000 });

const MADE = { kind: 'checkout-made', providerReference: 'cs_1', page: 'https://checkout.stripe.test/cs_1' };
const REFUNDED = { kind: 'refunded', attempt: 1, refundReference: 're_1' };

/** A checkout that somebody has paid. */
async function paidCheckout(payment = PAYMENT): Promise<ProviderCheckout> {
  const made = (await provider().makeCheckout(payment)) as Extract<ProviderReport, { kind: 'checkout-made' }>;
  stripe.pay(made.providerReference);
  return { ...payment, reference: made.providerReference };
}

test('a checkout names the item, the customer, and the page to return to', async () => {
  assert.deepEqual(await provider().makeCheckout(PAYMENT), MADE);
  const { amount_total, currency, metadata, success_url, name } = stripe.sessions.get('cs_1')!;
  assert.deepEqual(
    { amount_total, currency, metadata, success_url, name },
    {
      amount_total: 1_250,
      currency: 'eur',
      metadata: { organizationId: '7', paymentId: '12', mark: 'a1' },
      success_url: PAYMENT.returnUrl,
      name: 'Two boxes of books',
    },
  );
});

for (const [currency, amountMinor, amount] of [
  ['ISK', 900, 90_000],
  ['MGA', 1_150_000, 11_500],
  ['KWD', 5_120, 5_120],
] as const) {
  test(`${amountMinor} ${currency} are asked for as ${amount}, and told as what they were`, async () => {
    const checkout = await paidCheckout({ ...PAYMENT, currency, amountMinor });
    assert.equal(stripe.sessions.get('cs_1')!.amount_total, amount);
    const outcome = await provider().findOutcome(checkout);
    assert.deepEqual(outcome, { kind: 'paid', providerReference: 'cs_1', amountMinor, currency });
  });
}

for (const [what, change, reason] of [
  ['an amount that has no such decimals there', { currency: 'KWD', amountMinor: 5_124 }, 'amount_not_chargeable'],
  ['too little', { amountMinor: 49 }, 'amount_too_small'],
  ['too much', { amountMinor: 100_000_000 }, 'amount_too_large'],
] as const) {
  test(`${what} is refused for good`, async () => {
    const refused = await provider().makeCheckout({ ...PAYMENT, ...change });
    assert.deepEqual(refused, { kind: 'checkout-refused', reason });
  });
}

const NOT_CARRIED_OUT: readonly Mishap[] = ['hang', 'garbage', 'no-fields', 'error-500', 'rate-limit', 'locked'];
const CARRIED_OUT: readonly Mishap[] = ['hang-after'];

for (const mishap of [...NOT_CARRIED_OUT, ...CARRIED_OUT]) {
  test(`after "${mishap}", asking again gives one checkout and one refund`, async () => {
    stripe.mishaps.push({ request: /^POST .*sessions$/, mishap });
    await assert.rejects(impatient().makeCheckout(PAYMENT));
    assert.deepEqual(await provider().makeCheckout(PAYMENT), MADE);
    assert.deepEqual(await provider().makeCheckout(PAYMENT), MADE);
    assert.equal(stripe.sessions.size, 1);

    stripe.pay('cs_1');
    const checkout = { ...PAYMENT, reference: 'cs_1' };
    stripe.mishaps.push({ request: /^POST .*refunds$/, mishap });
    await assert.rejects(impatient().refund(checkout, 1));
    assert.deepEqual(await provider().refund(checkout, 1), REFUNDED);
    assert.deepEqual(await provider().refund(checkout, 1), REFUNDED);
    assert.equal(stripe.refunds.size, 1);
  });
}

for (const mishap of ['refused-connection', 'cut-after'] as const) {
  test(`a connection that is cut ("${mishap}") once makes no difference, and twice is not hidden`, async () => {
    const checkout = await paidCheckout();
    stripe.mishaps.push({ request: /^POST .*refunds$/, mishap });
    assert.deepEqual(await provider().refund(checkout, 1), REFUNDED);
    for (let i = 0; i < 2; i += 1) stripe.mishaps.push({ request: /^GET .*sessions/, mishap });
    await assert.rejects(provider().findOutcome(checkout));
    assert.equal(stripe.refunds.size, 1);
  });
}

test('an error that Stripe keeps under a key holds up neither a checkout nor a refund', async () => {
  for (let tries = 1; tries <= 3; tries += 1) {
    // The earlier keys get the earlier answers again.
    for (let i = 0; i < tries; i += 1) stripe.mishaps.push({ request: /^POST .*sessions$/, mishap: 'error-500-kept' });
    await assert.rejects(provider().makeCheckout(PAYMENT), { statusCode: 500 });
  }
  assert.deepEqual(await provider().makeCheckout(PAYMENT), MADE);
  assert.deepEqual(await provider().makeCheckout(PAYMENT), MADE);
  assert.equal(stripe.sessions.size, 1);
  stripe.pay('cs_1');
  stripe.mishaps.push({ request: /^POST .*refunds$/, mishap: 'error-500-kept' });
  await assert.rejects(provider().refund({ ...PAYMENT, reference: 'cs_1' }, 1), { statusCode: 500 });
  assert.deepEqual(await provider().refund({ ...PAYMENT, reference: 'cs_1' }, 1), REFUNDED);
  assert.equal(stripe.refunds.size, 1);
});

test('a session that was created behind an error is never reported', async () => {
  stripe.mishaps.push({ request: /^POST .*sessions$/, mishap: 'error-500-after' });
  await assert.rejects(provider().makeCheckout(PAYMENT));
  const second = { kind: 'checkout-made', providerReference: 'cs_2', page: 'https://checkout.stripe.test/cs_2' };
  for (let i = 0; i < 3; i += 1) assert.deepEqual(await provider().makeCheckout(PAYMENT), second);
  assert.equal(stripe.sessions.size, 2);
});

test('a refund that others have made in parts is taken for ours, and one that is made meanwhile looked for again', async () => {
  const checkout = await paidCheckout();
  for (const amount of [500, 750]) stripe.giveBack('cs_1', amount);
  assert.deepEqual(await provider().refund(checkout, 1), { ...REFUNDED, refundReference: 're_2' });
  stripe.mishaps.push({ request: /^GET .*refunds$/, mishap: 'no-refunds' });
  await assert.rejects(provider().refund(checkout, 1), { code: 'charge_already_refunded' });
});

test('a refund that was made behind an error is found, though its key returns only the error', async () => {
  const checkout = await paidCheckout();
  stripe.mishaps.push({ request: /^POST .*refunds$/, mishap: 'error-500-after' });
  await assert.rejects(provider().refund(checkout, 1));
  assert.deepEqual(await provider().refund(checkout, 1), REFUNDED);
  assert.equal(stripe.refunds.size, 1);
});

test('a refund is found when its key has long been forgotten', async () => {
  const checkout = await paidCheckout();
  await provider().refund(checkout, 1);
  stripe.forgetKeys();
  assert.deepEqual(await provider().refund(checkout, 1), REFUNDED);
  assert.equal(stripe.requests.filter((request) => request === 'POST /v1/refunds').length, 1);
});

test('a refund that somebody has made at Stripe by hand is taken for ours', async () => {
  const checkout = await paidCheckout();
  stripe.giveBack('cs_1');
  assert.deepEqual(await provider().refund(checkout, 1), REFUNDED);
  assert.deepEqual(stripe.refunds.get('re_1')?.metadata, {});
});

test('a failed refund is reported, and the next attempt is a refund of its own', async () => {
  const checkout = await paidCheckout();
  stripe.refundStatus = 'pending';
  const begun = await provider().refund(checkout, 1);
  assert.deepEqual(begun, { kind: 'refund-begun', attempt: 1, refundReference: 're_1' });
  Object.assign(stripe.refunds.get('re_1')!, { status: 'failed', failure_reason: 'declined' });
  const failed = await provider().refund(checkout, 1);
  assert.deepEqual(failed, { kind: 'refund-failed', attempt: 1, refundReference: 're_1', reason: 'declined' });
  stripe.refundStatus = 'succeeded';
  assert.deepEqual(await provider().refund(checkout, 2), { kind: 'refunded', attempt: 2, refundReference: 're_2' });
});

test('an unpaid session cannot be refunded, and the failure is final', async () => {
  const checkout = await paidCheckout();
  stripe.sessions.get('cs_1')!.payment_status = 'unpaid';
  const refused = { kind: 'refund-failed', attempt: 1, reason: 'payment_intent_unexpected_state' };
  for (let i = 0; i < 2; i += 1) assert.deepEqual(await provider().refund(checkout, 1), refused);
  const asked = stripe.requests.filter((request) => request === 'POST /v1/refunds');
  assert.equal(asked.length, 2, 'a refusal that Stripe repeats is asked for under no other key');
});

test('another payment of the same id, as after a restore, has a checkout and a refund of its own', async () => {
  const lost = await paidCheckout();
  assert.deepEqual(await provider().refund(lost, 1), REFUNDED);
  const other = { ...PAYMENT, mark: 'b2', returnUrl: `${PAYMENT.returnUrl}&other` };
  const made = await provider().makeCheckout(other);
  assert.deepEqual(made.kind === 'checkout-made' && made.providerReference, 'cs_2');
  stripe.pay('cs_2');
  const refund = await provider().refund({ ...other, reference: 'cs_2' }, 1);
  assert.deepEqual(refund, { ...REFUNDED, refundReference: 're_2' });
  assert.equal(stripe.refunds.get('re_2')!.metadata['mark'], 'b2');
});

test('a checkout is open, waits for a bank, is paid, lost or expired', async () => {
  await provider().makeCheckout(PAYMENT);
  const checkout = { ...PAYMENT, reference: 'cs_1' };
  const session = stripe.sessions.get('cs_1')!;
  assert.equal(await provider().findOutcome(checkout), undefined);
  Object.assign(session, { status: 'complete', intent: { id: 'pi_1', status: 'processing' } });
  assert.equal(await provider().findOutcome(checkout), undefined);
  assert.equal(await provider().closeCheckout(checkout), undefined, 'nothing is to be closed, and nothing known yet');
  session.intent!.status = 'requires_payment_method';
  const lost = { kind: 'not-paid', providerReference: 'cs_1', reason: 'payment_failed' };
  assert.deepEqual(await provider().findOutcome(checkout), lost);
  stripe.pay('cs_1');
  assert.equal((await provider().findOutcome(checkout))?.kind, 'paid');
  assert.equal((await provider().closeCheckout(checkout))?.kind, 'paid');
});

test('a checkout that is closed cannot be paid any more, however often it is closed', async () => {
  await provider().makeCheckout(PAYMENT);
  const checkout = { ...PAYMENT, reference: 'cs_1' };
  const closed = { kind: 'not-paid', providerReference: 'cs_1', reason: 'expired' };
  assert.deepEqual(await provider().closeCheckout(checkout), closed);
  assert.deepEqual(await provider().closeCheckout(checkout), closed);
  assert.equal(stripe.sessions.get('cs_1')!.status, 'expired');
});

test('a key that Stripe does not know is no refusal of the payment', async () => {
  await assert.rejects(provider({ secretKey: 'sk_test_other' }).makeCheckout(PAYMENT));
});

test("Stripe's report of a charge changes nothing for our own refund, and counts for one that is not ours", async () => {
  const checkout = await paidCheckout();
  const { body, headers } = stripeEvent('charge.refunded', { payment_intent: 'pi_1' });
  const callback = { body, header: (name: string) => (headers as Record<string, string>)[name] };
  stripe.giveBack('cs_1', 250);
  const news = await provider().readCallback(callback);
  assert.deepEqual(news?.report, { kind: 'given-back', refundReference: 're_1', amountMinor: 250, isWhole: false });
  stripe.refunds.clear();
  await provider().refund(checkout, 1);
  assert.equal(await provider().readCallback(callback), undefined);
});

test('reports of missed callbacks are read in their order, even when some cannot be read', async () => {
  const { reference } = await paidCheckout();
  const session = stripe.sessions.get(reference)!;
  stripe.giveBack(reference);
  stripe.missed.push(
    { type: 'checkout.session.completed', data: { object: shownSession(session, false) } },
    { type: 'charge.refunded', data: { object: { payment_intent: 'pi_unknown' } } },
    { type: 'invoice.paid', data: { object: {} } },
    { type: 'charge.refunded', data: { object: { payment_intent: session.intent!.id } } },
  );
  const kinds: string[] = [];
  const reading = provider().readMissed!(async ({ report: { kind } }) => void kinds.push(kind));
  await assert.rejects(reading, /1 missed callbacks were not told/);
  assert.deepEqual(kinds, ['paid', 'given-back']);
});

test('a missed callback is read once, again after a failure, and those before it are reached', async () => {
  const { reference } = await paidCheckout();
  const session = shownSession(stripe.sessions.get(reference)!, false);
  const metadata = (paymentId: number) => ({ organizationId: '7', paymentId: `${paymentId}` });
  const of = (paymentId: number) => ({ object: { ...session, metadata: metadata(paymentId) } });
  for (let id = 1; id <= 102; id += 1) stripe.missed.push({ type: 'checkout.session.completed', data: of(id) });
  const reader = provider();
  const told: number[] = [];
  let isAway = true;
  const read = () =>
    reader.readMissed!(async ({ paymentId }) => {
      if (isAway && paymentId === 50) throw new Error('away');
      told.push(paymentId);
    });
  await assert.rejects(read(), /1 missed callbacks/);
  assert.equal(told.splice(0).length, 99);
  isAway = false;
  await read();
  assert.deepEqual(told.splice(0), [1, 2, 50]);
  stripe.missed.push({ type: 'checkout.session.completed', data: of(103) });
  await read();
  await read();
  assert.deepEqual(told, [103]);
});

test('of callbacks that were not taken the newest hundred of three days are read, and none of before', async () => {
  const { reference } = await paidCheckout();
  const session = shownSession(stripe.sessions.get(reference)!, false);
  const paidAt = (paymentId: number, hoursAgo: number) => ({
    type: 'checkout.session.completed',
    created: Math.floor(Date.now() / 1_000) - hoursAgo * 3_600,
    data: { object: { ...session, metadata: { organizationId: '7', paymentId: `${paymentId}` } } },
  });
  const read = async () => {
    const told: number[] = [];
    await provider().readMissed!(async ({ paymentId }) => void told.push(paymentId));
    return told;
  };
  stripe.missed.push(paidAt(1, 73), paidAt(2, 71));
  assert.deepEqual(await read(), [2]);
  const newest = Array.from({ length: 100 }, (_, index) => index + 3);
  stripe.missed.push(...newest.map((paymentId) => paidAt(paymentId, 1)));
  assert.deepEqual(await read(), newest);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProviderNews, UntrustedCallbackError } from '../../../engine/providers/payment-provider.ts';
import { createStripeProvider } from '../../../engine/providers/stripe-provider.ts';
import { SECRET_KEY, stripeEvent, WEBHOOK_SECRET } from '../../integration/payments/stripe-server.ts';

const SENT_AT = Math.floor(Date.now() / 1_000);
const ids = { organizationId: '7', paymentId: '12' };
const session = {
  id: 'cs_1',
  status: 'complete',
  payment_status: 'paid',
  amount_total: 1_250,
  currency: 'eur',
  payment_intent: 'pi_1',
  metadata: ids,
};
const refund = { id: 're_1', status: 'succeeded', amount: 1_250, metadata: { ...ids, attempt: '2' } };

/** The result of a callback that arrives this many seconds after it was sent. */
async function read(
  { body, headers }: ReturnType<typeof stripeEvent>,
  secondsLater = 0,
): Promise<ProviderNews | undefined> {
  const clock = { now: () => (SENT_AT + secondsLater) * 1_000, monotonic: () => 0 };
  const provider = createStripeProvider({
    ...{ secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, apiBase: 'http://127.0.0.1:1', clock },
  });
  return provider.readCallback({ body, header: (name) => (headers as Record<string, string>)[name] });
}

const event = (type: string, object: object) => stripeEvent(type, object);

const paid = { kind: 'paid', providerReference: 'cs_1', amountMinor: 1_250, currency: 'EUR' };
const lost = (reason: string) => ({ kind: 'not-paid', providerReference: 'cs_1', reason });
const failedRefund = { ...refund, status: 'failed', failure_reason: 'expired_or_canceled_card' };

for (const [type, object, report] of [
  ['checkout.session.completed', session, paid],
  ['checkout.session.async_payment_succeeded', session, paid],
  ['checkout.session.async_payment_failed', { ...session, payment_status: 'unpaid' }, lost('payment_failed')],
  ['checkout.session.expired', { ...session, status: 'expired', payment_status: 'unpaid' }, lost('expired')],
  ['refund.created', { ...refund, status: 'pending' }, { kind: 'refund-begun', attempt: 2, refundReference: 're_1' }],
  ['refund.updated', refund, { kind: 'refunded', attempt: 2, refundReference: 're_1' }],
  ['charge.refund.updated', refund, { kind: 'refunded', attempt: 2, refundReference: 're_1' }],
  [
    'refund.failed',
    failedRefund,
    { kind: 'refund-failed', attempt: 2, refundReference: 're_1', reason: 'expired_or_canceled_card' },
  ],
  [
    'charge.refunded',
    { refunds: { data: [{ id: 're_0' }, refund] } },
    { kind: 'refunded', attempt: 2, refundReference: 're_1' },
  ],
] as const) {
  test(`${type} tells ${report.kind}`, async () => {
    assert.deepEqual(await read(event(type, object)), { organizationId: 7, paymentId: 12, report });
  });
}

test('a record names the payment that it is about by its mark, too', async () => {
  const marked = { ...ids, mark: 'a1' };
  const news = await read(event('checkout.session.completed', { ...session, metadata: marked }));
  assert.deepEqual(news, { organizationId: 7, paymentId: 12, mark: 'a1', report: paid });
  const refunded = await read(event('refund.updated', { ...refund, metadata: { ...marked, attempt: '2' } }));
  assert.equal(refunded?.mark, 'a1');
});

for (const [what, type, object] of [
  [
    'a session that is completed and waits for a bank',
    'checkout.session.completed',
    { ...session, payment_status: 'unpaid' },
  ],
  ['a session of somebody else', 'checkout.session.completed', { ...session, metadata: {} }],
  ['a session without metadata', 'checkout.session.completed', { ...session, metadata: null }],
  [
    'ids that are none',
    'checkout.session.completed',
    { ...session, metadata: { organizationId: '7', paymentId: '-1' } },
  ],
  ['a refund that was made by hand, of no charge that is known', 'refund.updated', { ...refund, metadata: ids }],
  ['a charge without its refunds', 'charge.refunded', {}],
  ['a session that is none', 'checkout.session.completed', { id: 'cs_1' }],
  ['another event', 'invoice.paid', session],
] as const) {
  test(`${what} tells nothing`, async () => {
    assert.equal(await read(event(type, object)), undefined);
  });
}

test('amounts are in minor units of ISO 4217', async () => {
  const news = await read(event('checkout.session.completed', { ...session, amount_total: 500, currency: 'isk' }));
  assert.deepEqual(news?.report, { ...paid, amountMinor: 5, currency: 'ISK' });
});

for (const [seconds, isAccepted] of [
  [299, true],
  [300, true],
  [301, false],
] as const) {
  test(`a callback whose time is ${seconds} s from now, either way, is ${isAccepted ? 'read' : 'refused'}`, async () => {
    const { body, headers } = event('checkout.session.completed', session);
    const signedAt = Number(/t=(\d+)/.exec(headers['stripe-signature'])![1]);
    for (const way of [1, -1]) {
      const reading = read({ body, headers }, signedAt - SENT_AT + way * seconds);
      if (isAccepted) assert.ok(await reading);
      else await assert.rejects(reading, UntrustedCallbackError);
    }
  });
}

for (const [what, forged] of [
  ['another secret', stripeEvent('checkout.session.completed', session, 0, 'whsec_other')],
  ['no header', { ...event('checkout.session.completed', session), headers: {} as { 'stripe-signature': string } }],
  [
    'a header that is none',
    { ...event('checkout.session.completed', session), headers: { 'stripe-signature': 'v1=' } },
  ],
  ['another body', { ...event('checkout.session.completed', session), body: Buffer.from('{"type":"x"}') }],
  ['no body', { ...event('checkout.session.completed', session), body: Buffer.alloc(0) }],
] as const) {
  test(`a callback with ${what} is not trusted`, async () => {
    await assert.rejects(read(forged), UntrustedCallbackError);
  });
}

import { Stripe } from 'stripe';
import { LIMITS } from '../../schema/limits.ts';
import type { ProviderReport } from '../../schema/payment.ts';
import { isTimely } from '../domain/callback-signature.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import {
  type Callback,
  type PaymentProvider,
  type ProviderCheckout,
  type ProviderPayment,
  UntrustedCallbackError,
} from './payment-provider.ts';
import { toStripeAmount } from './stripe-amount.ts';
import {
  isRefundLost,
  metadataOf,
  newsOf,
  outcomeOf,
  parseRefund,
  parseSession,
  refundReportOf,
  type StripeRefund,
  type StripeSession,
} from './stripe-records.ts';

export interface StripeProviderOptions extends NonNullable<Config['stripe']> {
  readonly clock: Clock;
  /** Tests shorten LIMITS.providerCallMs. */
  readonly callMs?: number;
}

/** Refunds that are looked through for one that was made already: those of one payment. */
const REFUNDS_READ = 100;

/** Stripe, through its official client. Its checkouts are sessions of Stripe Checkout. */
export function createStripeProvider(options: StripeProviderOptions): PaymentProvider {
  const stripe = connectStripe(options);
  return {
    name: 'stripe',
    makeCheckout: (payment) => makeSession(stripe, payment),
    async findOutcome({ reference }) {
      return outcomeOf(await readSession(stripe, reference));
    },
    closeCheckout: ({ reference }) => closeSession(stripe, reference),
    refund: (checkout, attempt) => refund(stripe, checkout, attempt),
    readCallback: (callback) => newsOf(verified(stripe, callback, options)),
  };
}

function connectStripe({ secretKey, apiBase, callMs = LIMITS.providerCallMs }: StripeProviderOptions): Stripe {
  const { protocol, hostname, port } = new URL(apiBase);
  return new Stripe(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port || (protocol === 'http:' ? '80' : '443'),
    timeout: callMs,
    // Whoever calls tries again, and knows when.
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

async function makeSession(stripe: Stripe, payment: ProviderPayment): Promise<ProviderReport> {
  const { organizationId, paymentId, amountMinor, currency, description, returnUrl } = payment;
  const unit_amount = toStripeAmount(amountMinor, currency);
  if (unit_amount === undefined) return { kind: 'checkout-refused', reason: 'amount_not_chargeable' };
  const metadata = metadataOf(payment);
  const price_data = { currency: currency.toLowerCase(), unit_amount, product_data: { name: description } };
  try {
    const made = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        line_items: [{ quantity: 1, price_data }],
        success_url: returnUrl,
        cancel_url: returnUrl,
        client_reference_id: `${organizationId}-${paymentId}`,
        metadata,
        payment_intent_data: { metadata },
      },
      { idempotencyKey: `pay-${organizationId}-${paymentId}` },
    );
    const { id: providerReference, url: page } = parseSession(made);
    if (!page) throw new Error('Stripe has made a session without a page');
    return { kind: 'checkout-made', providerReference, page };
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    return { kind: 'checkout-refused', reason };
  }
}

async function readSession(stripe: Stripe, reference: string): Promise<StripeSession> {
  return parseSession(await stripe.checkout.sessions.retrieve(reference, { expand: ['payment_intent'] }));
}

async function closeSession(stripe: Stripe, reference: string): Promise<ProviderReport | undefined> {
  const session = await readSession(stripe, reference);
  if (session.status !== 'open') return outcomeOf(session);
  // Refused when it has just been paid, or has run out: the next look tells.
  return outcomeOf(parseSession(await stripe.checkout.sessions.expire(reference)));
}

/** Looks before it asks: the keys that make a repeated request the same one are kept for a day only. */
async function refund(stripe: Stripe, checkout: ProviderCheckout, attempt: number): Promise<ProviderReport> {
  const payment_intent = await intentOf(stripe, checkout);
  const known = await findRefund(stripe, payment_intent, checkout, attempt);
  if (known) return refundReportOf(known, attempt);
  const { organizationId, paymentId } = checkout;
  try {
    const made = await stripe.refunds.create(
      { payment_intent, metadata: metadataOf(checkout, attempt) },
      { idempotencyKey: `refund-${organizationId}-${paymentId}-${attempt}` },
    );
    return refundReportOf(parseRefund(made), attempt);
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    return { kind: 'refund-failed', attempt, reason };
  }
}

/** The refund of this attempt, or one of the whole payment that somebody has made at Stripe by hand. */
async function findRefund(
  stripe: Stripe,
  payment_intent: string,
  { amountMinor, currency }: ProviderPayment,
  attempt: number,
): Promise<StripeRefund | undefined> {
  const { data } = await stripe.refunds.list({ payment_intent, limit: REFUNDS_READ });
  const refunds = data.map(parseRefund);
  const amount = toStripeAmount(amountMinor, currency);
  const isWhole = (one: StripeRefund) => one.amount === amount && !isRefundLost(one);
  return refunds.find(({ metadata }) => metadata?.['attempt'] === `${attempt}`) ?? refunds.find(isWhole);
}

async function intentOf(stripe: Stripe, { reference }: ProviderCheckout): Promise<string> {
  const { payment_intent } = await readSession(stripe, reference);
  const id = typeof payment_intent === 'object' ? payment_intent?.id : payment_intent;
  if (id === undefined) throw new Error('a session that was paid has no payment at Stripe');
  return id;
}

/** What Stripe will say again however often it is asked; undefined for what may pass. */
function refusalOf(error: unknown): string | undefined {
  const isRefused =
    error instanceof Stripe.errors.StripeInvalidRequestError || error instanceof Stripe.errors.StripeCardError;
  if (!isRefused || error.statusCode === 404) return undefined;
  return error.code || 'invalid_request';
}

/** The client looks at how old a callback is; one from a time to come is refused here. */
function verified(
  stripe: Stripe,
  { body, header }: Callback,
  { webhookSecret, clock }: StripeProviderOptions,
): unknown {
  const signature = header('stripe-signature') ?? '';
  const tolerance = LIMITS.callbackToleranceSeconds;
  try {
    const event = stripe.webhooks.constructEvent(body, signature, webhookSecret, tolerance, undefined, clock.now());
    if (isTimely(signature, clock.now())) return event;
  } catch (error) {
    throw new UntrustedCallbackError('Stripe has not signed this', { cause: error });
  }
  throw new UntrustedCallbackError('Stripe cannot have signed this yet');
}

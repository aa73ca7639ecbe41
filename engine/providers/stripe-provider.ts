import { Stripe } from 'stripe';
import { LIMITS } from '../../schema/limits.ts';
import type { ProviderReport } from '../../schema/money/payment.ts';
import { isTimely } from '../domain/outbound/callback-signature.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import {
  type Callback,
  type PaymentProvider,
  type ProviderCheckout,
  type ProviderNews,
  type ProviderPayment,
  UntrustedCallbackError,
} from './payment-provider.ts';
import { toStripeAmount } from './stripe-amount.ts';
import {
  foreignNewsOf,
  foreignRefundOf,
  isRefundLost,
  metadataOf,
  newsOf,
  outcomeOf,
  PAYMENT_EVENTS,
  parseIntent,
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
/** Missed callbacks that are looked through for some that were not told before. */
const CALLBACKS_SEEN = 1_000;
/** Stripe keeps the answer to a key for a day, an error of its own as well; so many errors, with pauses, take as long. */
const KEYS_OF_REQUEST = 30;

/** Stripe, through its official client. Its checkouts are sessions of Stripe Checkout. */
export function createStripeProvider(options: StripeProviderOptions): PaymentProvider {
  const stripe = connectStripe(options);
  const told = new Set<string>();
  return {
    name: 'stripe',
    makeCheckout: (payment) => makeSession(stripe, payment),
    async findOutcome({ reference }) {
      return outcomeOf(await readSession(stripe, reference));
    },
    closeCheckout: ({ reference }) => closeSession(stripe, reference),
    refund: (checkout, attempt) => refund(stripe, checkout, attempt),
    readCallback: (callback) => readEvent(stripe, verified(stripe, callback, options)),
    readMissed: (tell) => readMissed(stripe, options.clock, told, tell),
  };
}

function connectStripe({ secretKey, apiBase, callMs = LIMITS.providerCallMs }: StripeProviderOptions): Stripe {
  const { protocol, hostname, port } = new URL(apiBase);
  return new Stripe(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port || (protocol === 'http:' ? '80' : '443'),
    timeout: callMs,
    // The caller retries, and knows when.
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

async function makeSession(stripe: Stripe, payment: ProviderPayment): Promise<ProviderReport> {
  const { organizationId, paymentId, mark, amountMinor, currency, description, returnUrl } = payment;
  const unit_amount = toStripeAmount(amountMinor, currency);
  if (unit_amount === undefined) return { kind: 'checkout-refused', reason: 'amount_not_chargeable' };
  const metadata = metadataOf(payment);
  const price_data = { currency: currency.toLowerCase(), unit_amount, product_data: { name: description } };
  try {
    const session: Stripe.Checkout.SessionCreateParams = {
      mode: 'payment',
      line_items: [{ quantity: 1, price_data }],
      success_url: returnUrl,
      cancel_url: returnUrl,
      client_reference_id: `${organizationId}-${paymentId}`,
      metadata,
      payment_intent_data: { metadata },
    };
    // A session behind an error has a page that no client knows: no client can pay it.
    const made = await withKeys(`pay-${organizationId}-${paymentId}-${mark}`, (idempotencyKey) =>
      stripe.checkout.sessions.create(session, { idempotencyKey }),
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

/**
 * Sends a request under its key; under the next one when Stripe repeats that it failed with an error of its own, which
 * it would do for a day. A repeated call finds the same way to the same answer.
 */
async function withKeys<T>(key: string, send: (idempotencyKey: string) => Promise<T>): Promise<T> {
  for (let nth = 1; ; nth += 1) {
    try {
      return await send(nth === 1 ? key : `${key}-${nth}`);
    } catch (error) {
      if (nth === KEYS_OF_REQUEST || !isKeptFailure(error)) throw error;
    }
  }
}

function isKeptFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return (error.statusCode ?? 0) >= 500 && error.headers?.['idempotent-replayed'] === 'true';
}

/** Looks before it asks: what was given back already, by hand as well, is not to be given back again. */
async function refund(stripe: Stripe, checkout: ProviderCheckout, attempt: number): Promise<ProviderReport> {
  const session = await readSession(stripe, checkout.reference);
  const payment_intent = intentOf(session);
  const known = findRefund(await listRefunds(stripe, payment_intent), session, attempt);
  if (known) return refundReportOf(known, attempt);
  const { organizationId, paymentId, mark } = checkout;
  const metadata = metadataOf(checkout, attempt);
  try {
    // Without an amount it refunds the rest; and Stripe gives no more back than it took, under any key.
    const made = await withKeys(`refund-${organizationId}-${paymentId}-${mark}-${attempt}`, (idempotencyKey) =>
      stripe.refunds.create({ payment_intent, metadata }, { idempotencyKey }),
    );
    return refundReportOf(parseRefund(made), attempt);
  } catch (error) {
    const reason = refusalOf(error);
    // Somebody was faster: the next look finds it.
    if (reason === undefined || reason === 'charge_already_refunded') throw error;
    return { kind: 'refund-failed', attempt, reason };
  }
}

async function listRefunds(stripe: Stripe, payment_intent: string): Promise<StripeRefund[]> {
  const { data } = await stripe.refunds.list({ payment_intent, limit: REFUNDS_READ });
  return data.map(parseRefund);
}

/** The refund of this attempt; or, where others have given back all that was taken, the one of them that decides. */
function findRefund(
  refunds: readonly StripeRefund[],
  { amount_total }: StripeSession,
  attempt: number,
): StripeRefund | undefined {
  const ofAttempt = refunds.find(({ metadata }) => metadata?.['attempt'] === `${attempt}`);
  if (ofAttempt) return ofAttempt;
  const made = refunds.filter((one) => !isRefundLost(one));
  const total = made.reduce((sum, { amount }) => sum + amount, 0);
  if (made.length === 0 || amount_total === null || total < amount_total) return undefined;
  return made.find(({ status }) => status !== 'succeeded') ?? made[0];
}

function intentOf({ payment_intent }: StripeSession): string {
  const id = typeof payment_intent === 'object' ? payment_intent?.id : payment_intent;
  if (id === undefined) throw new Error('a session that was paid has no payment at Stripe');
  return id;
}

/** The report of an event; for refunds that we have not made, from Stripe's present books. */
async function readEvent(stripe: Stripe, event: unknown): Promise<ProviderNews | undefined> {
  const news = newsOf(event);
  const foreign = news ? undefined : foreignRefundOf(event);
  if (!foreign) return news;
  const intent = parseIntent(await stripe.paymentIntents.retrieve(foreign.intent));
  return foreignNewsOf(foreign, intent, await listRefunds(stripe, foreign.intent));
}

/** Stripe lists a missed callback for as long as it keeps it. `told`: the ids of earlier ones, which it passes over. */
async function readMissed(
  stripe: Stripe,
  clock: Clock,
  told: Set<string>,
  tell: (news: ProviderNews) => Promise<void>,
): Promise<void> {
  const gte = Math.floor((clock.now() - LIMITS.callbacksMissedMs) / 1_000);
  const query = { types: PAYMENT_EVENTS, delivery_success: false, created: { gte }, limit: LIMITS.callbacksMissed };
  const untold: Stripe.Event[] = [];
  let seen = 0;
  for await (const event of stripe.events.list(query)) {
    seen += 1;
    if (!told.has(event.id)) untold.push(event);
    if (untold.length === LIMITS.callbacksMissed || seen === CALLBACKS_SEEN) break;
  }
  const failures: unknown[] = [];
  // The oldest report comes first.
  for (const event of untold.toReversed()) {
    try {
      const news = await readEvent(stripe, event);
      if (news) await tell(news);
      told.add(event.id);
    } catch (error) {
      failures.push(error);
    }
  }
  // Older ones of a later run stand beside those that a run looks through.
  for (const id of told) {
    if (told.size <= 2 * CALLBACKS_SEEN) break;
    told.delete(id);
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} missed callbacks were not told`);
}

/** The error that Stripe repeats for every attempt; undefined for one that may pass. */
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

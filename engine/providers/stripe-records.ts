import * as v from 'valibot';
import { LIMITS } from '../../schema/limits.ts';
import type { ProviderReport } from '../../schema/money/payment.ts';
import type { ProviderNews, ProviderPayment } from './payment-provider.ts';
import { fromStripeAmount } from './stripe-amount.ts';

/** As much of Stripe's records as is read here, in answers and in callbacks alike. */

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.providerTextChars));
const metadata = v.nullish(v.record(v.string(), v.string()));

const stripeSession = v.object({
  id: text,
  status: v.nullable(v.picklist(['open', 'complete', 'expired'])),
  payment_status: v.picklist(['paid', 'unpaid', 'no_payment_required']),
  amount_total: v.nullable(v.pipe(v.number(), v.safeInteger())),
  currency: v.nullable(text),
  url: v.nullish(v.pipe(text, v.url())),
  /** With its status where it was asked for, which callbacks do not do. */
  payment_intent: v.nullish(v.union([text, v.object({ id: text, status: text })])),
  metadata,
});
export type StripeSession = v.InferOutput<typeof stripeSession>;

const stripeRefund = v.object({
  id: text,
  status: v.nullable(text),
  amount: v.pipe(v.number(), v.safeInteger()),
  failure_reason: v.nullish(text),
  payment_intent: v.nullish(text),
  metadata,
});
export type StripeRefund = v.InferOutput<typeof stripeRefund>;

const stripeEvent = v.object({ type: v.string(), data: v.object({ object: v.unknown() }) });
const stripeCharge = v.object({
  payment_intent: v.nullish(text),
  refunds: v.nullish(v.object({ data: v.array(v.unknown()) })),
});
const stripeIntent = v.object({ amount_received: v.pipe(v.number(), v.safeInteger()), currency: text, metadata });
/** The amount that Stripe took, and the payment that it was for. */
export type StripeIntent = v.InferOutput<typeof stripeIntent>;

const REFUND_EVENTS = new Set(['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated']);
/** Every event about payments. */
export const PAYMENT_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  ...REFUND_EVENTS,
];

/** Throws on what is no session: nobody knows then what was answered. */
export function parseSession(record: unknown): StripeSession {
  return v.parse(stripeSession, record);
}

/** Throws on what is no refund. */
export function parseRefund(record: unknown): StripeRefund {
  return v.parse(stripeRefund, record);
}

/** Throws on what is none. */
export function parseIntent(record: unknown): StripeIntent {
  return v.parse(stripeIntent, record);
}

/** By what records at Stripe are known to be about a payment of ours. */
export function metadataOf(
  { organizationId, paymentId, mark }: ProviderPayment,
  attempt?: number,
): Record<string, string> {
  const ids = { organizationId: `${organizationId}`, paymentId: `${paymentId}`, mark };
  return attempt === undefined ? ids : { ...ids, attempt: `${attempt}` };
}

/** The outcome of a checkout; undefined while it may still be paid. */
export function outcomeOf(session: StripeSession): ProviderReport | undefined {
  const { id: providerReference, status, payment_status, amount_total, currency, payment_intent } = session;
  if (payment_status === 'paid') {
    const amountMinor = fromStripeAmount(amount_total ?? 0, currency ?? '');
    return { kind: 'paid', providerReference, amountMinor, currency: currency?.toUpperCase() ?? '?' };
  }
  if (status === 'expired') return { kind: 'not-paid', providerReference, reason: 'expired' };
  // Completed, and the bank that was to send the money has not.
  const intent = typeof payment_intent === 'object' ? payment_intent?.status : undefined;
  const isLost = status === 'complete' && (intent === 'canceled' || intent === 'requires_payment_method');
  return isLost ? { kind: 'not-paid', providerReference, reason: 'payment_failed' } : undefined;
}

export function refundReportOf(refund: StripeRefund, attempt: number): ProviderReport {
  const { id: refundReference, status, failure_reason } = refund;
  if (status === 'succeeded') return { kind: 'refunded', attempt, refundReference };
  if (isRefundLost(refund)) {
    return { kind: 'refund-failed', attempt, refundReference, reason: failure_reason ?? status! };
  }
  return { kind: 'refund-begun', attempt, refundReference };
}

export function isRefundLost({ status }: StripeRefund): boolean {
  return status === 'failed' || status === 'canceled';
}

/** The report of an event signed by Stripe; undefined when it is not about our records. */
export function newsOf(event: unknown): ProviderNews | undefined {
  const parsed = v.safeParse(stripeEvent, event);
  if (!parsed.success) return undefined;
  const { type, data } = parsed.output;
  if (REFUND_EVENTS.has(type)) return refundNews(data.object);
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return sessionNews(data.object, type === 'checkout.session.async_payment_failed');
    case 'charge.refunded': {
      // Only older versions of the API put the refunds into it.
      const charge = v.safeParse(stripeCharge, data.object);
      const refunds = charge.success ? (charge.output.refunds?.data ?? []) : [];
      return refunds.map(refundNews).find((news) => news !== undefined);
    }
    default:
      return undefined;
  }
}

/** A refund that was not made by us, or that does not say so: of which money, and the refund itself where it is lost. */
export interface ForeignRefund {
  readonly intent: string;
  readonly lost: StripeRefund | undefined;
}

/** Undefined when an event is about no such refund. */
export function foreignRefundOf(event: unknown): ForeignRefund | undefined {
  const parsed = v.safeParse(stripeEvent, event);
  if (!parsed.success) return undefined;
  const { type, data } = parsed.output;
  if (type === 'charge.refunded') {
    const charge = v.safeParse(stripeCharge, data.object);
    const intent = charge.success ? charge.output.payment_intent : undefined;
    return intent ? { intent, lost: undefined } : undefined;
  }
  const refund = REFUND_EVENTS.has(type) ? v.safeParse(stripeRefund, data.object) : undefined;
  if (!refund?.success || !refund.output.payment_intent) return undefined;
  const lost = isRefundLost(refund.output) ? refund.output : undefined;
  return { intent: refund.output.payment_intent, lost };
}

/** The sum of all refunds of a payment, with the newest first, or that one is lost. */
export function foreignNewsOf(
  { lost }: ForeignRefund,
  { metadata: ids, amount_received, currency }: StripeIntent,
  refunds: readonly StripeRefund[],
): ProviderNews | undefined {
  if (lost) {
    const reason = lost.failure_reason ?? lost.status!;
    return newsAbout(ids, { kind: 'give-back-failed', refundReference: lost.id, reason });
  }
  const made = refunds.filter((one) => !isRefundLost(one));
  // Our own refunds have events of their own.
  if (made.every(({ metadata: note }) => note?.['attempt'] !== undefined)) return undefined;
  const total = made.reduce((sum, { amount }) => sum + amount, 0);
  const report = made[0] && {
    kind: 'given-back' as const,
    refundReference: made[0].id,
    amountMinor: fromStripeAmount(total, currency),
    isWhole: total >= amount_received,
  };
  return newsAbout(ids, report);
}

function sessionNews(record: unknown, isLost: boolean): ProviderNews | undefined {
  const parsed = v.safeParse(stripeSession, record);
  if (!parsed.success) return undefined;
  const { id: providerReference, metadata: ids } = parsed.output;
  const lost = { kind: 'not-paid', providerReference, reason: 'payment_failed' } as const;
  return newsAbout(ids, outcomeOf(parsed.output) ?? (isLost ? lost : undefined));
}

function refundNews(record: unknown): ProviderNews | undefined {
  const parsed = v.safeParse(stripeRefund, record);
  if (!parsed.success) return undefined;
  const attempt = idOf(parsed.output.metadata?.['attempt']);
  return attempt === undefined ? undefined : newsAbout(parsed.output.metadata, refundReportOf(parsed.output, attempt));
}

function newsAbout(ids: StripeSession['metadata'], report: ProviderReport | undefined): ProviderNews | undefined {
  const organizationId = idOf(ids?.['organizationId']);
  const paymentId = idOf(ids?.['paymentId']);
  if (!organizationId || !paymentId || !report) return undefined;
  // Records from before there were marks have none.
  const mark = ids?.['mark'];
  return { organizationId, paymentId, ...(mark !== undefined && { mark }), report };
}

function idOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))
    ? Number(text)
    : undefined;
}

import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { PaymentRecord, ProviderReport, Refund } from '../../../schema/money/payment.ts';

/**
 * pending → succeeded → refunded; pending → failed; failed → succeeded, when money comes late for a payment that was
 * given up; refunded → succeeded, when the provider could not pay the refund out.
 * A failed payment with a refund is about money that was never booked: another amount than agreed, or money that was
 * given back before we knew of it. For every end of the refund, the payment stays failed.
 * The open step at the provider is `step`: create_checkout → await_payment → none | cancel_checkout → none | refund →
 * await_refund → none
 */
export type PaymentStep =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'noted' | 'failed' | 'captured' | 'refunded' | 'returned' | 'refund-failed' | 'refund-reversed';
      readonly fields: Partial<PaymentRecord>;
    };

const NOTHING: PaymentStep = { kind: 'nothing' };

/** Why there is a refund that nobody has asked us for. */
const AT_PROVIDER = 'refunded_at_provider';

/** Why a payment was given up for something else: money that comes for it later goes back. */
const GIVEN_UP: ReadonlySet<string | null> = new Set(['superseded', 'task_cancelled']);

/** Whether money that comes for the payment now was not to come any more. */
export function isGivenUp({ status, failureReason }: PaymentRecord): boolean {
  return status === 'failed' && GIVEN_UP.has(failureReason);
}

/** A payment that is given up while the provider may still take money for it: its checkout is to be closed. */
export function givenUp(payment: PaymentRecord, why: 'superseded' | 'task_cancelled'): Partial<PaymentRecord> {
  return { status: 'failed', failureReason: why, step: payment.method === 'online' ? 'cancel_checkout' : null };
}

/** The changes by a report of the provider. It may come late, twice, and before earlier reports. */
export function judgeReport(payment: PaymentRecord, report: ProviderReport, now: string): PaymentStep {
  // Cash and wallets have no provider: a provider's report is not about them.
  if (payment.method !== 'online') return NOTHING;
  switch (report.kind) {
    case 'checkout-made':
      return checkoutMade(payment, report);
    case 'checkout-refused':
      return notPaid(payment, report.reason);
    case 'not-paid':
      return isOfOther(payment, report.providerReference) ? NOTHING : notPaid(payment, report.reason);
    case 'paid':
      return paid(payment, report, now);
    case 'given-back':
      return givenBack(payment, report, now);
    case 'give-back-failed':
      return giveBackFailed(payment, report);
    default:
      return refundReported(payment, report, now);
  }
}

/** A full refund, asked for by somebody; also once more of money that was never booked. */
export function judgeRefund({ status, refund }: PaymentRecord): Refusal | undefined {
  if (refund && refund.status !== 'failed') return refusal('PAYMENT_ALREADY_REFUNDED');
  const isPossible = status === 'succeeded' || refund !== null;
  return isPossible ? undefined : refusal('PAYMENT_NOT_REFUNDABLE', undefined, { status });
}

/** A refund as it is asked for: each time is a request of its own to the provider. */
export function newRefund({ refund }: PaymentRecord, reason: string, now: string): Refund {
  const open = { refundedAt: null, providerReference: null, failureReason: null };
  return { status: 'pending', reason, attempt: (refund?.attempt ?? 0) + 1, requestedAt: now, ...open };
}

function checkoutMade(
  payment: PaymentRecord,
  { providerReference, page }: Extract<ProviderReport, { kind: 'checkout-made' }>,
): PaymentStep {
  if (payment.providerReference !== null) return NOTHING;
  const made = { providerReference, checkoutPage: page };
  if (payment.step === 'create_checkout') return { kind: 'noted', fields: { ...made, step: 'await_payment' } };
  // Given up meanwhile: now it is known what has to be closed.
  return payment.step === 'cancel_checkout' ? { kind: 'noted', fields: made } : NOTHING;
}

function notPaid(payment: PaymentRecord, reason: string): PaymentStep {
  if (payment.status === 'pending') {
    return { kind: 'failed', fields: { status: 'failed', failureReason: reason, step: null } };
  }
  return payment.step === 'cancel_checkout' ? { kind: 'noted', fields: { step: null } } : NOTHING;
}

function paid(payment: PaymentRecord, report: Extract<ProviderReport, { kind: 'paid' }>, now: string): PaymentStep {
  if (payment.status !== 'pending' && payment.status !== 'failed') return NOTHING;
  // Known, and on its way back.
  if (payment.refund) return NOTHING;
  const { providerReference, amountMinor, currency } = report;
  if (amountMinor !== payment.amountMinor || currency !== payment.currency) {
    const refund = newRefund(payment, `taken instead: ${amountMinor} minor units of ${currency}`, now);
    const failed = { status: 'failed', failureReason: 'amount_mismatch', providerReference } as const;
    return { kind: 'failed', fields: { ...failed, refund, step: 'refund' } };
  }
  return { kind: 'captured', fields: { status: 'succeeded', failureReason: null, providerReference, step: null } };
}

function refundReported(
  payment: PaymentRecord,
  report: Extract<ProviderReport, { attempt: number }>,
  now: string,
): PaymentStep {
  const { refund } = payment;
  if (refund?.attempt !== report.attempt || refund.status === 'failed') return NOTHING;
  if (report.kind === 'refund-failed') {
    return isReplaced(refund, report.refundReference) ? NOTHING : refundLost(payment, refund, report.reason);
  }
  if (refund.status === 'succeeded') return NOTHING;
  const begun: Refund = { ...refund, providerReference: report.refundReference };
  if (report.kind === 'refunded') return refundSettled(payment, begun, now);
  return refund.providerReference === report.refundReference
    ? NOTHING
    : { kind: 'noted', fields: { refund: begun, step: 'await_refund' } };
}

/** Whether another refund has arrived in place of the named one. */
function isReplaced({ status, providerReference }: Refund, named: string | undefined): boolean {
  return status === 'succeeded' && named !== undefined && named !== providerReference;
}

/** Takes the place of a refund of ours that is under way: the provider has one only. A part is only noted. */
function givenBack(
  payment: PaymentRecord,
  { refundReference, amountMinor, isWhole }: Extract<ProviderReport, { kind: 'given-back' }>,
  now: string,
): PaymentStep {
  const { status, refund } = payment;
  if (refund?.status === 'succeeded') return NOTHING;
  const ours = refund?.status === 'pending' ? refund : undefined;
  const made = { ...(ours ?? newRefund(payment, AT_PROVIDER, now)), providerReference: refundReference };
  if (isWhole) return refundSettled(payment, made, now);
  const isKnown = refund?.providerReference === refundReference;
  if (ours || isKnown || status !== 'succeeded') return NOTHING;
  const failureReason = `partial: ${amountMinor} of ${payment.amountMinor} minor units`;
  return { kind: 'noted', fields: { refund: { ...made, status: 'failed', failureReason } } };
}

/** The refund by which the payment counts as refunded did not arrive, whether we had asked for one too or not. */
function giveBackFailed(
  payment: PaymentRecord,
  { refundReference, reason }: Extract<ProviderReport, { kind: 'give-back-failed' }>,
): PaymentStep {
  const { refund } = payment;
  if (refund?.providerReference !== refundReference || refund.status !== 'succeeded') return NOTHING;
  return refundLost(payment, refund, reason);
}

function refundSettled(payment: PaymentRecord, made: Refund, now: string): PaymentStep {
  const refund: Refund = { ...made, status: 'succeeded', refundedAt: now };
  if (payment.status === 'succeeded') return { kind: 'refunded', fields: { status: 'refunded', refund, step: null } };
  const failureReason = payment.failureReason ?? AT_PROVIDER;
  return { kind: 'returned', fields: { status: 'failed', failureReason, refund, step: null } };
}

function refundLost({ status }: PaymentRecord, refund: Refund, failureReason: string): PaymentStep {
  const wasBooked = status === 'refunded';
  const failed: Refund = { ...refund, status: 'failed', refundedAt: null, failureReason };
  const fields = { status: wasBooked ? 'succeeded' : status, refund: failed, step: null } as const;
  return { kind: wasBooked ? 'refund-reversed' : 'refund-failed', fields };
}

/** Whether it is about another checkout than the one that the payment has. */
function isOfOther({ providerReference }: PaymentRecord, reported: string | null): boolean {
  return providerReference !== null && reported !== null && providerReference !== reported;
}

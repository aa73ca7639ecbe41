import { type Refusal, refusal } from '../../schema/errors.ts';
import type { PaymentRecord, ProviderReport, Refund } from '../../schema/payment.ts';

/**
 * pending → succeeded → refunded; pending → failed; failed → succeeded, when money comes late for a payment that was
 * given up; refunded → succeeded, when the provider finds that it could not pay the refund out.
 *
 * What is left to do at the provider is `step`:
 *   create_checkout → await_payment → none | cancel_checkout → none | refund → await_refund → none
 */
export type PaymentStep =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'noted' | 'failed' | 'captured' | 'refunded' | 'refund-failed' | 'refund-reversed';
      readonly fields: Partial<PaymentRecord>;
    };

const NOTHING: PaymentStep = { kind: 'nothing' };

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

/** What a report of the provider changes. It may come late, twice, and before what happened earlier. */
export function judgeReport(payment: PaymentRecord, report: ProviderReport, now: string): PaymentStep {
  // Cash and wallets have no provider: whatever one says of them is not of them.
  if (payment.method !== 'online') return NOTHING;
  switch (report.kind) {
    case 'checkout-made':
      return checkoutMade(payment, report);
    case 'checkout-refused':
      return notPaid(payment, report.reason);
    case 'not-paid':
      return isOfOther(payment, report.providerReference) ? NOTHING : notPaid(payment, report.reason);
    case 'paid':
      return paid(payment, report);
    default:
      return refundReported(payment, report, now);
  }
}

/** A full refund, asked for by somebody. */
export function judgeRefund({ status, refund }: PaymentRecord): Refusal | undefined {
  if (status === 'refunded' || refund?.status === 'pending') return refusal('PAYMENT_ALREADY_REFUNDED');
  return status === 'succeeded' ? undefined : refusal('PAYMENT_NOT_REFUNDABLE', undefined, { status });
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

function paid(payment: PaymentRecord, report: Extract<ProviderReport, { kind: 'paid' }>): PaymentStep {
  if (payment.status !== 'pending' && payment.status !== 'failed') return NOTHING;
  const { providerReference } = report;
  if (report.amountMinor !== payment.amountMinor || report.currency !== payment.currency) {
    if (payment.failureReason === 'amount_mismatch') return NOTHING;
    const fields = { status: 'failed', failureReason: 'amount_mismatch', providerReference, step: null } as const;
    return { kind: 'failed', fields };
  }
  return { kind: 'captured', fields: { status: 'succeeded', failureReason: null, providerReference, step: null } };
}

function refundReported(
  { status, refund }: PaymentRecord,
  report: Extract<ProviderReport, { attempt: number }>,
  now: string,
): PaymentStep {
  if (refund?.attempt !== report.attempt || refund.status === 'failed') return NOTHING;
  if (report.kind === 'refund-failed') {
    const failed: Refund = { ...refund, status: 'failed', refundedAt: null, failureReason: report.reason };
    const fields = { status: 'succeeded', refund: failed, step: null } as const;
    return { kind: status === 'refunded' ? 'refund-reversed' : 'refund-failed', fields };
  }
  if (status === 'refunded') return NOTHING;
  const begun: Refund = { ...refund, providerReference: report.refundReference };
  if (report.kind === 'refunded') {
    const fields = {
      status: 'refunded',
      refund: { ...begun, status: 'succeeded', refundedAt: now },
      step: null,
    } as const;
    return { kind: 'refunded', fields };
  }
  return refund.providerReference === report.refundReference
    ? NOTHING
    : { kind: 'noted', fields: { refund: begun, step: 'await_refund' } };
}

/** Of another checkout than the one that the payment has. */
function isOfOther({ providerReference }: PaymentRecord, reported: string | null): boolean {
  return providerReference !== null && reported !== null && providerReference !== reported;
}

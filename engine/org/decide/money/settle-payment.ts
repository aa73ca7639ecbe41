import type { Caller, SettlePayment } from '../../../../schema/commands.ts';
import { type PaymentRecord, type ProviderReport, UNKNOWN_PAYMENT } from '../../../../schema/money/payment.ts';
import { captureOf, type Movement, refundOf, refundReversalOf } from '../../../domain/money/ledger.ts';
import { isGivenUp, judgeReport, newRefund, type PaymentStep } from '../../../domain/money/payment-machine.ts';
import { paymentMark } from '../../../domain/money/payment-mark.ts';
import { lastAttempt } from '../../../domain/tasks/exceptions.ts';
import { paymentStep } from '../../apply/event-encoding.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN, refuse } from '../decision.ts';
import { MONEY } from '../id-demand.ts';
import { rule } from '../rule.ts';
import {
  changePayment,
  currentPayment,
  draftCapture,
  draftPaidTask,
  draftRefund,
  draftTransfer,
  giveUpPayment,
  judgeMovement,
  tellPayment,
} from '../steps/payment-steps.ts';
import { tellUpdated } from '../steps/tell-updated.ts';

export const settlePaymentRule = rule<SettlePayment>({
  needs(needed, { paymentId, report }) {
    needed.paymentWithMoney(paymentId);
    if (LOST_REFUNDS.has(report.kind)) needed.lastAttemptPaidBy(paymentId);
  },
  ids: () => MONEY,
  followsAgent: true,
  decide: decideSettlePayment,
});

const UNKNOWN: Decision = { ok: true, status: 200, shown: { kind: 'written', json: UNKNOWN_PAYMENT } };

/** Whether a report is about a payment that had the same id. */
function isOfOther({ checkoutToken }: PaymentRecord, mark: string | undefined): boolean {
  return mark !== undefined && checkoutToken !== null && mark !== paymentMark(checkoutToken);
}

/**
 * The provider's report about a payment, by callback or by a worker's question. A known fact changes nothing. The answer
 * says when the payment is unknown, or another one had its id. Refuses: 400 for money that the accounts cannot hold. Workers ask the provider again.
 */
export function decideSettlePayment(draft: Draft, command: SettlePayment, context: DecideContext): Decision {
  const { paymentId, mark, report, caller } = command;
  const before = draft.findPayment(paymentId);
  if (!before || isOfOther(before, mark)) return UNKNOWN;
  const step = judgeReport(before, report, context.now);
  if (step.kind === 'nothing') return NOTHING_SHOWN;
  const movement = MOVEMENT_OF[step.kind]?.(before);
  const overflow = movement && judgeMovement(draft, movement);
  if (overflow) return refuse(overflow);
  if (step.kind === 'captured') {
    settleCapture(draft, before, step.fields, caller, context);
    return NOTHING_SHOWN;
  }
  const payment = changePayment(draft, before, step.fields, context.now);
  switch (step.kind) {
    case 'noted':
      break;
    case 'refunded':
      draftRefund(draft, payment, caller, context);
      tellPayment(draft, payment, 'payment.refunded');
      break;
    case 'returned':
      // Money that was never booked does not leave the ledger.
      tellPayment(draft, payment, 'payment.refunded');
      break;
    case 'refund-reversed': {
      const { taskId } = payment;
      const what = { kind: 'refund', paymentId, taskId, reference: payment.refund!.failureReason } as const;
      draftTransfer(draft, refundReversalOf(payment), what, caller, context);
      draftPaidAgain(draft, payment, context.now);
      tellPayment(draft, payment, 'payment.failed');
      break;
    }
    case 'failed':
    case 'refund-failed':
      // It was booked: money that came late for a payment that was given up, and was to go back.
      if (payment.status === 'succeeded') draftPaidAgain(draft, payment, context.now);
      tellPayment(draft, payment, 'payment.failed');
      break;
  }
  return NOTHING_SHOWN;
}

/** The reports that move money. */
const MOVEMENT_OF: Readonly<Partial<Record<PaymentStep['kind'], (payment: PaymentRecord) => Movement>>> = {
  captured: captureOf,
  refunded: refundOf,
  'refund-reversed': refundReversalOf,
};

/** The reports after which money may pay its task again. */
const LOST_REFUNDS: ReadonlySet<ProviderReport['kind']> = new Set(['refund-failed', 'give-back-failed']);

/** Money that could not be paid out pays its task again, and the last attempt at it. */
function draftPaidAgain(draft: Draft, payment: PaymentRecord, now: string): void {
  const last = lastAttempt((id) => draft.findTask(id), payment.taskId);
  const isFollowed = typeof last !== 'number' && last.task.id !== payment.taskId && knowsPaymentOf(draft, last);
  if (isFollowed && draftPaidInstead(draft, last, payment, now)) {
    const isMoved = draft.findTask(last.task.id)!.packages.some((each, index) => each !== last.packages[index]);
    tellUpdated(draft, last.task.id, isMoved ? ['paymentId', 'packages'] : ['paymentId'], paymentStep(payment));
  }
  // Last, because its step is the event of the caller.
  draftPaidInstead(draft, draft.findTask(payment.taskId)!, payment, now);
}

/** After more attempts than are followed, what was paid for the last one may be unknown. */
function knowsPaymentOf(draft: Draft, { task: { paymentId } }: TaskFacts): boolean {
  return paymentId === null || draft.findPayment(paymentId) !== undefined;
}

/** In place of a later payment that has not succeeded. False, and nothing is drafted, when one has. */
function draftPaidInstead(draft: Draft, facts: TaskFacts, payment: PaymentRecord, now: string): boolean {
  const current = currentPayment(draft, facts.task);
  if (current?.status === 'succeeded') return false;
  if (current?.status === 'pending') giveUpPayment(draft, current, 'superseded', now);
  draftPaidTask(draft, facts, payment, now);
  return true;
}

/** Money for a payment that something else came before, or for a task that cannot be paid any more, goes back. */
function settleCapture(
  draft: Draft,
  before: PaymentRecord,
  fields: Partial<PaymentRecord>,
  caller: Caller,
  context: DecideContext,
): void {
  const { now } = context;
  const facts = draft.findTask(before.taskId)!;
  const current = currentPayment(draft, facts.task);
  const isPaidOtherwise = current?.status === 'succeeded' && current.id !== before.id;
  const isPayable = facts.task.status !== 'cancelled' && facts.task.nextTaskId === null;
  const isUnwanted = isGivenUp(before) || isPaidOtherwise || !isPayable;
  const back = { refund: newRefund(before, 'late_payment', now), step: 'refund' } as const;
  const payment = changePayment(draft, before, { ...fields, ...(isUnwanted ? back : {}) }, now);
  draftCapture(draft, payment, caller, context);
  if (!isUnwanted) {
    if (current?.status === 'pending' && current.id !== payment.id) giveUpPayment(draft, current, 'superseded', now);
    draftPaidTask(draft, facts, payment, now);
  }
  tellPayment(draft, payment, 'payment.succeeded');
}

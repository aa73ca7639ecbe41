import type { RefundPayment } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import { refundOf } from '../../../domain/money/ledger.ts';
import { judgeRefund, newRefund } from '../../../domain/money/payment-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { MONEY } from '../id-demand.ts';
import { rule } from '../rule.ts';
import { changePayment, draftRefund, judgeMovement, tellPayment } from '../steps/payment-steps.ts';

export const refundPaymentRule = rule<RefundPayment>({
  needs: (needed, { paymentId }) => needed.paymentWithMoney(paymentId),
  ids: () => MONEY,
  followsAgent: true,
  decide: decideRefundPayment,
});

/**
 * POST /payments/:id/refund. Cash and wallets are refunded at once, an online payment when the provider has done it.
 * Refuses: 404; 409 PAYMENT_ALREADY_REFUNDED, PAYMENT_NOT_REFUNDABLE; 400 for an amount that the accounts do not allow.
 */
export function decideRefundPayment(draft: Draft, command: RefundPayment, context: DecideContext): Decision {
  const { paymentId, input, caller } = command;
  const before = draft.findPayment(paymentId);
  if (!before) return refuse(notFound('Payment', paymentId));
  const unrefundable = judgeRefund(before);
  if (unrefundable) return refuse(unrefundable);
  const overflow = judgeMovement(draft, refundOf(before));
  if (overflow) return refuse(overflow);
  const refund = newRefund(before, input.reason, context.now);
  if (before.method === 'online') {
    changePayment(draft, before, { refund, step: 'refund' }, context.now);
    return done('payment', paymentId);
  }
  const settled = { ...refund, status: 'succeeded', refundedAt: context.now } as const;
  const payment = changePayment(draft, before, { status: 'refunded', refund: settled }, context.now);
  draftRefund(draft, payment, caller, context);
  tellPayment(draft, payment, 'payment.refunded');
  return done('payment', paymentId);
}

import { checkoutPath } from '../../../schema/money/checkout-link.ts';
import { type PaymentRecord, type PaymentView, paymentView } from '../../../schema/money/payment.ts';
import { formatMinor } from '../../domain/money/money.ts';
import { compileSerializer } from '../parts/serializer.ts';

const serialize = compileSerializer(paymentView);

/** Returns the JSON of a payment: the same bytes from memory and from Postgres. */
export function encodePayment(payment: PaymentRecord): string {
  return serialize(paymentViewOf(payment));
}

function paymentViewOf(payment: PaymentRecord): PaymentView {
  const { amountMinor, currency, refund } = payment;
  return {
    ...payment,
    amount: formatMinor(amountMinor, currency),
    checkoutUrl: checkoutUrlOf(payment),
    refund: refund && {
      status: refund.status,
      reason: refund.reason,
      requestedAt: refund.requestedAt,
      refundedAt: refund.refundedAt,
      failureReason: refund.failureReason,
    },
  };
}

function checkoutUrlOf({ organizationId, id: paymentId, checkoutToken: token }: PaymentRecord): string | null {
  return token === null ? null : checkoutPath({ organizationId, paymentId, token });
}

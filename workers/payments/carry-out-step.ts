import { paymentMark } from '../../engine/domain/money/payment-mark.ts';
import type { PaymentProvider, ProviderCheckout, ProviderPayment } from '../../engine/providers/payment-provider.ts';
import type { PaymentStep } from '../../engine/store/payments/payment-step-store.ts';
import { isBlank } from '../../schema/fields/fields.ts';
import { LIMITS } from '../../schema/limits.ts';
import { checkoutPath } from '../../schema/money/checkout-link.ts';
import type { ProviderReport } from '../../schema/money/payment.ts';

/** Does at the provider what a payment's step says; undefined when there is nothing to tell yet. */
export async function carryOutStep(
  provider: PaymentProvider,
  step: PaymentStep,
  publicUrl: string,
): Promise<ProviderReport | undefined> {
  const payment = providerPaymentOf(step, publicUrl);
  switch (step.step) {
    case 'create_checkout':
      return provider.makeCheckout(payment);
    case 'await_payment':
      return provider.findOutcome(checkoutOf(payment, step));
    case 'cancel_checkout':
      return cancel(provider, payment, step);
    case 'refund':
    case 'await_refund':
      return provider.refund(checkoutOf(payment, step), attemptOf(step));
  }
}

/** A checkout may have been made without an answer. Making it again returns the same one, which is then closed. */
async function cancel(
  provider: PaymentProvider,
  payment: ProviderPayment,
  { providerReference }: PaymentStep,
): Promise<ProviderReport | undefined> {
  if (providerReference !== null) return provider.closeCheckout({ ...payment, reference: providerReference });
  const made = await provider.makeCheckout(payment);
  if (made.kind !== 'checkout-made') return made;
  return provider.closeCheckout({ ...payment, reference: made.providerReference });
}

function providerPaymentOf(step: PaymentStep, publicUrl: string): ProviderPayment {
  const { organizationId, paymentId, amountMinor, currency, reference, taskId, checkoutToken: token } = step;
  // Providers refuse a description that shows nothing.
  const text = reference === null || isBlank(reference) ? `Task ${taskId}` : reference;
  const description = [...text].slice(0, LIMITS.providerDescriptionChars).join('');
  const returnUrl = `${publicUrl}${checkoutPath({ organizationId, paymentId, token })}?returned=1`;
  return { organizationId, paymentId, mark: paymentMark(token), amountMinor, currency, description, returnUrl };
}

function checkoutOf(payment: ProviderPayment, { providerReference, step }: PaymentStep): ProviderCheckout {
  if (providerReference === null) throw new Error(`a payment without a checkout is to ${step}`);
  return { ...payment, reference: providerReference };
}

function attemptOf({ refundAttempt, step }: PaymentStep): number {
  if (refundAttempt === null) throw new Error(`a payment without a refund is to ${step}`);
  return refundAttempt;
}

import { PROVIDER_STEPS, type ProviderStep } from '../../../schema/money/payment.ts';

/** Whether there is something to do for a step at once, or only time and the provider bring it on. */
const CALLS_FOR: Readonly<Record<ProviderStep, 'work' | 'patience'>> = {
  create_checkout: 'work',
  await_payment: 'patience',
  cancel_checkout: 'work',
  refund: 'work',
  await_refund: 'patience',
};

/** Whether the step is to look now and then at what the provider has to say. */
export function isWaiting(step: ProviderStep): boolean {
  return CALLS_FOR[step] === 'patience';
}

export const WAITING_STEPS: readonly ProviderStep[] = PROVIDER_STEPS.filter(isWaiting);
export const URGENT_STEPS: readonly ProviderStep[] = PROVIDER_STEPS.filter((step) => !isWaiting(step));

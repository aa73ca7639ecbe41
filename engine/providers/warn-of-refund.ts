import type { Answer } from '../../schema/commands.ts';
import { ERRORS } from '../../schema/errors.ts';
import { type ProviderReport, UNKNOWN_PAYMENT } from '../../schema/money/payment.ts';
import type { Log } from '../runtime/log.ts';
import type { ProviderNews } from './payment-provider.ts';

const WARNINGS: Readonly<Partial<Record<ProviderReport['kind'], string>>> = {
  'given-back': 'a payment was given back at its provider, or a part of it',
  'give-back-failed':
    'a refund that was made at the provider was not paid out: what it was to give back is still there',
};

/**
 * Warns of what somebody does with a payment at its provider: a part that comes or goes there changes no payment. Not of
 * one that the owner does not know by its `answer`; a report that it could not take comes again.
 */
export function warnOfRefund(log: Log, news: ProviderNews, answer: Answer): void {
  const warning = WARNINGS[news.report.kind];
  if (warning && knowsPayment(answer)) log.warn(news, warning);
}

/** A report that is refused 400 is about money of ours that cannot be booked. */
function knowsPayment(answer: Answer): boolean {
  return answer.ok ? answer.data !== UNKNOWN_PAYMENT : ERRORS[answer.refusal.code].status === 400;
}

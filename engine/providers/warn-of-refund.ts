import type { ProviderReport } from '../../schema/money/payment.ts';
import type { Log } from '../runtime/log.ts';
import type { ProviderNews } from './payment-provider.ts';

const WARNINGS: Readonly<Partial<Record<ProviderReport['kind'], string>>> = {
  'given-back': 'a payment was given back at its provider, or a part of it',
  'give-back-failed':
    'a refund that was made at the provider was not paid out: what it was to give back is still there',
};

/** Warns of what somebody does with a payment at its provider: a part that comes or goes there changes no payment. */
export function warnOfRefund(log: Log, news: ProviderNews): void {
  const warning = WARNINGS[news.report.kind];
  if (warning) log.warn(news, warning);
}

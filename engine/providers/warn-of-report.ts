import type { Answer } from '../../schema/commands.ts';
import { ERRORS } from '../../schema/errors.ts';
import { type ProviderReport, UNKNOWN_PAYMENT } from '../../schema/money/payment.ts';
import type { Log } from '../runtime/log.ts';
import type { ProviderNews } from './payment-provider.ts';

type Warnings = Readonly<Partial<Record<ProviderReport['kind'], string>>>;

const WARNINGS: Warnings = {
  'given-back': 'a payment was given back at its provider, or a part of it',
  'give-back-failed':
    'a refund that was made at the provider was not paid out: what it was to give back is still there',
};

const UNPAID = 'a refund of a deleted organization was not paid out: give the money back at the provider';
/** Money that no record of ours has, and that nobody here gives back. */
const WARNINGS_OF_DELETED: Warnings = {
  paid: 'money was paid to a deleted organization: give it back at the provider',
  'refund-failed': UNPAID,
  'give-back-failed': UNPAID,
};

/**
 * Warns of a report that somebody has to know of: about a payment of a deleted organization, or about what somebody does
 * with one at its provider, where a part that comes or goes changes no payment. Not of one that the owner does not know
 * by its `answer`; a report that it could not take comes again.
 */
export function warnOfReport(log: Log, news: ProviderNews, answer: Answer): void {
  const warning = warningsFor(answer)[news.report.kind];
  if (warning) log.warn(news, warning);
}

function warningsFor(answer: Answer): Warnings {
  if (answer.ok) return answer.data === UNKNOWN_PAYMENT ? {} : WARNINGS;
  const { code } = answer.refusal;
  if (code === 'ORGANIZATION_DELETED') return WARNINGS_OF_DELETED;
  // It is about money of ours that cannot be booked.
  return ERRORS[code].status === 400 ? WARNINGS : {};
}

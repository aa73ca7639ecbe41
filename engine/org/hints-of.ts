import type { HintKind } from '../bus/commit-hints.ts';
import { isWaiting } from '../domain/money/provider-steps.ts';
import type { OrgBatch } from './apply/org-batch.ts';

/** What others are told of a batch once it is committed. What a payment waits for calls for no look: time brings that. */
export function hintsOf({
  events,
  helpsSearches,
  payments,
}: Pick<OrgBatch, 'events' | 'helpsSearches' | 'payments'>): HintKind[] {
  const kinds: HintKind[] = [];
  if (events.length > 0) {
    kinds.push('committed');
    if (helpsSearches) kinds.push('searches');
  }
  // Also without an event: the log tells of a refund when the money has gone back.
  for (const { record } of payments.values())
    if (record.step !== null && !isWaiting(record.step)) return [...kinds, 'payments'];
  return kinds;
}

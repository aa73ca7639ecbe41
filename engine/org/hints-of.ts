import type { HintKind } from '../bus/commit-hints.ts';
import { isWaiting } from '../domain/money/provider-steps.ts';
import type { OrgBatch } from './apply/org-batch.ts';

/** The hints about a committed batch. A payment that only waits needs none: time brings its next look. */
export function hintsOf({
  events,
  helpsSearches,
  payments,
}: Pick<OrgBatch, 'events' | 'helpsSearches' | 'payments'>): HintKind[] {
  const kinds: HintKind[] = [];
  if (events.length > 0) kinds.push('committed');
  // The end of a break has no event.
  if (helpsSearches) kinds.push('searches');
  // Even without an event: the log reports a refund when the money has gone back.
  for (const { record } of payments.values())
    if (record.step !== null && !isWaiting(record.step)) return [...kinds, 'payments'];
  return kinds;
}

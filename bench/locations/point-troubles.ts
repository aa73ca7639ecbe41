import type { LocationOutcome } from './location-order.ts';

/** Points that are not accepted have cost less. */
const LEAST_ACCEPTED = 0.99;

/** Why the points were no load, or a smaller one than was ordered; empty when they were. */
export function pointTroubles(
  outcome: Pick<LocationOutcome, 'points' | 'accepted' | 'stale' | 'rejected' | 'failures' | 'firstFailure'>,
): string[] {
  const { points, accepted, stale, rejected, failures, firstFailure } = outcome;
  const troubles: string[] = [];
  const all = accepted + stale + rejected;
  if (points === 0) troubles.push('no point was answered inside the window');
  if (accepted < all * LEAST_ACCEPTED)
    troubles.push(`only ${accepted} of ${all} points were accepted, ${stale} were stale`);
  if (rejected > 0) troubles.push(`${rejected} points were rejected`);
  for (const [kind, count] of Object.entries(failures)) troubles.push(`${count} × ${kind}; first ${firstFailure}`);
  return troubles;
}

import { LIMITS } from '../../../schema/limits.ts';
import type { SendOutcome } from '../notice.ts';
import { oneLine } from '../one-line.ts';

/** The service's answer goes into the log of deliveries: a line, and not a long one. */
export function reasonOf(text: string): string {
  return oneLine(text, LIMITS.pushReasonChars);
}

export function later(reason: string, retryAfterMs?: number): SendOutcome {
  const afterMs = retryAfterMs === undefined ? {} : { afterMs: Math.min(retryAfterMs, LIMITS.pushRetryAfterMs) };
  return { kind: 'later', reason: reasonOf(reason), ...afterMs };
}

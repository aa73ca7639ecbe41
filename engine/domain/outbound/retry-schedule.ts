import { LIMITS } from '../../../schema/limits.ts';

/**
 * When a delivery is attempted next, in milliseconds since the epoch; undefined when that was the last attempt.
 * `attempt` counts those made so far; `random` lies in [0, 1). Retry-After makes the pause longer, never shorter.
 * Source: docs/contract.md §6.
 */
export function nextAttemptAt(
  attempt: number,
  nowMs: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const pauseMs = LIMITS.webhookRetryPausesMs[attempt - 1];
  if (pauseMs === undefined) return undefined;
  const spreadMs = Math.round(pauseMs * (1 + LIMITS.webhookRetryJitter * random));
  return nowMs + Math.max(spreadMs, cappedRetryAfter(retryAfterMs));
}

/** The pause that an endpoint has asked for, as far as it may. */
export function cappedRetryAfter(retryAfterMs: number | undefined): number {
  return Math.min(retryAfterMs ?? 0, LIMITS.webhookRetryAfterMs);
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The pause, in milliseconds from now, that a Retry-After in seconds or as a date asks for; undefined for none. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  if (!httpDate.test(text)) return undefined;
  const pauseMs = Date.parse(text) - nowMs;
  return pauseMs > 0 ? pauseMs : undefined;
}

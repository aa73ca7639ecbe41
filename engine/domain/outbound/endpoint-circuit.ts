import { LIMITS } from '../../../schema/limits.ts';
import { cappedRetryAfter } from './retry-schedule.ts';

/**
 * How an endpoint takes what it is sent.
 *   closed: everything is sent; a success forgets the failures before it.
 *   paused: nothing is sent. After webhookCircuitFailures in a row, or where Retry-After asks for it.
 *   on trial: the pause is over and one attempt is made: a success closes, a failure pauses for twice as long.
 * Times in milliseconds since the epoch.
 */
export interface EndpointCircuit {
  /** Since the last success; what fails during a pause was under way when it began, and does not count. */
  readonly failures: number;
  /** When the first of them was. */
  readonly failingSinceMs: number | null;
  readonly pausedUntilMs: number | null;
}

const closed: EndpointCircuit = { failures: 0, failingSinceMs: null, pausedUntilMs: null };

export function afterSuccess(): EndpointCircuit {
  return closed;
}

/** `retryAfterMs`: the pause that the endpoint has asked for, if it has. */
export function afterFailure(state: EndpointCircuit, nowMs: number, retryAfterMs: number | undefined): EndpointCircuit {
  const counts = !isPaused(state, nowMs);
  const failures = state.failures + (counts ? 1 : 0);
  const pauseMs = Math.max(counts ? pauseAfter(failures) : 0, cappedRetryAfter(retryAfterMs));
  return {
    failures,
    failingSinceMs: state.failingSinceMs ?? nowMs,
    pausedUntilMs: pauseMs > 0 ? Math.max(nowMs + pauseMs, state.pausedUntilMs ?? 0) : state.pausedUntilMs,
  };
}

export function isPaused({ pausedUntilMs }: EndpointCircuit, nowMs: number): boolean {
  return pausedUntilMs !== null && nowMs < pausedUntilMs;
}

/** The pause is over, but nothing has succeeded yet: one attempt at a time. */
export function isOnTrial(state: EndpointCircuit, nowMs: number): boolean {
  return state.pausedUntilMs !== null && !isPaused(state, nowMs);
}

/** Nothing but failures for so long that the endpoint is to be disabled. */
export function isGivenUp({ failingSinceMs }: EndpointCircuit, nowMs: number): boolean {
  return failingSinceMs !== null && nowMs - failingSinceMs >= LIMITS.webhookDisableAfterMs;
}

function pauseAfter(failures: number): number {
  const beyond = failures - LIMITS.webhookCircuitFailures;
  return beyond < 0 ? 0 : Math.min(LIMITS.webhookFirstPauseMs * 2 ** beyond, LIMITS.webhookLastPauseMs);
}

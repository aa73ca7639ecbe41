import { LIMITS } from '../../schema/limits.ts';
import { sleep, systemClock } from '../runtime/clock.ts';
import { DeadlineError, withDeadline } from '../runtime/deadline.ts';
import { isStoreAway } from './postgres.ts';

/** Sends a statement that must not run twice. Rejects with DeadlineError when it takes longer than `deadlineMs`. */
export function once<T>(
  statement: PromiseLike<T> | { execute(): Promise<T> },
  what: string,
  deadlineMs: number = LIMITS.readDeadlineMs,
): Promise<T> {
  return withDeadline('execute' in statement ? statement.execute() : Promise.resolve(statement), deadlineMs, what);
}

/** SQLSTATE of a statement that took longer than its connection allows. It would take as long again. */
const TOOK_TOO_LONG = '57014';

/**
 * Sends a statement that may run twice. Retries a lost connection on another one, but begins nothing after the deadline:
 * the caller has its refusal then. Rejects with the last error, or with DeadlineError when the attempts together take
 * longer than `deadlineMs`.
 */
export function retried<T>(ask: () => PromiseLike<T>, deadlineMs: number, what: string): Promise<T> {
  const giveUpAt = systemClock.monotonic() + deadlineMs;
  return withDeadline(attempt(ask, 1, giveUpAt), deadlineMs, what);
}

async function attempt<T>(ask: () => PromiseLike<T>, count: number, giveUpAt: number): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (count === LIMITS.statementAttempts || !isLost(error)) throw error;
    await sleep(count * LIMITS.statementPauseMs);
    if (systemClock.monotonic() >= giveUpAt) throw error;
    return attempt(ask, count + 1, giveUpAt);
  }
}

/** Whether another connection may serve better. */
function isLost(error: unknown): boolean {
  const isTooSlow = error instanceof DeadlineError || (error as { code?: unknown }).code === TOOK_TOO_LONG;
  return !isTooSlow && isStoreAway(error);
}

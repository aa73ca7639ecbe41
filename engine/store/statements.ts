import { LIMITS } from '../../schema/limits.ts';
import { sleep } from '../runtime/clock.ts';
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

/**
 * Sends a statement that may run twice. Retries a lost connection on another one. Rejects with the last error, or with
 * DeadlineError when the attempts together take longer than `deadlineMs`.
 */
export function retried<T>(ask: () => PromiseLike<T>, deadlineMs: number, what: string): Promise<T> {
  return withDeadline(attempt(ask, 1), deadlineMs, what);
}

async function attempt<T>(ask: () => PromiseLike<T>, count: number): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (count === LIMITS.statementAttempts || error instanceof DeadlineError || !isStoreAway(error)) throw error;
    await sleep(count * LIMITS.statementPauseMs);
    return attempt(ask, count + 1);
  }
}

import { sleep } from '../runtime/clock.ts';
import { DeadlineError, withDeadline } from '../runtime/deadline.ts';
import { isStoreAway } from './postgres.ts';

const ATTEMPTS = 4;
const PAUSE_MS = 25;

/**
 * Asks Postgres for something that may be asked twice. A lost connection is tried again on another one; rejects with
 * the last error, or with DeadlineError when all of it takes longer than `deadlineMs`.
 */
export function read<T>(ask: () => PromiseLike<T>, deadlineMs: number, what: string): Promise<T> {
  return withDeadline(attempt(ask, 1), deadlineMs, what);
}

async function attempt<T>(ask: () => PromiseLike<T>, count: number): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (count === ATTEMPTS || error instanceof DeadlineError || !isStoreAway(error)) throw error;
    await sleep(count * PAUSE_MS);
    return attempt(ask, count + 1);
  }
}

import type { Clock } from '../engine/runtime/clock.ts';
import type { Log } from '../engine/runtime/log.ts';
import type { Redis } from '../engine/store/redis.ts';
import { LIMITS } from '../schema/limits.ts';

/**
 * Logs the errors of a queue, or of its worker: the first one with its stack, then at most one each
 * LIMITS.queueTroubleMs, since BullMQ has one at every attempt. Connections log their coming and going themselves, or
 * startJobWorker does, once.
 */
export function createTroubleLog(redis: Redis, queue: string, clock: Clock, log: Log): (error: Error) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let stacked: string | undefined;
  let leftOut = 0;
  return (error) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (redis.status !== 'ready' || /^E[A-Z]+$/.test(code) || error.message === 'Connection is closed.') return;
    if (clock.monotonic() < quietUntil) {
      leftOut += 1;
      return;
    }
    const detail = stacked === error.message ? { reason: error.message } : { err: error };
    log.warn({ queue, ...detail, leftOut }, 'a queue has trouble');
    quietUntil = clock.monotonic() + LIMITS.queueTroubleMs;
    stacked = error.message;
    leftOut = 0;
  };
}

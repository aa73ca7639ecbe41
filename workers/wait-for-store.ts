import { sleep } from '../engine/runtime/clock.ts';
import { ConfigError } from '../engine/runtime/config.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createOutage } from '../engine/runtime/outage.ts';
import { LIMITS } from '../schema/limits.ts';

/**
 * Asks a store until it answers: a process that starts before its stores, or after their crash, waits for them instead
 * of dying over and over. Rejects when `signal` calls the wait off, and with a ConfigError, which waiting does not mend.
 */
export async function waitForStore<T>(what: string, ask: () => Promise<T>, log: Log, signal: AbortSignal): Promise<T> {
  const outage = createOutage(log, what);
  for (;;) {
    signal.throwIfAborted();
    try {
      const answer = await ask();
      outage.worked();
      return answer;
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      outage.failed(error);
    }
    await sleep(LIMITS.storeRetryMs);
  }
}

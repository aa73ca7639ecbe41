import type { Scheduler } from '../../../engine/runtime/clock.ts';
import type { Log } from '../../../engine/runtime/log.ts';
import { createOutage } from '../../../engine/runtime/outage.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { CourierProvider } from './courier-provider.ts';

export interface CompanyNews {
  /** Resolves when the round of news under way has ended. */
  stop(): Promise<void>;
}

/**
 * Tells a courier company which of its tasks it is not to carry out: those that were cancelled or taken from it, and
 * those that it was asked for by a process which died before it knew. Nothing is remembered here: what is not told now is
 * found by the next look, in this process or in another.
 */
export function startTellingCompanies(
  provider: Pick<CourierProvider, 'findCalledOff' | 'withdraw'>,
  scheduler: Scheduler,
  log: Log,
): CompanyNews {
  const outage = createOutage(log, 'telling a courier company what was called off');
  let telling: Promise<void> | undefined;
  let isStopped = false;

  async function tell(): Promise<void> {
    try {
      for (const { organizationId, taskIds } of await provider.findCalledOff()) {
        if (isStopped) return;
        await provider.withdraw(organizationId, taskIds);
        log.info({ organizationId, taskIds }, 'couriers were called off');
      }
      outage.worked();
    } catch (error) {
      if (!isStopped) outage.failed(error);
    }
  }

  const stopTelling = scheduler.every(LIMITS.courierNewsMs, () => {
    telling ??= tell().finally(() => {
      telling = undefined;
    });
  });
  return {
    async stop() {
      isStopped = true;
      stopTelling();
      await telling;
    },
  };
}

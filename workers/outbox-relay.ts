import type { Scheduler } from '../engine/runtime/clock.ts';
import type { Log } from '../engine/runtime/log.ts';
import type { LagPage } from '../engine/store/relay-store.ts';
import { LIMITS } from '../schema/limits.ts';
import { createOutage } from './outage.ts';

export interface OutboxRelayOptions {
  /** Compares the organizations after an id with the heads. */
  readonly findLagging: (after: number, limit: number) => Promise<LagPage>;
  /** Wakes whoever works off these organizations' logs; waking twice is harmless. Rejects while Redis is away. */
  readonly wake: (organizationIds: readonly number[]) => Promise<void>;
  /** Who is in no hurry lets hints gather for so long. */
  readonly gatherMs?: number;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

export interface OutboxRelay {
  /** A message of the hint channel: ids of organizations that have just committed something. */
  hint(message: string): void;
  stop(): void;
}

/**
 * Sees to it that every committed event gets its consumer's attention. Hints make it quick, the comparison of positions
 * with heads makes it sure: there is no cursor over all events to fall behind or to skip, and nothing is remembered
 * here or in Redis that the next comparison would not find again.
 *
 * States: idle → (organizations wait) → waking → waking | idle. While it is waking, organizations gather; a failure
 * forgets them all, for the next sweep to find.
 */
export function startOutboxRelay({ findLagging, wake, gatherMs, scheduler, log }: OutboxRelayOptions): OutboxRelay {
  const comparing = createOutage(log, 'comparing positions with the heads');
  const waking = createOutage(log, 'waking the followers of the logs');
  const waiting = new Set<number>();
  let isWaking = false;
  let isSweeping = false;
  let isStopped = false;
  let sweptUpTo = 0;

  function enlist(organizationIds: readonly number[]): void {
    for (const organizationId of organizationIds) {
      if (waiting.size >= LIMITS.relayedOrganizations) return;
      waiting.add(organizationId);
    }
  }

  async function wakeWaiting(): Promise<void> {
    if (isWaking) return;
    isWaking = true;
    try {
      while (waiting.size > 0 && !isStopped) {
        const organizationIds = [...waiting].slice(0, LIMITS.jobsPerAdd);
        for (const organizationId of organizationIds) waiting.delete(organizationId);
        await wake(organizationIds);
        waking.worked();
      }
    } catch (error) {
      waiting.clear();
      if (!isStopped) waking.failed(error);
    } finally {
      isWaking = false;
    }
  }

  async function sweep(): Promise<void> {
    if (isSweeping) return;
    isSweeping = true;
    try {
      const { lagging, next } = await findLagging(sweptUpTo, LIMITS.organizationsPerSweep);
      sweptUpTo = next ?? 0;
      comparing.worked();
      enlist(lagging);
      await wakeWaiting();
    } catch (error) {
      if (!isStopped) comparing.failed(error);
    } finally {
      isSweeping = false;
    }
  }

  const wakeSoon = gathering(() => void wakeWaiting(), gatherMs, scheduler);
  void sweep();
  const stopSweeping = scheduler.every(LIMITS.relaySweepMs, () => void sweep());
  return {
    hint(message) {
      const organizationIds = parseHint(message);
      if (!organizationIds) log.warn('a hint that names no organizations was ignored');
      enlist(organizationIds ?? []);
      wakeSoon();
    },
    stop() {
      isStopped = true;
      stopSweeping();
    },
  };
}

/** Calls of what is returned that come within `gatherMs` are one; without it each is one of its own, at once. */
function gathering(act: () => void, gatherMs: number | undefined, scheduler: Scheduler): () => void {
  if (gatherMs === undefined) return act;
  let isGathering = false;
  return () => {
    if (isGathering) return;
    isGathering = true;
    scheduler.after(gatherMs, () => {
      isGathering = false;
      act();
    });
  };
}

/** `3,17,4` as ids; undefined for anything else. */
export function parseHint(message: string): number[] | undefined {
  return /^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/.test(message) ? message.split(',').map(Number) : undefined;
}

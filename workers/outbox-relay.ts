import type { Scheduler } from '../engine/runtime/clock.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createOutage } from '../engine/runtime/outage.ts';
import type { LagPage } from '../engine/store/log/relay-store.ts';
import { LIMITS } from '../schema/limits.ts';

export interface OutboxRelayOptions {
  /** Compares the organizations after an id with the heads. */
  readonly findLagging: (after: number, limit: number) => Promise<LagPage>;
  /**
   * Wakes the consumers of these organizations' logs; waking twice is harmless. Rejects while Redis is away.
   * Organizations without consumers may be passed over: hints of them count as lost until the next comparison has
   * ended.
   */
  readonly wake: (organizationIds: readonly number[], passOver: PassOver) => Promise<void>;
  /** How long a consumer in no hurry lets hints gather. */
  readonly gatherMs?: number;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

export type PassOver = (organizationIds: readonly number[]) => void;

export interface OutboxRelay {
  /** A message of the hint channel: ids of organizations that have just committed something. */
  hint(message: string): void;
  stop(): void;
}

/**
 * Sees to it that every committed event gets its consumer's attention. Hints make it quick, the comparison of positions
 * with heads makes it sure: there is no cursor over all events to fall behind or to skip, and nothing is remembered
 * here or in Redis that the next comparison would not find again. Of which organizations nobody wants anything is
 * remembered from one comparison to the next, so that a busy one without a follower costs one look in that time.
 *
 * States: idle → (organizations wait) → waking → waking | idle. While it is waking, organizations gather; a failure
 * forgets them all, for the next sweep to find.
 */
export function startOutboxRelay({ findLagging, wake, gatherMs, scheduler, log }: OutboxRelayOptions): OutboxRelay {
  const comparing = createOutage(log, 'comparing positions with the heads');
  const waking = createOutage(log, 'waking the followers of the logs');
  const waiting = createWaitingList();
  let isWaking = false;
  let isSweeping = false;
  let isStopped = false;
  let sweptUpTo = 0;

  async function wakeWaiting(): Promise<void> {
    if (isWaking) return;
    isWaking = true;
    try {
      for (let taken = waiting.take(); taken.length > 0 && !isStopped; taken = waiting.take()) {
        await wake(taken, waiting.passOver());
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
      waiting.add(lagging);
    } catch (error) {
      if (!isStopped) comparing.failed(error);
    } finally {
      isSweeping = false;
      waiting.forgetPassedOver();
    }
    // Not waited for: under constant hints waking has no end, and comparisons have to go on.
    void wakeWaiting();
  }

  const wakeSoon = gathering(() => void wakeWaiting(), gatherMs, scheduler);
  void sweep();
  const stopSweeping = scheduler.every(LIMITS.relaySweepMs, () => void sweep());
  return {
    hint(message) {
      const organizationIds = parseHint(message);
      if (!organizationIds) log.warn('a hint that names no organizations was ignored');
      waiting.add(organizationIds ?? []);
      wakeSoon();
    },
    stop() {
      isStopped = true;
      stopSweeping();
    },
  };
}

/** Organizations that wait to be woken, and those of which nobody wants anything, both bounded. */
function createWaitingList() {
  const waiting = new Set<number>();
  let passedOver = new Set<number>();
  return {
    add(organizationIds: readonly number[]): void {
      addBounded(waiting, organizationIds);
    },
    /** The next ones to be woken, without those that are passed over. */
    take(): number[] {
      const taken: number[] = [];
      for (const organizationId of waiting) {
        if (taken.length === LIMITS.jobsPerAdd) break;
        waiting.delete(organizationId);
        if (!passedOver.has(organizationId)) taken.push(organizationId);
      }
      return taken;
    },
    /** For what is asked from now on: what it finds counts for nothing once passed-over ones were forgotten. */
    passOver(): PassOver {
      const found = passedOver;
      return (organizationIds) => addBounded(found, organizationIds);
    },
    forgetPassedOver(): void {
      passedOver = new Set();
    },
    clear: () => waiting.clear(),
  };
}

function addBounded(ids: Set<number>, added: readonly number[]): void {
  for (const id of added) {
    if (ids.size >= LIMITS.relayedOrganizations) return;
    ids.add(id);
  }
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

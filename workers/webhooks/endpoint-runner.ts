import type { Scheduler } from '../../engine/runtime/clock.ts';
import { withDeadline } from '../../engine/runtime/deadline.ts';
import type { EndpointKey, FollowerStore } from '../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import { EndpointFollower, type FollowerOptions, LeaseLostError } from './endpoint-follower.ts';

export interface EndpointRunnerOptions extends FollowerOptions {
  readonly followers: Pick<FollowerStore, 'lease' | 'release'>;
  readonly scheduler: Scheduler;
}

interface Served {
  follower: EndpointFollower | undefined;
  /** Something may have come for it since it last looked. */
  isNudged: boolean;
  wake: () => void;
}

/**
 * The endpoints that this process serves, each by a job of its own: a hanging one holds up no other.
 * States of an endpoint: unknown → serving (rounds follow each other) ⇄ lingering (nothing to do, for a moment) → gone.
 */
export class EndpointRunner {
  readonly #options: EndpointRunnerOptions;
  readonly #served = new Map<string, Served>();
  /** When this process ceased to serve an endpoint, on the monotonic clock: its job may not have ended quite yet. */
  readonly #left = new Map<string, number>();
  /** Endpoints that a store has failed for, and until when they are left alone, on the monotonic clock. */
  readonly #restingUntil = new Map<string, number>();
  readonly #cancelRenewal: () => void;

  constructor(options: EndpointRunnerOptions) {
    this.#options = options;
    this.#cancelRenewal = options.scheduler.every(LIMITS.webhookLeaseMs / 3, () => {
      for (const { follower } of this.#served.values()) follower?.renew();
      for (const [name] of this.#left) if (!this.#hasJustLeft(name)) this.#left.delete(name);
      for (const [name, until] of this.#restingUntil)
        if (options.clock.monotonic() >= until) this.#restingUntil.delete(name);
    });
  }

  /** Works off what there is for an endpoint, unless somebody is at it. Rejects when a store is away. */
  async serve(key: EndpointKey, signal: AbortSignal): Promise<void> {
    const name = nameOf(key);
    const other = this.#served.get(name);
    if (other) return nudge(other);
    if (this.#options.clock.monotonic() < (this.#restingUntil.get(name) ?? 0)) return;
    const served: Served = { follower: undefined, isNudged: false, wake: () => {} };
    this.#served.set(name, served);
    const onStop = () => nudge(served);
    signal.addEventListener('abort', onStop);
    try {
      await this.#follow(key, served, signal);
    } catch (error) {
      this.#restingUntil.set(name, this.#options.clock.monotonic() + LIMITS.webhookErrorPauseMs);
      throw error;
    } finally {
      signal.removeEventListener('abort', onStop);
      this.#served.delete(name);
      this.#left.set(name, this.#options.clock.monotonic());
    }
  }

  /** Something may have come for these endpoints; returns those that nobody here serves. */
  nudge(keys: readonly EndpointKey[]): EndpointKey[] {
    return keys.filter((key) => {
      const served = this.#served.get(nameOf(key));
      if (served) nudge(served);
      return !served;
    });
  }

  /** Those of these endpoints whose job may still be ending: until then BullMQ ignores a new job with the same id. */
  justLeft(keys: readonly EndpointKey[]): EndpointKey[] {
    return keys.filter((key) => this.#hasJustLeft(nameOf(key)));
  }

  #hasJustLeft(name: string): boolean {
    const leftAt = this.#left.get(name);
    return leftAt !== undefined && this.#options.clock.monotonic() - leftAt < LIMITS.webhookJobEndMs;
  }

  get size(): number {
    return this.#served.size;
  }

  stop(): void {
    this.#cancelRenewal();
  }

  /** Others may be waiting for a place. */
  get #isFull(): boolean {
    return this.#served.size >= LIMITS.webhooksAtOnce;
  }

  async #follow(key: EndpointKey, served: Served, signal: AbortSignal): Promise<void> {
    const { followers, lease, clock } = this.#options;
    const begunAt = clock.monotonic();
    let leasedAt = begunAt;
    const endpoint = await followers.lease(key, lease);
    if (!endpoint) return;
    const follower = new EndpointFollower(endpoint, leasedAt, this.#options);
    served.follower = follower;
    try {
      for (;;) {
        served.isNudged = false;
        const hasWorked = await this.#round(follower, signal);
        if (signal.aborted || (!hasWorked && !(await this.#linger(served)))) return;
        if (this.#isFull && clock.monotonic() - begunAt > LIMITS.webhookTurnMs) return;
        if (clock.monotonic() - leasedAt < LIMITS.webhookRefreshMs) continue;
        // It may have been changed, or be gone.
        leasedAt = clock.monotonic();
        const refreshed = await followers.lease(key, lease);
        if (!refreshed) return;
        follower.refresh(refreshed, leasedAt);
      }
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
      this.#options.log.warn(
        { ...key },
        'another process has taken a webhook over, or a change of it has ended its lease',
      );
    } finally {
      // Rows that were written after the next lease would look like that lease's.
      await follower.ended();
      served.follower = undefined;
      await this.#release(key);
    }
  }

  /** A round that the stop of the process may cut short. */
  async #round(follower: EndpointFollower, signal: AbortSignal): Promise<boolean> {
    const drain = () => {
      const drained = follower.finish();
      withDeadline(drained, LIMITS.webhookDrainMs, 'finishing attempts').catch(() => follower.giveUp());
    };
    if (signal.aborted) return false;
    signal.addEventListener('abort', drain, { once: true });
    try {
      return await follower.round();
    } finally {
      signal.removeEventListener('abort', drain);
    }
  }

  /** Waits a moment for more; false when nothing came. */
  async #linger(served: Served): Promise<boolean> {
    if (!served.isNudged) {
      await new Promise<void>((resolve) => {
        const cancel = this.#options.scheduler.after(LIMITS.webhookLingerMs, resolve);
        served.wake = () => {
          cancel();
          resolve();
        };
      });
      served.wake = () => {};
    }
    return served.isNudged;
  }

  /** A lease that cannot be given back runs out by itself. */
  async #release(key: EndpointKey): Promise<void> {
    const { followers, lease, log } = this.#options;
    await followers.release(key, lease).catch((error) => log.warn({ err: error, ...key }, 'a lease has to run out'));
  }
}

function nudge(served: Served): void {
  served.isNudged = true;
  served.wake();
}

/** Two wake-ups for one endpoint are one job. */
export function nameOf({ organizationId, webhookId }: EndpointKey): string {
  return `${organizationId}-${webhookId}`;
}

import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Identity } from '../route.ts';
import { networkOf } from './network-of.ts';
import { DEFAULT_RATE, type Draw, RateLimiter } from './rate-limiter.ts';

export type { Draw };

/** The rate limits of docs/contract.md §1. */
export interface Quotas {
  /** Takes 1 from a channel's or user's bucket. */
  draw(identity: Identity): Draw;
  /** The same for a request that nobody stands behind, by its client's network. */
  drawAddress(address: string | null): Draw;
  /** Takes more, later and without refusing: what comes next pays for it. Returns the headers for what is left now. */
  owe(identity: Identity, cost: number): Draw['headers'];
}

/** The largest integer of a structured field. */
const ENDLESS = 999_999_999_999_999;
const UNLIMITED: Draw = {
  headers: [
    ['RateLimit-Policy', `"unlimited";q=${ENDLESS};w=1`],
    ['RateLimit', `"unlimited";r=${ENDLESS}`],
  ],
  retryAfterSeconds: null,
};

/** Callers and addresses have buckets apart, so that strangers, however many, cost no caller its own. */
export function startQuotas(clock: Clock, scheduler: Scheduler): Quotas & { stop(): void } {
  const callers = new RateLimiter<number>('requests', clock);
  const addresses = new RateLimiter<string>('address', clock);
  const stop = scheduler.every(LIMITS.rateSweepMs, () => {
    callers.sweep();
    addresses.sweep();
  });
  return {
    draw(identity) {
      const perSecond = identity.rateLimit ?? DEFAULT_RATE;
      return perSecond === 0 ? UNLIMITED : callers.draw(keyOf(identity), perSecond);
    },
    drawAddress: (address) => addresses.draw(networkOf(address ?? ''), DEFAULT_RATE),
    owe(identity, cost) {
      const perSecond = identity.rateLimit ?? DEFAULT_RATE;
      return perSecond === 0 ? UNLIMITED.headers : callers.owe(keyOf(identity), perSecond, cost);
    },
    stop,
  };
}

/** Channels and users, each with their own ids, as one kind of number. */
function keyOf({ caller }: Identity): number {
  return caller.type === 'user' ? -caller.id! : caller.id!;
}

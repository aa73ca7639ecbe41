import type { Clock } from '../../engine/runtime/clock.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Header } from '../http/port.ts';

/** The result of one request's draw on its caller's rate limit. */
export interface Draw {
  /** RateLimit-Policy and RateLimit, for the answer. */
  readonly headers: readonly Header[];
  /** Whole seconds until it would be let through; null when it is. */
  readonly retryAfterSeconds: number | null;
}

export const DEFAULT_RATE = LIMITS.requestsPerSecond;

/** A bucket holds what flows into it in this time. */
const BURST_SECONDS = LIMITS.requestBurst / LIMITS.requestsPerSecond;
/** The possible sum of rounding errors; far less than one request. */
const ROUNDING = 1e-6;

interface Policy {
  readonly perSecond: number;
  readonly burst: number;
  readonly header: Header;
}

interface Bucket {
  readonly policy: Policy;
  /** Requests taken and not yet flown back in; above the burst when more was owed. */
  used: number;
  /** The moment of `used`, on the monotonic clock. */
  at: number;
}

/**
 * Token buckets, one for each caller, refilled evenly: a caller within its rate is never refused, regardless of others.
 * Callers with full buckets are forgotten; past `rateLimitedCallers` the first one is.
 */
export class RateLimiter<Key> {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #buckets = new Map<Key, Bucket>();
  readonly #policies = new Map<number, Policy>();

  /** @param name of the policy, as the headers call it. */
  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Takes 1, unless that is more than there is. A caller whose rate has changed begins with a full bucket. */
  draw(key: Key, perSecond: number): Draw {
    const bucket = this.#bucketOf(key, perSecond);
    const { burst } = bucket.policy;
    const isAllowed = bucket.used + 1 <= burst + ROUNDING;
    if (isAllowed) bucket.used += 1;
    return {
      headers: this.#headersOf(bucket),
      retryAfterSeconds: isAllowed ? null : Math.max(1, Math.ceil((bucket.used + 1 - burst) / perSecond - ROUNDING)),
    };
  }

  /** Takes more than there may be: what comes next pays for it. Returns the headers for what is left now. */
  owe(key: Key, perSecond: number, cost: number): Draw['headers'] {
    const bucket = this.#bucketOf(key, perSecond);
    bucket.used += cost;
    return this.#headersOf(bucket);
  }

  /** Forgets the callers whose buckets are full. */
  sweep(): void {
    const now = this.#clock.monotonic();
    for (const [key, bucket] of this.#buckets) {
      if (usedAt(now, bucket) === 0) this.#buckets.delete(key);
    }
  }

  #headersOf({ used, policy: { perSecond, burst, header } }: Bucket): Draw['headers'] {
    const remaining = Math.max(0, Math.floor(burst - used + ROUNDING));
    const resetSeconds = Math.ceil(used / perSecond - ROUNDING);
    return [header, ['RateLimit', `"${this.#name}";r=${remaining};t=${resetSeconds}`]];
  }

  #bucketOf(key: Key, perSecond: number): Bucket {
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(key);
    if (known !== undefined && known.policy.perSecond === perSecond) {
      known.used = usedAt(now, known);
      known.at = now;
      return known;
    }
    if (known === undefined && this.#buckets.size >= LIMITS.rateLimitedCallers) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest!);
    }
    const bucket: Bucket = { policy: this.#policyOf(perSecond), used: 0, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #policyOf(perSecond: number): Policy {
    const known = this.#policies.get(perSecond);
    if (known) return known;
    if (this.#policies.size >= LIMITS.ratePolicies) this.#policies.clear();
    const burst = perSecond * BURST_SECONDS;
    const policy: Policy = {
      perSecond,
      burst,
      header: ['RateLimit-Policy', `"${this.#name}";q=${burst};w=${BURST_SECONDS}`],
    };
    this.#policies.set(perSecond, policy);
    return policy;
  }
}

function usedAt(now: number, { used, at, policy }: Bucket): number {
  return Math.max(0, used - ((now - at) * policy.perSecond) / 1_000);
}

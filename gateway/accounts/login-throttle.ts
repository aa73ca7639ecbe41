import type { Clock } from '../../engine/runtime/clock.ts';
import { LIMITS } from '../../schema/limits.ts';
import { networkOf } from '../guards/network-of.ts';

/** One attempt that the throttle let through. */
export interface Attempt {
  /** Takes it back: it was no failure. */
  forgive(): void;
}

/**
 * How often somebody may fail: per account and address, and per address alone. Nobody is locked out by what others do
 * elsewhere. An attempt counts as a failure until it is forgiven, so that many at once do not slip through together.
 */
export class LoginThrottle {
  readonly #byAccount: Buckets;
  readonly #byAddress: Buckets;

  constructor(clock: Clock) {
    this.#byAccount = new Buckets(LIMITS.loginFailuresPerMinute, clock);
    this.#byAddress = new Buckets(LIMITS.addressFailuresPerMinute, clock);
  }

  /** The attempt, or the seconds until there may be another one. */
  draw(email: string, address: string | null): Attempt | { readonly retryAfterSeconds: number } {
    const network = address === null ? '' : networkOf(address);
    const account = `${email.toLowerCase()} ${network}`;
    const waitMs = Math.max(this.#byAccount.waitMs(account), this.#byAddress.waitMs(network));
    if (waitMs > 0) return { retryAfterSeconds: Math.ceil(waitMs / 1_000) };
    this.#byAccount.take(account);
    this.#byAddress.take(network);
    return {
      forgive: () => {
        this.#byAccount.giveBack(account);
        this.#byAddress.giveBack(network);
      },
    };
  }
}

/**
 * Token buckets by the generic cell rate algorithm: of each it is enough to know when it will be full. The least recently
 * used ones leave first; of those that matter none does before so many others were drawn on.
 */
class Buckets {
  readonly #fullAt = new Map<string, number>();
  readonly #clock: Clock;
  readonly #tokenMs: number;
  readonly #slackMs: number;

  constructor(perMinute: number, clock: Clock) {
    this.#clock = clock;
    this.#tokenMs = 60_000 / perMinute;
    this.#slackMs = 60_000 - this.#tokenMs;
  }

  /** Milliseconds until there is a token; 0 when there is one. */
  waitMs(key: string): number {
    return Math.max(0, (this.#fullAt.get(key) ?? 0) - this.#clock.monotonic() - this.#slackMs);
  }

  take(key: string): void {
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, this.#clock.monotonic());
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt + this.#tokenMs);
    if (this.#fullAt.size > LIMITS.throttledLogins) this.#fullAt.delete(this.#fullAt.keys().next().value!);
  }

  giveBack(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#tokenMs);
  }
}

import type { Header } from '../http/port.ts';
import type { Identity } from '../route.ts';

/** What one request took from its caller's rate limit. */
export interface Draw {
  /** RateLimit-Policy and RateLimit, for the answer. */
  readonly headers: readonly Header[];
  /** Seconds until it would be let through; null when it is. */
  readonly retryAfterSeconds: number | null;
}

/** The rate limits of decisions.md §1. */
export interface Quotas {
  /** Takes 1 from a channel's or user's bucket. */
  draw(identity: Identity): Draw;
  /** The same for a request that nobody stands behind, by its client's address. */
  drawAddress(address: string | null): Draw;
  /** Takes more, later and without refusing: what comes next pays for it. */
  owe(identity: Identity, cost: number): void;
}

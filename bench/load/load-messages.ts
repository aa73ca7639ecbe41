import { LIMITS } from '../../schema/limits.ts';

/**
 * Servers close a connection after a bounded number of requests; the generator closes it a little earlier, without
 * losing any. autocannon does not report the answer at which it closes.
 */
export const RECONNECT_AFTER = LIMITS.requestsPerConnection - 1_000;

/** The bench's order for the generator. */
export interface LoadOrder {
  readonly load: string;
  readonly tasksPerRequest: number;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly seed: number;
}

/** The generator's results. Times are in milliseconds. */
export interface LoadOutcome {
  /** Answers inside the measured window. */
  readonly operations: number;
  readonly windowMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Over the whole run, warm-up included: answers by status, and what should never happen. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly wrongBodies: number;
  readonly firstWrongBody: string | undefined;
}

/**
 * `ready`, where the order takes preparation, when that is done. The window's two ends are sent the moment they come,
 * so that CPU is read then; the results follow.
 */
export type GeneratorMessage<Outcome> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'window'; readonly edge: 'start' | 'end' }
  | { readonly kind: 'measured'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly reason: string };

import type { Log } from '../engine/runtime/log.ts';

/** Nothing was tried, since Redis is away: its connection has told of that. */
export class RedisAwayError extends Error {}

/** Tells of something that is tried over and over when it begins to fail and when it works again, not in between. */
export interface Outage {
  failed(error: unknown): void;
  worked(): void;
}

/** `what` is what is tried: "comparing positions". */
export function createOutage(log: Log, what: string): Outage {
  let isOut = false;
  return {
    failed(error) {
      if (error instanceof RedisAwayError) return;
      if (!isOut) log.warn({ err: error }, `${what} fails; trying on`);
      isOut = true;
    },
    worked() {
      if (isOut) log.info(`${what} works again`);
      isOut = false;
    },
  };
}

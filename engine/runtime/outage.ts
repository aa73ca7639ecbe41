import type { Log } from './log.ts';

/** No attempt was made, because Redis is away. The connection itself has reported that. */
export class RedisAwayError extends Error {}

/** Logs repeated work once when it begins to fail, and once when it works again. */
export interface Outage {
  failed(error: unknown): void;
  worked(): void;
}

/** `what` names the work: "comparing positions". */
export function createOutage(log: Log, what: string): Outage {
  let isOut = false;
  return {
    failed(error) {
      if (error instanceof RedisAwayError) return;
      if (!isOut) log.warn({ err: error }, `${what} fails; retrying`);
      isOut = true;
    },
    worked() {
      if (isOut) log.info(`${what} works again`);
      isOut = false;
    },
  };
}

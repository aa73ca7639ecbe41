import type { Clock } from '../engine/runtime/clock.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createOutage } from '../engine/runtime/outage.ts';
import { type RelayLag, readRelayLag } from '../engine/store/log/relay-lag.ts';
import type { Sql } from '../engine/store/postgres.ts';
import { readWebhookBacklog, type WebhookBacklog } from '../engine/store/webhooks/webhook-backlog.ts';
import { LIMITS } from '../schema/limits.ts';

export interface BacklogSample {
  readonly relays: readonly RelayLag[];
  readonly webhooks: WebhookBacklog;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The work that waits in Postgres, as it was at the last look. */
export interface Backlog {
  /** Undefined before the first look. */
  readonly latest: BacklogSample | undefined;
  /** Has it looked at soon, unless that was a moment ago. Never waits and never throws. */
  look(): void;
}

/** Looks when it is asked to: without a scrape Postgres is not asked. */
export function createBacklog(sql: Sql, clock: Clock, log: Log): Backlog {
  const outage = createOutage(log, 'measuring what waits');
  let latest: BacklogSample | undefined;
  let looking: Promise<void> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function sample(): Promise<void> {
    try {
      const [relays, webhooks] = await Promise.all([readRelayLag(sql), readWebhookBacklog(sql)]);
      latest = { relays, webhooks, at: clock.now() };
      outage.worked();
    } catch (error) {
      outage.failed(error);
    }
  }

  return {
    get latest() {
      return latest;
    },
    look() {
      if (looking || clock.monotonic() - lookedAt < LIMITS.backlogLookMs) return;
      lookedAt = clock.monotonic();
      looking = sample().finally(() => {
        looking = undefined;
      });
    },
  };
}

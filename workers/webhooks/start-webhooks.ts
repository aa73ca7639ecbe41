import { systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../../engine/runtime/config.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { drawFraction, type RandomSource } from '../../engine/runtime/random.ts';
import type { SecretBox } from '../../engine/runtime/secret-box.ts';
import { createLogStore } from '../../engine/store/log/event-log-store.ts';
import type { PositionStore } from '../../engine/store/positions/position-store.ts';
import { readRoster } from '../../engine/store/positions/roster-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { createDeliveryStore } from '../../engine/store/webhooks/delivery-store.ts';
import { createFollowerStore } from '../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { JobRunner, Processors } from '../job-runner.ts';
import type { SendMail } from '../notifications/mail-transport.ts';
import type { OutboxRelay } from '../outbox-relay.ts';
import { AttemptCounts } from './attempt-counts.ts';
import { createNoticeProcessor } from './disabled-notices.ts';
import { EndpointRunner } from './endpoint-runner.ts';
import { OutcomeWriter } from './outcome-writer.ts';
import { createPositionNewsProcessor } from './position-news.ts';
import { createDeliverySender } from './send-delivery.ts';
import { startWaking } from './start-waking.ts';

export interface WebhooksOptions {
  readonly config: Config;
  readonly secretBox: SecretBox;
  /** The incarnation of the event logs. */
  readonly history: string;
  readonly positions: Pick<PositionStore, 'load'>;
  readonly sendMail: SendMail;
  readonly random: RandomSource;
  readonly log: Log;
  readonly releaser: Releaser;
}

export interface Webhooks {
  readonly counts: AttemptCounts;
  /** Endpoints that are served now. */
  readonly size: () => number;
  readonly processors: Pick<Processors, 'webhooks' | 'webhook-notices' | 'webhook-positions'>;
  /** Sees to it that endpoints are served, by jobs of this runner. */
  follow(runner: Pick<JobRunner, 'add'>): OutboxRelay;
}

const scheduler = systemScheduler;

/** Delivers webhooks: the endpoints of this process, its waking, and the mails to administrators. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { config, secretBox, history, positions, sendMail, random, log, releaser } = options;
  const clock = systemClock;
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch webhooks',
    connections: LIMITS.webhookStoreConnections,
    statementTimeoutMs: LIMITS.readDeadlineMs,
  });
  releaser.push('postgres (webhooks)', () => sql.end({ timeout: 2 }));
  const sender = createDeliverySender({ allowPrivate: config.webhookAllowPrivate, clock });
  releaser.push('webhook connections', () => sender.stop());
  const followers = createFollowerStore(sql, secretBox);
  const deliveries = createDeliveryStore(sql);
  const lease = random.uuid();
  const counts = new AttemptCounts();
  const endpoints = new EndpointRunner({
    followers,
    deliveries,
    events: createLogStore(sql),
    writer: new OutcomeWriter(deliveries, lease),
    sender,
    counts,
    lease,
    clock,
    scheduler,
    draw: () => drawFraction(random),
    log,
  });
  releaser.push('webhooks', () => endpoints.stop());
  return {
    counts,
    size: () => endpoints.size,
    processors: {
      webhooks: (key, signal) => endpoints.serve(key, signal),
      'webhook-notices': createNoticeProcessor(followers, sendMail, log),
      'webhook-positions': createPositionNewsProcessor({
        followers,
        deliveries,
        positions,
        readRoster: (organizationId) => readRoster(sql, organizationId),
        history,
        clock,
        log,
      }),
    },
    follow: (runner) => startWaking({ runner, endpoints, followers, scheduler, log }),
  };
}

import { type Scheduler, systemClock } from '../../engine/runtime/clock.ts';
import { type Config, publicUrlOf, requireUrl } from '../../engine/runtime/config.ts';
import { armFaultPoints } from '../../engine/runtime/fault-points.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { drawFraction, type RandomSource } from '../../engine/runtime/random.ts';
import type { SecretBox } from '../../engine/runtime/secret-box.ts';
import { createRelayStore } from '../../engine/store/log/relay-store.ts';
import { createNoticeFollowStore } from '../../engine/store/notifications/notice-follow-store.ts';
import { createNoticeStore } from '../../engine/store/notifications/notice-store.ts';
import { openVapidKeys } from '../../engine/store/notifications/vapid-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type OutboxRelay, startOutboxRelay } from '../outbox-relay.ts';
import type { SendMail } from './mail-transport.ts';
import { createNoticeFollower } from './notice-follower.ts';
import { type NoticeCounts, NoticeSender } from './notice-sender.ts';
import { openPushSender } from './senders/push-sender.ts';

/** Makes notices where something was committed, and sends them. */
export interface Notifications extends OutboxRelay {
  readonly counts: Readonly<NoticeCounts>;
  /** Notices that are being sent. */
  readonly size: () => number;
}

export interface NotificationsOptions {
  readonly config: Config;
  readonly secretBox: SecretBox;
  readonly sendMail: SendMail;
  readonly random: RandomSource;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly releaser: Releaser;
}

/** Tells couriers by push and customers by mail what the logs of their organizations say. Needs Postgres alone. */
export async function startNotifications(options: NotificationsOptions): Promise<Notifications> {
  const { config, secretBox, sendMail, random, scheduler, log, releaser } = options;
  const clock = systemClock;
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch notifications',
    connections: LIMITS.noticeConnections,
    statementTimeoutMs: LIMITS.readDeadlineMs,
  });
  releaser.push('postgres (notifications)', () => sql.end({ timeout: 2 }));
  const vapid = { ...(await openVapidKeys(sql, secretBox, config)), subject: config.vapidSubject };
  const pushes = openPushSender({ config, vapid, log, clock, scheduler });
  releaser.push('push senders', () => pushes.stop());
  const fault = armFaultPoints(config.faultPoint);
  const sender = new NoticeSender({
    store: createNoticeStore(sql),
    pushes,
    sendMail,
    publicUrl: publicUrlOf(config),
    fault,
    clock,
    scheduler,
    draw: () => drawFraction(random),
    log,
  });
  releaser.push('notifications', () => sender.stop());
  const relayStore = createRelayStore(sql);
  const relay = startOutboxRelay({
    findLagging: (after, limit) => relayStore.findLagging('notices', after, limit),
    wake: createNoticeFollower({ store: createNoticeFollowStore(sql), onMade: () => sender.look(), fault }),
    scheduler,
    log,
  });
  releaser.push('notices', () => relay.stop());
  return { ...relay, counts: sender.counts, size: () => sender.size };
}

import type { Clock, Scheduler } from '../../../engine/runtime/clock.ts';
import type { Config } from '../../../engine/runtime/config.ts';
import type { Log } from '../../../engine/runtime/log.ts';
import type { PushSender } from '../notice.ts';
import type { DeviceSender } from './device-sender.ts';
import { createFcmSender } from './fcm-sender.ts';
import { createWebPushSender, type VapidKeys } from './web-push-sender.ts';

interface PushSenderOptions {
  readonly config: Config;
  readonly vapid: VapidKeys;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** A certificate that push services may show instead of one of the usual authorities. */
  readonly ca?: string;
}

/** Sends to each device by its platform. Throws ConfigError for an account of FCM that cannot be used. */
export function openPushSender({ config, vapid, clock, scheduler, log, ca }: PushSenderOptions): PushSender {
  const { fcm, webhookAllowPrivate: allowPrivate } = config;
  const web = createWebPushSender({ vapid, allowPrivate, clock, scheduler, ca });
  const phones = fcm ? createFcmSender({ ...fcm, clock, scheduler, log }) : withoutFcm(log);
  return {
    send: ({ platform, token }, push, signal) => (platform === 'web' ? web : phones).send(token, push, signal),
    async stop() {
      await Promise.all([web.stop(), phones.stop()]);
    },
  };
}

/** Refuses everything, and says so in the log once. */
function withoutFcm(log: Log): DeviceSender {
  let isTold = false;
  return {
    async send() {
      if (!isTold) log.warn('phones wait for notices, but there are no FCM credentials: set FCM_SERVICE_ACCOUNT');
      isTold = true;
      return { kind: 'refused', reason: 'no FCM credentials' };
    },
    async stop() {},
  };
}

import type { TestContext } from 'node:test';
import webPush from 'web-push';
import { type Clock, systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { readConfig } from '../../../engine/runtime/config.ts';
import { createLog, type Log } from '../../../engine/runtime/log.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PushPlatform } from '../../../schema/notices/notification.ts';
import type { Push, SendOutcome } from '../../../workers/notifications/notice.ts';
import { openPushSender } from '../../../workers/notifications/senders/push-sender.ts';

export const VAPID = { subject: 'mailto:dispatch@example.com', ...webPush.generateVAPIDKeys() };

export const PUSH: Push = {
  noticeId: '7-1',
  title: 'Task T-1 was cancelled',
  body: 'Two boxes\n12 Baker Street',
  data: { noticeId: '7-1', kind: 'task_cancelled', taskId: '5', taskCode: 'T-1' },
  ttlSeconds: 600,
  urgency: 'high',
  collapseKey: 'task-5',
};

/** The error of a push service that does not answer: LIMITS.pushTimeoutMs, made shorter. */
export const TIMED_OUT = `timed out after ${LIMITS.pushTimeoutMs / 1_000} s`;
const SHORTER_MS = 300;

interface SenderSettings {
  readonly vapid?: typeof VAPID;
  /** The environment of the process. */
  readonly environment?: Record<string, string>;
  readonly ca?: string;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Whether it waits no longer than SHORTER_MS for any answer. */
  readonly isHasty?: boolean;
}

export interface SendingPlace {
  send(platform: PushPlatform, token: string, push?: Partial<Push>, signal?: AbortSignal): Promise<SendOutcome>;
  stop(): Promise<void>;
}

/** The sender as the workers have it, to services of this machine; stopped after the test. */
export function startSender(t: TestContext, settings: SenderSettings = {}): SendingPlace {
  const {
    environment = {},
    vapid = VAPID,
    ca,
    clock = systemClock,
    log = createLog('workers', 'silent'),
    isHasty,
  } = settings;
  const hasty = { ...systemScheduler, after: (_: number, task: () => void) => systemScheduler.after(SHORTER_MS, task) };
  const sender = openPushSender({
    config: readConfig({ WEBHOOK_ALLOW_PRIVATE: '1', ...environment }),
    vapid,
    clock,
    scheduler: isHasty ? hasty : systemScheduler,
    log,
    ...(ca === undefined ? {} : { ca }),
  });
  t.after(() => sender.stop());
  return {
    send: (platform, token, push = {}, signal = new AbortController().signal) =>
      sender.send({ platform, token }, { ...PUSH, ...push }, signal),
    stop: () => sender.stop(),
  };
}

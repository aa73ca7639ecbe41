import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { LeasedNotice, NoticeRoom } from '../../../engine/store/notifications/notice-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { NoticeSender } from '../../../workers/notifications/notice-sender.ts';
import { until } from '../../support/until.ts';

const SUBJECT: Omit<LeasedNotice, 'organizationId' | 'id' | 'kind' | 'channel'> = {
  attempts: 1,
  expiresAt: '2999-01-01T00:00:00.000Z',
  organizationName: 'Acme',
  organizationSettings: {},
  isOrganizationActive: true,
  agentId: 1,
  isUserActive: true,
  token: 'phone',
  platform: 'android',
  requestStatus: 'pending',
  email: 'ada@example.com',
  isMailWanted: true,
  templates: {},
  customerName: 'Ada Lovelace',
  taskId: 1,
  taskCode: 'T-1',
  taskName: 'Two boxes',
  taskStatus: 'new',
  taskAgentId: null,
  trackingToken: 'token',
  windowStart: null,
  windowEnd: null,
  etaAt: null,
  address: null,
};

/** A notice of an organization of its own. */
function dueNotice(id: number, channel: LeasedNotice['channel']): LeasedNotice {
  return {
    ...SUBJECT,
    organizationId: id,
    id,
    channel,
    kind: channel === 'push' ? 'task_offered' : 'tracking_created',
  };
}

test('mails that take long leave the room of pushes, and give back their own when they end', async () => {
  const due = [
    ...Array.from({ length: 100 }, (_, index) => dueNotice(index, 'mail')),
    ...Array.from({ length: 100 }, (_, index) => dueNotice(1_000 + index, 'push')),
  ];
  const mails: (() => void)[] = [];
  let pushed = 0;
  let mostMails = 0;
  const sender = new NoticeSender({
    store: {
      async lease(room: NoticeRoom, held) {
        mostMails = Math.max(mostMails, [...held].filter(({ channel }) => channel === 'mail').length);
        const left = { ...room };
        const leased = due.filter(({ channel }) => left[channel]-- > 0);
        for (const notice of leased) due.splice(due.indexOf(notice), 1);
        return leased;
      },
      settle: async () => {},
      postpone: async () => {},
    },
    pushes: {
      async send() {
        pushed += 1;
        return { kind: 'sent' };
      },
    },
    sendMail: () => new Promise<void>((resolve) => mails.push(resolve)),
    publicUrl: 'https://dispatch.example.com',
    fault: () => {},
    clock: systemClock,
    scheduler: systemScheduler,
    draw: () => 0.5,
    log: createLog('workers', 'silent'),
  });
  try {
    await until('all pushes are sent', () => pushed === 100);
    await until('the mails alone are left', () => sender.size === LIMITS.noticeMailsAtOnce);
    assert.equal(mails.length, LIMITS.noticeMailsAtOnce);
    mails[0]!();
    await until('one more mail goes out', () => mails.length === LIMITS.noticeMailsAtOnce + 1);
    assert.equal(mostMails, LIMITS.noticeMailsAtOnce);
  } finally {
    await until('what is left goes out', () => {
      for (const answer of mails) answer();
      return due.length === 0 && sender.size === 0;
    });
    await sender.stop();
  }
});

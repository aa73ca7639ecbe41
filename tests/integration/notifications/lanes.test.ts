import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createNoticeStore,
  type NoticeLane,
  type NoticeRoom,
} from '../../../engine/store/notifications/notice-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { NoticeChannel } from '../../../schema/notices/notification.ts';
import { planOf, rowsOf } from '../../support/system/plan-of.ts';
import { until } from '../../support/until.ts';
import { type NoticePlace, useNotices } from './notice-place.ts';

const withNotices = useNotices();

const MOST = LIMITS.noticesPerOrganizationAtOnce;

/** Creates so many tasks of which a customer is mailed. */
async function orderWithMails({ admin, api }: NoticePlace, count: number): Promise<void> {
  const reply = await admin.put('/notifications/settings', { customerMail: { created: true } });
  assert.equal(reply.status, 200, reply.text);
  const customer = { name: 'Ada Lovelace', phone: '+442079460001', email: 'ada@example.com' };
  for (let made = 0; made < count; made++) await api.createTask({ customer });
}

test('a push goes out at once while a mail server that hangs has mails of its organization, and more of them wait', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    let answerMails = () => {};
    const answer = new Promise<void>((resolve) => (answerMails = resolve));
    place.answerMails(() => answer);
    await orderWithMails(place, 2 * MOST);
    await place.follow();
    await place.whileSending(async () => {
      try {
        await until('the server has the mails', () => place.mails.length === MOST);
        await place.taskOf(courier);
        await place.follow();
        await until('the push is sent', async () => (await place.told()).includes('task_assigned sent'));
        assert.equal(place.mails.length, MOST);
      } finally {
        answerMails();
      }
      await until('all mails are sent', async () => !(await place.told()).some((notice) => notice.includes('pending')));
    });
  }));

const ROOM: NoticeRoom = { push: LIMITS.noticePushesAtOnce, mail: LIMITS.noticeMailsAtOnce };

const lanes = (count: number, lane: NoticeLane) => Array.from({ length: count }, () => lane);

/** So many of a channel as are due since then. */
async function makeDue(sql: Sql, { organizationId, channel }: NoticeLane, count: number, since: string): Promise<void> {
  const isPush = channel === 'push';
  await sql`
    INSERT INTO notifications (organization_id, id, kind, channel, task_id, user_id, push_token_id, customer_id, topic_id,
      status, due_at, expires_at)
    SELECT ${organizationId}, nextval('notification_ids'), ${isPush ? 'task_offered' : 'tracking_created'}, ${channel}, i,
      ${isPush ? 1 : null}, ${isPush ? 1 : null}, ${isPush ? null : 1}, ${isPush ? null : sql`currval('notification_ids')`},
      'pending', now() - ${since}::interval, now() + interval '1 hour' FROM generate_series(1, ${count}::int) AS i`;
}

const countOf = (notices: readonly NoticeLane[], organizationId: number, channel: NoticeChannel) =>
  notices.filter((notice) => notice.organizationId === organizationId && notice.channel === channel).length;

test('no organization waits behind the many notices of another, nor behind those that take long', () =>
  withNotices(1, async ({ sql, gateway: { organizationId } }) => {
    const mine: NoticeLane = { organizationId, channel: 'mail' };
    const other: NoticeLane = { organizationId: organizationId + 1_000, channel: 'mail' };
    const countsOf = (notices: readonly NoticeLane[]) =>
      [organizationId, other.organizationId].map((id) => countOf(notices, id, 'mail'));
    await makeDue(sql, mine, 100, '1 minute');
    await makeDue(sql, other, 3, '1 minute');
    const store = createNoticeStore(sql);
    assert.deepEqual(countsOf(await store.lease(ROOM, [])), [MOST, 3]);
    assert.equal((await store.lease(ROOM, lanes(MOST, mine))).length, 0);
    assert.equal((await store.lease(ROOM, lanes(MOST - 2, mine))).length, 2);
    await makeDue(sql, other, 20, '1 second');
    assert.deepEqual(countsOf(await store.lease({ push: 0, mail: 4 }, [])), [2, 2], 'in turn');
    assert.deepEqual(
      countsOf(await store.lease({ push: 0, mail: 2 }, lanes(2, mine))),
      [0, 2],
      'the one with less first',
    );
  }));

test('pushes and mails of one organization have room of their own', () =>
  withNotices(1, async ({ sql, gateway: { organizationId } }) => {
    const [push, mail]: NoticeLane[] = [
      { organizationId, channel: 'push' },
      { organizationId, channel: 'mail' },
    ];
    await makeDue(sql, mail!, 100, '1 minute');
    await makeDue(sql, push!, 1, '1 second');
    const store = createNoticeStore(sql);
    const leased = await store.lease(ROOM, lanes(MOST, mail!));
    assert.deepEqual([countOf(leased, organizationId, 'push'), leased.length], [1, 1]);
    await makeDue(sql, push!, 100, '1 second');
    const next = await store.lease({ push: 3, mail: 2 }, lanes(1, push!));
    assert.deepEqual([countOf(next, organizationId, 'push'), countOf(next, organizationId, 'mail')], [3, 2]);
    assert.equal((await store.lease({ push: 0, mail: 0 }, [])).length, 0);
  }));

test('a lease reads few of the notices that wait, however many mails are due before a push', () =>
  withNotices(1, async ({ sql, gateway: { organizationId } }) => {
    await makeDue(sql, { organizationId, channel: 'mail' }, 5_000, '1 minute');
    await makeDue(sql, { organizationId, channel: 'push' }, 4, '1 second');
    await sql`VACUUM (ANALYZE) notifications`;
    const rows = rowsOf(await planOf(sql, () => createNoticeStore(sql).lease({ push: 2, mail: 2 }, [])));
    assert.ok(rows <= 200, `${rows} rows`);
  }));

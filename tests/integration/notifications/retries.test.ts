import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMaintenanceStore } from '../../../engine/store/cluster/maintenance-store.ts';
import { createNoticeStore } from '../../../engine/store/notifications/notice-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { useNotices } from './notice-place.ts';

const withNotices = useNotices();

test('a notice that cannot be sent now is retried under the same id, with growing pauses, until it can', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    place.answer(() => ({ kind: 'later', reason: 'UNAVAILABLE' }));
    await place.taskOf(courier);
    const pauses: number[] = [];
    for (let tries = 1; tries <= 4; tries++) {
      await place.notify();
      const [row] = await place.sql<{ pauseMs: number; attempts: number; reason: string }[]>`
        SELECT extract(epoch FROM due_at - now())::float8 * 1000 AS pause_ms, attempts, reason FROM notifications`;
      assert.deepEqual([row!.attempts, row!.reason], [tries, 'UNAVAILABLE']);
      pauses.push(row!.pauseMs);
      await place.letPausesPass();
    }
    assert.ok(pauses[3]! > 4 * LIMITS.noticeFirstPauseMs, `${pauses}`);
    place.answer(() => ({ kind: 'sent' }));
    await place.notify();
    assert.deepEqual(await place.told(), ['task_assigned sent']);
    assert.equal(new Set(place.pushes.map(({ noticeId }) => noticeId)).size, 1);
  }));

test('a pause is as long as the service asks, and what does not fit before the end is given up with its reason', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    place.answer(() => ({ kind: 'later', afterMs: 1_800_000, reason: 'QUOTA_EXCEEDED' }));
    await place.taskOf(courier);
    await place.notify();
    const [row] = await place.sql<{ pauseMs: number }[]>`
      SELECT extract(epoch FROM due_at - now())::float8 * 1000 AS pause_ms FROM notifications`;
    assert.ok(row!.pauseMs > 1_700_000, `${row!.pauseMs}`);
    await place.sql`UPDATE notifications SET expires_at = now() + interval '10 minutes', due_at = now()`;
    await place.notify();
    const notice = (await place.notices())[0]!;
    assert.deepEqual([notice.status, notice.reason], ['failed', 'QUOTA_EXCEEDED']);
  }));

test('a refused notice is not retried', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    place.answer(() => ({ kind: 'refused', reason: 'no FCM credentials' }));
    await place.taskOf(courier);
    await place.notify();
    await place.notify();
    assert.deepEqual(await place.told(), ['task_assigned failed']);
    assert.equal(place.pushes.length, 1);
  }));

test('a sender that throws leaves its notice to the next lease, and a late outcome of the first changes nothing', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    place.answer(() => {
      throw new Error('a defect');
    });
    await place.taskOf(courier);
    await place.notify();
    const [row] = await place.sql<{ leasedMs: number }[]>`
      SELECT extract(epoch FROM due_at - now())::float8 * 1000 AS leased_ms FROM notifications`;
    assert.ok(row!.leasedMs > LIMITS.noticeLeaseMs / 2, `${row!.leasedMs}`);
    await place.letPausesPass();
    const store = createNoticeStore(place.sql);
    const [first] = await store.lease({ push: 1, mail: 0 }, []);
    await place.letPausesPass();
    const [second] = await store.lease({ push: 1, mail: 0 }, []);
    await store.settle(first!, { status: 'failed', reason: 'too late', isTokenGone: true });
    await store.postpone(first!, 1, 'too late');
    assert.deepEqual(await place.told(), ['task_assigned pending']);
    assert.equal((await place.sql`SELECT FROM push_tokens`).length, 1);
    await store.settle(second!, { status: 'sent' });
    assert.deepEqual(await place.told(), ['task_assigned sent']);
  }));

test('notices of long ago and devices that are signed out are removed, and nothing else', () =>
  withNotices(2, async (place) => {
    const [courier, out] = [place.couriers[0]!, place.couriers[1]!];
    await courier.register('phone');
    await out.register('out');
    const old = await place.taskOf(courier);
    const young = await place.taskOf(courier);
    await place.notify();
    await out.api.post('/auth/logout', {});
    await place.sql`
      UPDATE notifications SET created_at = now() - make_interval(days => ${LIMITS.noticeRetentionDays + 1})
      WHERE task_id = ${old}`;
    await createMaintenanceStore(place.sql).removeOutdated();
    assert.deepEqual(
      (await place.notices()).map(({ taskId }) => taskId),
      [young],
    );
    assert.deepEqual([...(await place.sql`SELECT token FROM push_tokens`)], [{ token: 'phone' }]);
  }));

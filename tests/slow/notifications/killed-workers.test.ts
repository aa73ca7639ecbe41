import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultPoint } from '../../../engine/runtime/fault-points.ts';
import { withWorkers } from '../../integration/notifications/services-place.ts';
import { until } from '../../support/until.ts';

const POINTS: readonly (readonly [FaultPoint, mayRepeat: boolean])[] = [
  ['before-notices-made', false],
  ['after-notices-made', false],
  ['before-notice-sent', false],
  ['after-notice-sent', true],
];
test('workers that die at any point leave each notice to the next ones: it is sent once, or twice under one id', () =>
  withWorkers(async (place) => {
    await place.register('phone', 'one');
    await place.register('tablet', 'two');
    for (const [point, mayRepeat] of POINTS) {
      const taskId = await place.taskEnRoute();
      const healthy = await place.startWorkers();
      await place.untilSettled();
      await healthy.kill();
      const dying = await place.startWorkers({ FAULT_POINT: point });
      await place.cancel(taskId);
      await dying.ended;
      // Before the next ones start: otherwise they may lose a lease while they send, and send again.
      await place.endLeases();
      const next = await place.startWorkers();
      await place.untilSettled();
      await next.kill();
      assert.deepEqual([...new Set(place.cancellationsOf(taskId))], ['one', 'two'], point);
      for (const token of ['one', 'two']) {
        const ids = place.noticesOf(taskId, token);
        assert.ok(ids.length <= (mayRepeat ? 2 : 1), `${point}: ${ids.length} times to ${token}`);
        assert.ok(ids[0] !== undefined && ids.every((id) => id === ids[0]), `${point}: ${ids} to ${token}`);
      }
      const rows = await place.sql`
        SELECT status FROM notifications WHERE task_id = ${taskId} AND kind = 'task_cancelled'`;
      assert.deepEqual([...rows], [{ status: 'sent' }, { status: 'sent' }], point);
    }
  }));

test('couriers get their notices as soon as possible while Redis or Google is away', () =>
  withWorkers(async (place) => {
    await place.register('phone', 'phone-token');
    await place.startWorkers();
    const [first, second] = [await place.taskEnRoute(), await place.taskEnRoute()];
    await place.untilSettled();
    await place.redis.stop();
    await place.cancel(first);
    await until('told without Redis', () => place.cancellationsOf(first).length === 1);
    place.fcm.behave({ error: 'UNAVAILABLE' });
    const attempts = place.fcm.attempts();
    await place.cancel(second);
    await until('tried in vain', () => place.fcm.attempts() > attempts + 1);
    place.fcm.behave('take');
    await place.untilSettled();
    assert.deepEqual(place.cancellationsOf(second), ['phone-token']);
  }));

test('a phone that Google no longer knows is forgotten, and the others get their notices', () =>
  withWorkers(async (place) => {
    await place.register('old', 'dead');
    await place.register('new', 'alive');
    place.fcm.behave({ error: 'UNREGISTERED' }, 'dead');
    await place.startWorkers();
    const taskId = await place.taskEnRoute();
    await place.cancel(taskId);
    await until('the device is forgotten', async () => {
      const rows = await place.sql<{ token: string }[]>`SELECT token FROM push_tokens`;
      return rows.length === 1 && rows[0]!.token === 'alive';
    });
    await place.untilSettled();
    assert.deepEqual(place.cancellationsOf(taskId), ['alive']);
  }));

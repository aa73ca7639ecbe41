import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTICED_TYPES } from '../../../engine/domain/outbound/notices.ts';
import { createNoticeFollowStore } from '../../../engine/store/notifications/notice-follow-store.ts';
import type { Caller } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createNoticeFollower } from '../../../workers/notifications/notice-follower.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { type Courier, type NoticePlace, useNotices } from './notice-place.ts';

const withNotices = useNotices();

const SYSTEM: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };

const tokensOf = ({ pushes }: NoticePlace) => pushes.map(({ device }) => device.token).sort();
const lastReasons = async (place: NoticePlace) => (await place.notices()).map(({ reason }) => reason);

/** A new task that looks for somebody, offered to the first courier. */
async function offer(place: NoticePlace, requestTtlSeconds = 3_600): Promise<{ taskId: number; requestId: number }> {
  const { organizationId } = place.gateway;
  const { agentId, api } = place.couriers[0]!;
  const settings = { assignment: { requestTtlSeconds } };
  await place.admin.patch(`/organizations/${organizationId}`, { settings });
  await api.put('/agents/me/duty', { onDuty: true });
  const { id: taskId } = await place.api.createTask({ autoAssign: true });
  const offers = [{ taskId, agentId, score: 1, distanceM: 800, etaSeconds: 240 }];
  await place.gateway.ask(organizationId, { kind: 'propose-offers', caller: SYSTEM, offers, lacking: [] });
  const { body } = await place.api.get<{ items: { id: number }[] }>(`/assignment-requests?taskId=${taskId}`);
  return { taskId, requestId: body.data.items[0]!.id };
}

test('a courier en route gets a cancellation on its stream and on each of its devices, urgently and once', () =>
  withNotices(2, async (place) => {
    const [courier, other] = [place.couriers[0]!, place.couriers[1]!];
    await courier.register('phone');
    await courier.register('tablet');
    await other.register('other');
    const taskId = await place.taskOf(courier, 'accepted', 'in_transit');
    const { organizationId, baseUrl } = place.gateway;
    const options = { key: courier.session, organizationId, path: '/realtime/me/events' };
    const stream = await openEventStream(baseUrl, options);
    try {
      assert.equal((await stream.next()).event, 'stream.ready');
      await place.step(taskId, 'cancelled');
      const [message] = await stream.take(1);
      assert.equal(message!.event, 'task.status_changed');
      const { data } = message!.data as unknown as { data: { task: { id: number }; previousStatus: string } };
      assert.deepEqual([data.task.id, data.previousStatus], [taskId, 'in_transit']);
    } finally {
      stream.close();
    }
    await place.notify();
    await place.notify();
    const told = place.pushes.filter(({ data }) => data['kind'] === 'task_cancelled');
    assert.deepEqual(told.map(({ device }) => device.token).sort(), ['phone', 'tablet']);
    for (const { urgency, data, ttlSeconds } of told) {
      assert.deepEqual([urgency, data['taskId']], ['high', String(taskId)]);
      assert.ok(ttlSeconds > 0 && ttlSeconds <= LIMITS.noticePatienceMs / 1_000);
    }
  }));

test('a courier gets a notice of an amendment, and of no other update', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    const taskId = await place.taskOf(courier, 'accepted');
    await courier.register('phone');
    await place.admin.post('/payments/initialize', { taskId, amount: 5 });
    await place.notify();
    assert.deepEqual(await place.told(), ['task_assigned sent']);
    assert.equal((await place.admin.post(`/tasks/${taskId}/amend`, { notes: 'say "changes":["x"]' })).status, 200);
    await place.notify();
    assert.deepEqual(await place.told(), ['task_assigned sent', 'task_amended sent']);
  }));

test("a courier gets notices of a dispatcher's changes, and not of its own", () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    const taskId = await place.taskOf(courier);
    await place.notify();
    await place.api.post(`/tasks/${taskId}/unassign`, {});
    await place.notify();
    assert.deepEqual(await place.told(), ['task_assigned sent', 'task_unassigned sent']);
    const { requestId } = await offer(place);
    await place.notify();
    await courier.api.post(`/assignment-requests/${requestId}/reject`, {});
    await place.notify();
    assert.deepEqual((await place.told()).slice(2), ['task_offered sent']);
  }));

test('an offer is pushed for as long as it is open, and dropped once it was answered or has run out', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    const first = await offer(place, 600);
    await place.notify();
    const { ttlSeconds, urgency } = place.pushes[0]!;
    assert.ok(ttlSeconds > 500 && ttlSeconds <= 600, `${ttlSeconds}`);
    assert.equal(urgency, 'high');
    await courier.api.post(`/assignment-requests/${first.requestId}/accept`, {});
    const second = await offer(place, 600);
    await place.follow();
    await courier.api.post(`/assignment-requests/${second.requestId}/reject`, {});
    await place.notify();
    assert.deepEqual(await place.told(), ['task_offered sent', 'task_offered dropped']);
    await offer(place, 600);
    await place.follow();
    await place.sql`UPDATE notifications SET expires_at = now() WHERE status = 'pending'`;
    await place.notify();
    assert.deepEqual((await lastReasons(place)).slice(1), ['the offer is no longer open', 'its time has passed']);
    assert.equal(place.pushes.length, 1);
  }));

test('a task that an agent is given without being asked is reported as given', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    const { organizationId } = place.gateway;
    await courier.api.put('/agents/me/duty', { onDuty: true });
    await place.admin.patch(`/organizations/${organizationId}`, { settings: { assignment: { autoAccept: true } } });
    const { id: taskId } = await place.api.createTask({ autoAssign: true });
    const offers = [{ taskId, agentId: courier.agentId, score: 1, distanceM: 800, etaSeconds: 240 }];
    await place.gateway.ask(organizationId, { kind: 'propose-offers', caller: SYSTEM, offers, lacking: [] });
    await place.notify();
    assert.deepEqual(await place.told(), ['task_offered dropped', 'task_assigned sent']);
  }));

for (const call of ['assign', 'reassign'])
  test(`a task that staff gives by ${call} to the very agent who is asked is reported as given`, () =>
    withNotices(1, async (place) => {
      const courier = place.couriers[0]!;
      await courier.register('phone');
      const { taskId } = await offer(place, 600);
      const given = await place.admin.post(`/tasks/${taskId}/${call}`, { agentId: courier.agentId });
      assert.equal(given.status, 200, given.text);
      await place.notify();
      assert.deepEqual(await place.told(), ['task_offered dropped', 'task_assigned sent']);
    }));

test('no notice goes to a user who may not have it: signed out, inactive, or with a phone that was handed on', () =>
  withNotices(4, async (place) => {
    const [out, inactive, former, next] = place.couriers as [Courier, Courier, Courier, Courier];
    const { organizationId } = place.gateway;
    await out.register('out');
    await inactive.register('inactive');
    await former.register('shared');
    for (const courier of [out, inactive, former]) await place.taskOf(courier);
    await place.follow();
    // Between the making of a notice and its sending, too.
    await out.api.post('/auth/logout', {});
    await place.sql`
      UPDATE users SET is_active = false WHERE organization_id = ${organizationId} AND id = ${inactive.userId}`;
    await next.register('shared');
    await place.notify();
    assert.deepEqual(tokensOf(place), []);
    assert.deepEqual((await lastReasons(place)).sort(), [
      'the device is signed out, or belongs to somebody else',
      'the device is signed out, or belongs to somebody else',
      'the user is not active',
    ]);
    for (const courier of [out, inactive, former, next]) await place.taskOf(courier);
    await place.notify();
    assert.deepEqual(tokensOf(place), ['shared']);
    assert.equal((await place.notices()).length, 4, 'no rows are made for the others');
  }));

test('an expired session gets no notice', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    await place.sql`UPDATE sessions SET access_expires_at = now() WHERE user_id = ${courier.userId}`;
    await place.taskOf(courier);
    await place.notify();
    assert.deepEqual(await place.notices(), []);
  }));

test('events from the time when an organization was inactive make no notices', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    await place.taskOf(courier);
    await place.follow();
    await place.taskOf(courier);
    await place.sql`
      UPDATE organizations SET status = 'inactive' WHERE organization_id = ${place.gateway.organizationId}`;
    await place.notify();
    assert.deepEqual(await lastReasons(place), ['the organization is not active']);
    assert.deepEqual(place.pushes, []);
  }));

test('a token that is gone is forgotten with the outcome, but not the one that has taken its place', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('dead', 'phone');
    await courier.register('renewed', 'tablet');
    place.answer(async ({ device }) => {
      if (device.token === 'renewed') await courier.register('fresh', 'tablet');
      return { kind: 'gone', reason: 'UNREGISTERED' };
    });
    await place.taskOf(courier);
    await place.notify();
    assert.deepEqual(await place.told(), ['task_assigned failed', 'task_assigned failed']);
    assert.deepEqual(await lastReasons(place), ['UNREGISTERED', 'UNREGISTERED']);
    const devices = await place.sql`SELECT token FROM push_tokens`;
    assert.deepEqual([...devices], [{ token: 'fresh' }]);
  }));

test('an event that is read long after makes no notice', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await courier.register('phone');
    await place.taskOf(courier);
    await place.sql`UPDATE events SET at = at - ${LIMITS.noticeAgeMs} * interval '1 ms'`;
    await place.taskOf(courier);
    await place.notify();
    assert.deepEqual(await place.told(), ['task_assigned sent']);
  }));

test('commits from before the first device are passed over', () =>
  withNotices(1, async (place) => {
    const courier = place.couriers[0]!;
    await place.taskOf(courier);
    await place.follow();
    await courier.register('phone');
    await place.follow();
    await place.taskOf(courier);
    await place.notify();
    assert.equal((await place.notices()).length, 1);
  }));

test('one look finds whose log nobody reads, whose has nothing to tell, and whose has; the latter alone is read', () =>
  withNotices(1, async (place) => {
    const { organizationId } = place.gateway;
    const courier = place.couriers[0]!;
    const store = createNoticeFollowStore(place.sql);
    const isBehind = async () => {
      const page = await store.readUntold(organizationId, NOTICED_TYPES);
      return page!.upTo > page!.after;
    };
    const lookedAt = async () => [await store.skipUntellable([organizationId], NOTICED_TYPES), await isBehind()];
    const nothing = { untold: [], unread: [] };
    await place.api.createTask();
    assert.deepEqual(await lookedAt(), [{ ...nothing, unread: [organizationId] }, false]);
    await courier.register('phone');
    await place.api.createTask();
    // Only customers get a notice of a creation.
    assert.deepEqual([await isBehind(), ...(await lookedAt())], [true, nothing, false]);
    await place.taskOf(courier);
    assert.deepEqual(await lookedAt(), [{ ...nothing, untold: [organizationId] }, true]);
    await place.follow();
    assert.equal((await place.notices()).length, 1);
    const mails = await place.admin.put('/notifications/settings', { customerMail: { created: true }, templates: {} });
    assert.equal(mails.status, 200, mails.text);
    await place.api.createTask();
    assert.deepEqual(await lookedAt(), [{ ...nothing, untold: [organizationId] }, true]);
  }));

test('hints of organizations that nobody reads may be passed over, of the others none', () =>
  withNotices(1, async (place) => {
    const { organizationId } = place.gateway;
    const passedOver: number[] = [];
    const follow = createNoticeFollower({
      store: createNoticeFollowStore(place.sql),
      onMade: () => {},
      fault: () => {},
    });
    const look = () => follow([organizationId], (organizationIds) => passedOver.push(...organizationIds));
    await place.api.createTask();
    await look();
    assert.deepEqual(passedOver.splice(0), [organizationId]);
    await place.couriers[0]!.register('phone');
    await place.api.createTask();
    await look();
    await place.taskOf(place.couriers[0]!);
    await look();
    assert.deepEqual([passedOver, await place.told()], [[], ['task_assigned pending']]);
  }));

test('however many processes follow and send, each notice is made and sent once', () =>
  withNotices(2, async (place) => {
    for (const courier of place.couriers) {
      await courier.register(`phone ${courier.agentId}`);
      await courier.register(`tablet ${courier.agentId}`);
    }
    const tasks = 20;
    const making = Promise.all(
      Array.from({ length: tasks }, (_, i) => place.taskOf(place.couriers[i % 2]!, 'accepted')),
    );
    const following = Promise.all([place.follow(3), place.follow(2)]);
    const ids = await making;
    await following;
    await Promise.all(ids.map((id) => place.step(id, 'cancelled')));
    await place.notify(4);
    const notices = await place.notices();
    const pushed = place.pushes.map(({ noticeId }) => noticeId);
    assert.equal(notices.filter(({ kind }) => kind === 'task_cancelled').length, 2 * tasks);
    assert.equal(notices.filter(({ kind }) => kind === 'task_assigned').length, 2 * tasks);
    assert.equal(new Set(pushed).size, pushed.length, 'none was sent twice');
    assert.equal(notices.filter(({ status }) => status === 'sent').length, pushed.length);
  }));

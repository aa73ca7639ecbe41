import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoAnswerError } from '../../../workers/notifications/mail-transport.ts';
import { type NoticePlace, PUBLIC_URL, useNotices } from './notice-place.ts';

const withNotices = useNotices();

const ADA = { name: 'Ada Lovelace', phone: '+442079460001', email: 'ada@example.com' };
const BOB = { name: 'Bob', phone: '+442079460002', email: 'bob@example.com' };

async function switchOn({ admin }: NoticePlace, customerMail: object, templates: object = {}): Promise<void> {
  const reply = await admin.put('/notifications/settings', { customerMail, templates });
  assert.equal(reply.status, 200, reply.text);
}

const toldTo = ({ mails }: NoticePlace) => mails.map(({ to, subject }) => `${to}: ${subject}`);

/** Creates a task for a customer, and takes it to its end. */
async function deliver(place: NoticePlace, end: object = { status: 'completed' }): Promise<number> {
  const { id } = await place.api.createTask({ customer: ADA, code: 'T-1' });
  await place.notify();
  await place.api.post(`/tasks/${id}/assign`, { agentId: place.couriers[0]!.agentId });
  await place.step(id, 'accepted');
  await place.step(id, 'in_transit');
  await place.notify();
  const ended = await place.api.put(`/tasks/${id}/status`, end);
  assert.equal(ended.status, 200, ended.text);
  await place.notify();
  return id;
}

test('customers are mailed nothing as long as nobody says so', () =>
  withNotices(1, async (place) => {
    await deliver(place);
    assert.deepEqual([place.mails.length, await place.notices()], [0, []]);
  }));

test('a customer is mailed once for each thing that is switched on, with the link and nothing else of the task', () =>
  withNotices(1, async (place) => {
    await switchOn(place, { created: true, onTheWay: true, completed: true });
    const id = await deliver(place);
    await place.notify();
    assert.equal(place.mails.length, 3);
    const { trackingUrl } = (await place.api.get(`/tasks/${id}`)).body.data;
    for (const { to, text, purpose } of place.mails) {
      assert.deepEqual([to, purpose], [ADA.email, 'tracking']);
      assert.ok(text.includes(`${PUBLIC_URL}${trackingUrl}`), text);
    }
    assert.equal(new Set(place.mails.map((mail) => mail.id)).size, 3);
    assert.deepEqual(await place.told(), [
      'tracking_created sent',
      'tracking_on_the_way sent',
      'tracking_completed sent',
    ]);
    const { text } = await place.api.get('/notifications');
    assert.ok(text.includes('"address":"a***@example.com"'));
    assert.ok(!text.includes(ADA.email) && !text.includes(trackingUrl), 'the log shows neither address nor link');
  }));

test('the mail is in the words of the organization', () =>
  withNotices(1, async (place) => {
    const words = { subject: '{{taskCode}} für {{customerName}}' };
    await switchOn(place, { onTheWay: true }, { onTheWay: words });
    await deliver(place);
    assert.deepEqual(toldTo(place), ['ada@example.com: T-1 für Ada Lovelace']);
  }));

test('a delivery that failed is no completed one', () =>
  withNotices(1, async (place) => {
    await switchOn(place, { completed: true });
    await deliver(place, { status: 'completed', outcome: 'failed', failureReason: 'nobody there' });
    assert.deepEqual(await place.notices(), []);
  }));

test('each customer of a job gets one mail of its creation, and one of each way', () =>
  withNotices(1, async (place) => {
    await switchOn(place, { created: true, onTheWay: true });
    const child = (customer: object) => ({
      ...{ name: 'Part', taskType: 'delivery', customer },
      location: { address: 'Dock 1', latitude: 1, longitude: 2 },
    });
    const job = await place.api.createTask({ customer: ADA, children: [child(ADA), child(BOB), child(BOB)] });
    await place.notify();
    assert.deepEqual(place.mails.map(({ to }) => to).sort(), [ADA.email, BOB.email]);
    const later = await place.api.createTask({ ...child(BOB), parentId: job.id });
    await place.notify();
    assert.equal(place.mails.length, 2);
    for (const { id } of [...job.children.slice(1), later]) {
      await place.api.post(`/tasks/${id}/assign`, { agentId: place.couriers[0]!.agentId });
      await place.step(id, 'accepted');
      await place.step(id, 'in_transit');
    }
    await place.notify();
    assert.deepEqual(
      place.mails.slice(2).map(({ to }) => to),
      [BOB.email, BOB.email, BOB.email],
    );
  }));

test('a mail that came to be of no use while it waited is dropped: cancelled, arrived, switched off, no address', () =>
  withNotices(1, async (place) => {
    await switchOn(place, { created: true });
    const make = (changes = {}) => place.api.createTask({ customer: { ...ADA, ...changes } });
    const cancelled = await make();
    await place.follow();
    await place.step(cancelled.id, 'cancelled');
    await place.notify();
    const { id } = await make({ phone: '+442079460003' });
    await place.follow();
    const { customerId } = (await place.api.get(`/tasks/${id}`)).body.data;
    await place.api.patch(`/customers/${customerId}`, { email: null });
    await place.notify();
    await make();
    await place.follow();
    await switchOn(place, {});
    await place.notify();
    assert.deepEqual(
      (await place.notices()).map(({ reason }) => reason),
      ['the task was cancelled', 'the customer has no e-mail address', 'such mails were switched off'],
    );
    assert.deepEqual(place.mails, []);
  }));

test('"on its way" is not mailed once the courier has lost the task, and is when the next one starts', () =>
  withNotices(2, async (place) => {
    await switchOn(place, { onTheWay: true });
    place.answerMails(async () => {
      throw Object.assign(new Error('away'), { code: 'ECONNECTION' });
    });
    const [first, second] = [place.couriers[0]!, place.couriers[1]!];
    const { id } = await place.api.createTask({ customer: ADA });
    await place.api.post(`/tasks/${id}/assign`, { agentId: first.agentId });
    const start = async () => {
      await place.step(id, 'accepted');
      await place.step(id, 'in_transit');
    };
    await start();
    await place.notify();
    assert.deepEqual(await place.told(), ['tracking_on_the_way pending']);
    const lost = (await place.notices())[0]!.id;
    const moved = await place.api.post(`/tasks/${id}/reassign`, { agentId: second.agentId });
    assert.equal(moved.status, 200, moved.text);
    place.answerMails(async () => {});
    await place.letPausesPass();
    await place.notify();
    assert.deepEqual([await place.told(), place.mails.length], [['tracking_on_the_way dropped'], 1]);
    // Two starts in one page of the log are one mail.
    await start();
    await place.api.post(`/tasks/${id}/reassign`, { agentId: first.agentId });
    await start();
    await place.notify();
    assert.deepEqual([await place.told(), place.mails.length], [['tracking_on_the_way sent'], 2]);
    assert.notEqual((await place.notices())[0]!.id, lost);
    await place.api.post(`/tasks/${id}/reassign`, { agentId: second.agentId });
    await start();
    await place.notify();
    assert.equal(place.mails.length, 2, 'what was sent is not sent again');
  }));

test('a mail server that refuses an address is not asked again; one that is away is', () =>
  withNotices(1, async (place) => {
    await switchOn(place, { created: true });
    const failWith = (fields: object) =>
      place.answerMails(async ({ to }) => {
        throw Object.assign(new Error(`<${to}>: no`), fields);
      });
    failWith({ code: 'ECONNECTION' });
    await place.api.createTask({ customer: ADA });
    await place.notify();
    assert.deepEqual(await place.told(), ['tracking_created pending']);
    failWith({ code: 'EENVELOPE', responseCode: 550 });
    await place.letPausesPass();
    await place.notify();
    assert.deepEqual(await place.told(), ['tracking_created failed']);
    // The server's answer repeats the address, which the log of notices shows to nobody in full.
    const [notice] = await place.notices();
    assert.equal(notice!.reason, '<a***@example.com>: no');
  }));

test('a mail that may have arrived counts as sent, and no second one follows', () =>
  withNotices(1, async (place) => {
    await switchOn(place, { created: true });
    place.answerMails(async () => {
      throw new NoAnswerError('no answer');
    });
    await place.api.createTask({ customer: ADA });
    await place.notify();
    assert.deepEqual(await place.told(), ['tracking_created sent']);
  }));

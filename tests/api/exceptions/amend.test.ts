import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { useGateway } from '../api-fixture.ts';
import { useStreams } from '../streams/stream-fixture.ts';
import { type Day, dayOf } from './day-of.ts';

const fixture = useGateway();
const streams = useStreams();

const QUAY = { address: 'Quay 2', latitude: 51.6, longitude: -0.2 };
const amend = (day: Day, taskId: number, body: object, headers = {}) =>
  day.api.post(`/tasks/${taskId}/amend`, body, headers);
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

test('a task under way is amended, and its agent sees it on its stream', async () => {
  const day = await dayOf(fixture);
  const task = await day.taskIn('in_transit');
  const { key, organizationId } = { key: day.agents[0]!.session, organizationId: day.organizationId };
  const stream = await streams.watch(fixture.gateway.baseUrl, { key, organizationId, path: '/realtime/me/events' });
  const body = {
    notes: 'ring twice',
    location: QUAY,
    pickupLocation: QUAY,
    windowEnd: inHours(3),
    contact: { name: 'Grace Hopper', phone: '+44 20 7946 0009' },
  };
  const { status, body: reply, text } = await amend(day, task.id, body);
  assert.equal(status, 200, text);
  const { data: amended } = reply;
  assert.deepEqual(amended, {
    ...task,
    notes: 'ring twice',
    location: amended.location,
    locationId: amended.locationId,
    pickupLocation: amended.pickupLocation,
    windowEnd: body.windowEnd,
    contact: { name: 'Grace Hopper', phone: '+442079460009' },
    updatedAt: amended.updatedAt,
    ...('dueAt' in task ? { dueAt: body.windowEnd } : {}),
  });
  assert.notEqual(amended.locationId, task.locationId);
  assert.deepEqual([amended.location!.address, amended.pickupLocation!.address], ['Quay 2', 'Quay 2']);
  assert.deepEqual(await day.read(task.id), amended);
  const [message] = await stream.take(1);
  const { type, data } = message!.data as unknown as { type: string; data: { changes: string[]; task: TaskView } };
  const changed = ['notes', 'windowEnd', 'contact', 'location', 'pickupLocation'];
  assert.deepEqual([type, data.changes, data.task], ['task.updated', changed, { ...amended, trackingUrl: '' }]);
  const step = (await day.history(task.id)).at(-1)!;
  assert.deepEqual([step.kind, step.details], ['updated', { changed }]);
  assert.deepEqual((await day.api.list(`locationId=${amended.locationId}`)).body.data.count, 1);
});

test('the customer stays as it is, and another contact takes the place of the first', async () => {
  const day = await dayOf(fixture);
  const task = await day.taskIn('accepted');
  await amend(day, task.id, { contact: { name: 'Grace', phone: '+442079460009' } });
  const { data } = (await amend(day, task.id, { contact: { name: 'Alan', phone: '+442079460010' } })).body;
  assert.deepEqual([data.contact, data.customer], [{ name: 'Alan', phone: '+442079460010' }, task.customer]);
  assert.equal((await amend(day, task.id, { contact: null })).body.data.contact, null);
});

test('a new time moves the time that the agent holds, where it is free', async () => {
  const day = await dayOf(fixture);
  const [first, second] = [inHours(2), inHours(5)];
  const scheduled = (scheduledAt: string) => ({ timeToServe: 'scheduled', scheduledAt, estimatedDuration: 60 });
  const one = await day.taskIn('accepted', scheduled(first));
  await day.taskIn('assigned', scheduled(second));
  const taken = await amend(day, one.id, { scheduledAt: second });
  assert.deepEqual([taken.status, taken.body.code], [409, 'AGENT_SLOT_TAKEN']);
  const third = inHours(8);
  assert.equal((await amend(day, one.id, { scheduledAt: third })).body.data.scheduledAt, third);
  const { agentId } = day.agents[0]!;
  const { id: another } = await day.api.createTask(scheduled(third));
  assert.equal((await day.api.post(`/tasks/${another}/assign`, { agentId })).body.code, 'AGENT_SLOT_TAKEN');
  const { id: free } = await day.api.createTask(scheduled(first));
  assert.equal((await day.api.post(`/tasks/${free}/assign`, { agentId })).status, 200);
  const listed = (await day.api.list(`scheduledFrom=${third}&scheduledTo=${third}`)).body.data;
  assert.deepEqual(listed.items.map(({ id }) => id).sort(), [one.id, another].sort());
});

test('a task that has ended is not amended', async () => {
  const day = await dayOf(fixture);
  for (const status of ['completed', 'cancelled'] as const) {
    const { id } = await day.taskIn(status);
    const refused = await amend(day, id, { notes: 'late' });
    const editableIn = ['new', 'awaiting_assignment', 'assigned', 'accepted', 'in_transit'];
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.details],
      [409, 'TASK_NOT_EDITABLE', { status, editableIn }],
    );
  }
});

test('a job is amended alone, and so is a child', async () => {
  const day = await dayOf(fixture);
  const part = { name: 'part', taskType: 'delivery', customer: { name: 'A', phone: '+442079460001' }, location: QUAY };
  const job = await day.api.createTask({ children: [part, part] });
  const { data: amended } = (await amend(day, job.id, { notes: 'the whole load' })).body;
  assert.deepEqual([amended.notes, amended.children], ['the whole load', job.children]);
  const child = (await amend(day, job.children[0]!.id, { notes: 'this one' })).body.data;
  assert.deepEqual(
    (await day.read(job.id)).children.map(({ notes }) => notes),
    [child.notes, null],
  );
});

test('a bad body names every fault', async () => {
  const day = await dayOf(fixture);
  const past = '2020-01-01T00:00:00Z';
  const contact = { name: '', phone: '12' };
  const { status, body } = await amend(day, 1, { notes: 5, contact, windowStart: past, windowEnd: past });
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'notes must be a string',
    'contact.name must not be empty',
    'contact.phone must be a possible phone number with its country code',
    'windowEnd must be after windowStart',
    'windowEnd must be in the future',
  ]);
  const late = await amend(day, (await day.taskIn('accepted')).id, { scheduledAt: past });
  assert.deepEqual([late.status, late.body.message], [400, ['scheduledAt must be in the future']]);
});

test('a retry with its key is answered alike, and amends once', async () => {
  const day = await dayOf(fixture);
  const { id } = await day.taskIn('accepted');
  const key = { 'idempotency-key': 'once' };
  const [first, second] = [await amend(day, id, { notes: 'a' }, key), await amend(day, id, { notes: 'a' }, key)];
  assert.deepEqual(second.body.data, first.body.data);
  assert.equal((await day.told()).filter(({ type }) => type === 'task.updated').length, 1);
  assert.equal((await amend(day, id, { notes: 'b' }, key)).status, 422);
});

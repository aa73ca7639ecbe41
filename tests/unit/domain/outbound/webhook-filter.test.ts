import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileWebhookFilter, wantedTypes } from '../../../../engine/domain/outbound/webhook-filter.ts';
import { EVENT_TYPES } from '../../../../schema/events.ts';

type Webhook = Parameters<typeof compileWebhookFilter>[0];
const everything: Webhook = { events: ['*'], statuses: null, channelIds: null, channelId: null };

/** As the log writes it, with a task whose notes look like a head of their own. */
function eventOf(type: string, channelId = 7, data: Record<string, unknown> = {}) {
  const task = { status: 'created', channelId: 99, notes: '{"id":"x","channelId":98,"status":"completed"}' };
  const head = `{"id":"evt_h_1_a","type":"${type}","timestamp":"2026-11-21T04:00:00.000Z","apiVersion":"v1"`;
  const body = `${head},"organizationId":1,"channelId":${channelId},"sequence":5,"data":${JSON.stringify({ task, ...data })}}`;
  return { type, body };
}

for (const [events, type, isWanted] of [
  [['*'], 'task.created', true],
  [['*'], 'agent.duty_changed', true],
  [['*'], 'agent.locations_updated', false],
  [['agent.*'], 'agent.locations_updated', false],
  [['agent.locations_updated'], 'agent.locations_updated', true],
  [['*', 'agent.locations_updated'], 'agent.locations_updated', true],
  [['task.*'], 'task.status_changed', true],
  [['task.*'], 'tasks.created', false],
  [['task.*'], 'package.status_changed', false],
  [['task.created'], 'task.created', true],
  [['task.created'], 'task.created_again', false],
  [['task.created'], 'task.updated', false],
  [['package.*', 'task.created'], 'task.created', true],
] as const) {
  test(`${events.join(', ')} ${isWanted ? 'includes' : 'leaves out'} ${type}`, () => {
    assert.equal(compileWebhookFilter({ ...everything, events })(eventOf(type)), isWanted);
  });
}

test('the types that the log is read for are those that the patterns mean', () => {
  assert.deepEqual(wantedTypes(['*']), EVENT_TYPES);
  assert.deepEqual(wantedTypes(['package.*', 'task.created', 'agent.locations_updated']), [
    'task.created',
    'package.status_changed',
    'package.scanned',
  ]);
});

for (const [narrowed, channelId, isWanted] of [
  [{ channelIds: null }, 7, true],
  [{ channelIds: [7] }, 7, true],
  [{ channelIds: [8, 7] }, 7, true],
  [{ channelIds: [8] }, 7, false],
  [{ channelIds: [99, 98] }, 7, false],
  [{ channelIds: [] }, 7, false],
  [{ channelId: 7, channelIds: null }, 7, true],
  [{ channelId: 7, channelIds: null }, 8, false],
  [{ channelId: 7, channelIds: [8] }, 8, false],
  [{ channelId: 7, channelIds: [8] }, 7, true],
] as const) {
  test(`${JSON.stringify(narrowed)} ${isWanted ? 'includes' : 'leaves out'} an event of channel ${channelId}`, () => {
    const wants = compileWebhookFilter({ ...everything, ...narrowed });
    assert.equal(wants(eventOf('task.created', channelId)), isWanted);
  });
}

test('the channel is found in a body that is written in another order too', () => {
  const wants = compileWebhookFilter({ ...everything, channelIds: [7] });
  const body = (channelId: number) => JSON.stringify({ data: { channelId: 8 }, sequence: 5, channelId });
  assert.equal(wants({ type: 'task.created', body: body(7) }), true);
  assert.equal(wants({ type: 'task.created', body: body(8) }), false);
  assert.equal(wants({ type: 'task.created', body: '{"channelId":null}' }), false);
});

for (const [statuses, type, status, isWanted] of [
  [['completed'], 'task.status_changed', 'completed', true],
  [['completed'], 'task.status_changed', 'cancelled', false],
  [['created'], 'task.status_changed', 'completed', false],
  [['completed', 'cancelled'], 'task.status_changed', 'cancelled', true],
  [[], 'task.status_changed', 'completed', false],
  [['completed'], 'task.created', undefined, true],
  [['completed'], 'package.status_changed', 'cancelled', true],
] as const) {
  test(`statuses ${JSON.stringify(statuses)} ${isWanted ? 'include' : 'leave out'} ${type} to ${status}`, () => {
    const wants = compileWebhookFilter({ ...everything, statuses });
    assert.equal(wants(eventOf(type, 7, { previousStatus: 'created', status })), isWanted);
  });
}

test('the data is not read when the type decides', () => {
  const wants = compileWebhookFilter({
    ...everything,
    events: ['task.created'],
    statuses: ['completed'],
    channelIds: [7],
  });
  assert.equal(wants({ type: 'task.updated', body: 'no JSON' }), false);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditChanges } from '../../../../gateway/console/settings/audit-changes.ts';
import {
  EMPTY_WEBHOOK,
  FAMILIES,
  narrowsStatuses,
  toggleEvent,
  webhookBody,
} from '../../../../gateway/console/webhooks/webhook-fields.ts';
import { EVENT_TYPES } from '../../../../schema/events.ts';

describe('the events of a webhook', () => {
  const table: readonly (readonly [what: string, before: string[], name: string, isOn: boolean, after: string[]])[] = [
    ['a single event is added', ['task.created'], 'task.rated', true, ['task.created', 'task.rated']],
    [
      'a family takes the place of its events',
      ['task.created', 'payment.failed'],
      'task.*',
      true,
      ['payment.failed', 'task.*'],
    ],
    ['everything takes the place of the rest', ['task.created', 'payment.*'], '*', true, ['*']],
    ['an event is taken away', ['task.created', 'payment.*'], 'payment.*', false, ['task.created']],
    ['the last one is taken away', ['*'], '*', false, []],
  ];
  for (const [what, before, name, isOn, after] of table)
    test(what, () => assert.deepEqual(toggleEvent(before, name, isOn), after));

  test('every event of the log may be chosen', () => {
    const offered = FAMILIES.flatMap(({ types }) => types);
    assert.deepEqual(
      EVENT_TYPES.filter((type) => !offered.includes(type)),
      [],
    );
  });
});

test('statuses narrow a webhook that gets new statuses, by name or with others', () => {
  for (const events of [['*'], ['task.*'], ['task.rated', 'task.status_changed']])
    assert.ok(narrowsStatuses({ ...EMPTY_WEBHOOK, events }), events.join());
  for (const events of [[], ['package.*'], ['task.rated', 'package.status_changed']])
    assert.ok(!narrowsStatuses({ ...EMPTY_WEBHOOK, events }), events.join());
});

test('a change of a webhook sends the fields that differ, and an empty description takes it away', () => {
  const before = { ...EMPTY_WEBHOOK, url: 'https://example.com', description: 'Shop' };
  assert.deepEqual(webhookBody(before, before), {});
  assert.deepEqual(webhookBody({ ...before, description: ' ', concurrency: '4' }, before), {
    description: null,
    concurrency: 4,
  });
  assert.deepEqual(webhookBody({ ...before, statuses: ['completed'], channelIds: [7] }, before), {
    statuses: ['completed'],
    channelIds: [7],
  });
  const all = ['url', 'description', 'events', 'statuses', 'channelIds', 'concurrency'];
  assert.deepEqual(Object.keys(webhookBody(before)), all);
  const narrow = { ...before, statuses: ['completed'], channelIds: [7] };
  assert.deepEqual(webhookBody({ ...narrow, statuses: [], channelIds: [] }, narrow), {
    statuses: null,
    channelIds: null,
  });
});

test('an entry of the audit log shows the fields that differ, also those that came or went', () => {
  const before = { name: 'Shop', limits: { tasks: 1 }, same: [1], gone: 'x' };
  const after = { name: 'Web shop', limits: { tasks: 2 }, same: [1], came: true, stillNothing: null };
  assert.deepEqual(auditChanges({ before, after }), [
    { field: 'name', before: 'Shop', after: 'Web shop' },
    { field: 'limits', before: '{"tasks":1}', after: '{"tasks":2}' },
    { field: 'gone', before: 'x', after: '' },
    { field: 'came', before: '', after: 'true' },
  ]);
  assert.equal(auditChanges({ before: null, after }).length, 4);
});

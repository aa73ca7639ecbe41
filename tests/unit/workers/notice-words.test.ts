import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { PUSH_KINDS } from '../../../schema/notices/notification.ts';
import { pushOf } from '../../../workers/notifications/notice-words.ts';
import { HOSTILE_TEXTS } from '../../support/seeds/hostile-texts.ts';
import { noticeFacts } from './notice-facts.ts';

for (const [kind, title, urgency] of [
  ['task_cancelled', 'Task T-1 was cancelled', 'high'],
  ['task_offered', 'Task T-1 is offered to you', 'high'],
  ['task_assigned', 'Task T-1 is yours', 'normal'],
  ['task_unassigned', 'Task T-1 is no longer yours', 'high'],
] as const) {
  test(`a push of ${kind} says so, and where and when the task is to be done`, () => {
    assert.deepEqual(pushOf(noticeFacts({ kind }), '7-9', 60), {
      noticeId: '7-9',
      title,
      body: 'Two boxes\n12 Baker Street\n22 Nov 2026, 14:00–16:00 UTC',
      data: { noticeId: '7-9', kind, taskId: '5', taskCode: 'T-1' },
      ttlSeconds: 60,
      urgency,
      collapseKey: 'task-5',
    });
  });
}

for (const [start, end, line] of [
  ['2026-11-22T23:30:00.000Z', '2026-11-23T00:30:00.000Z', '22 Nov 2026, 23:30–23 Nov 2026, 00:30 UTC'],
  ['2026-11-22T14:00:00.000Z', null, 'from 22 Nov 2026, 14:00 UTC'],
  [null, '2026-11-22T14:00:00.000Z', 'by 22 Nov 2026, 14:00 UTC'],
  [null, null, undefined],
] as const) {
  test(`a time from ${start} to ${end} is written as ${line}`, () => {
    const facts = noticeFacts({ kind: 'task_assigned' }, { timeWindowStart: start, timeWindowEnd: end, address: null });
    const [name, time] = pushOf(facts, '7-9', 60).body.split('\n');
    assert.deepEqual([name, time], ['Two boxes', line]);
  });
}

test('the time of a push is in the zone of the organization, which it names', () => {
  const letterhead = { name: 'Acme', timeZone: 'America/New_York', contact: { phone: null, email: null } };
  const at = { timeWindowStart: '2026-07-22T02:30:00.000Z', timeWindowEnd: '2026-07-22T05:00:00.000Z', address: null };
  const [, time] = pushOf(noticeFacts({ kind: 'task_assigned', letterhead }, at), '7-9', 60).body.split('\n');
  assert.equal(time, '21 Jul 2026, 22:30–22 Jul 2026, 01:00 GMT-4');
});

test('a push does not name the customer', () => {
  for (const kind of PUSH_KINDS)
    assert.doesNotMatch(JSON.stringify(pushOf(noticeFacts({ kind, customerName: 'Lovelace' }), '7-9', 60)), /Lovelace/);
});

test('a text of any kind stays one line of a push, turns nothing around, and fits the push services', () => {
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    const task = { code: text, name: text, address: text };
    const { title, body, data, collapseKey: tag } = pushOf(noticeFacts({ kind: 'task_offered' }, task), '7-9', 60);
    assert.match(title, /^Task [^\p{Cc}\u202a-\u202e\u2028\u2029]+ is offered to you$/u, name);
    assert.equal(title.split('\u2068').length, title.split('\u2069').length, name);
    assert.ok(title.length < LIMITS.pushTitleChars && body.length < LIMITS.pushBodyChars, name);
    assert.equal(body.split('\n').length, 3, name);
    assert.ok(title.isWellFormed() && body.isWellFormed(), name);
    assert.ok(Buffer.byteLength(JSON.stringify({ title, body, tag, data })) < LIMITS.webPushBytes, name);
    assert.equal(data['taskCode'], text, 'what a program reads is left as it is');
  }
});

test('a right-to-left text does not turn the words around it', () => {
  const { title } = pushOf(noticeFacts({ kind: 'task_cancelled' }, { code: 'משלוח-3' }), '7-9', 60);
  assert.equal(title, 'Task \u2068משלוח-3\u2069 was cancelled');
});

test('a push that would be of use for longer than services keep one is kept for as long as they do', () => {
  assert.equal(pushOf(noticeFacts({ kind: 'task_assigned' }), '7-9', 1e9).ttlSeconds, LIMITS.pushTtlSeconds);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delayedAtOf, dueAtOf, isDelayed } from '../../../../engine/domain/tasks/delay.ts';
import { deadlineOf } from '../../../../engine/domain/tasks/task-deadline.ts';

const createdAt = '2026-11-21T10:00:00.000Z';
const scheduledAt = '2026-11-25T08:30:00.000Z';
const windowEnd = '2026-11-25T12:00:00.000Z';
const ASAP = { timeToServe: 'asap', scheduledAt: null, estimatedDuration: null, windowEnd: null } as const;
const SCHEDULED = { ...ASAP, timeToServe: 'scheduled', scheduledAt } as const;

for (const [name, task, moment] of [
  ['an asap task has 24 hours from its creation', ASAP, '2026-11-22T10:00:00.000Z'],
  [
    'an asap task has its own duration from its creation',
    { ...ASAP, estimatedDuration: 45 },
    '2026-11-21T10:45:00.000Z',
  ],
  ['a scheduled task has 60 minutes from its moment', SCHEDULED, '2026-11-25T09:30:00.000Z'],
  [
    'a scheduled task has its own duration from its moment',
    { ...SCHEDULED, estimatedDuration: 1 },
    '2026-11-25T08:31:00.000Z',
  ],
  ['a window counts before a duration', { ...SCHEDULED, estimatedDuration: 1, windowEnd }, windowEnd],
  ['a window of an asap task counts', { ...ASAP, windowEnd }, windowEnd],
  [
    'a moment past the last that can be shown is the last one',
    { ...SCHEDULED, scheduledAt: '9999-12-31T23:30:00.000Z' },
    '9999-12-31T23:59:59.999Z',
  ],
] as const) {
  test(name, () => assert.equal(dueAtOf({ ...task, createdAt }), moment));
}

const DUE = '2026-11-22T10:00:00.000Z';
const [BEFORE, LATER] = ['2026-11-22T09:59:59.999Z', '2026-11-22T11:00:00.000Z'];
const OPEN = {
  ...ASAP,
  createdAt,
  status: 'in_transit',
  completedAt: null,
  cancelledAt: null,
  delayedAt: null,
} as const;
const DONE = { ...OPEN, status: 'completed' } as const;

for (const [name, task, now, delayedAt, shown] of [
  ['an open task in time', OPEN, BEFORE, null, false],
  ['an open task past its time whose timer has not come', OPEN, LATER, null, false],
  ['an open task that was found late', { ...OPEN, delayedAt: DUE }, LATER, DUE, true],
  [
    'a late task that is due later now',
    { ...OPEN, windowEnd: '2026-11-23T00:00:00.000Z', delayedAt: DUE },
    LATER,
    null,
    false,
  ],
  [
    'a late task that has another time in the past now',
    { ...OPEN, windowEnd: BEFORE, delayedAt: DUE },
    LATER,
    BEFORE,
    true,
  ],
  ['a task completed at its time', { ...DONE, completedAt: DUE }, LATER, null, false],
  ['a task completed late before its timer came', { ...DONE, completedAt: LATER }, LATER, DUE, true],
  ['a task completed late', { ...DONE, completedAt: LATER, delayedAt: DUE }, LATER, DUE, true],
  [
    'a task found late that was completed in time, as an offline driver tells',
    { ...DONE, completedAt: BEFORE, delayedAt: DUE },
    LATER,
    null,
    false,
  ],
  ['a task cancelled late', { ...OPEN, status: 'cancelled', cancelledAt: LATER, delayedAt: DUE }, LATER, DUE, false],
  [
    'a late task cancelled by a release that did not keep when',
    { ...OPEN, status: 'cancelled', delayedAt: DUE },
    LATER,
    DUE,
    false,
  ],
] as const) {
  test(`${name} is ${shown ? 'delayed' : 'not delayed'}, since ${delayedAt ?? 'never'}`, () => {
    assert.equal(delayedAtOf(task, now), delayedAt);
    assert.equal(isDelayed({ status: task.status, delayedAt }), shown);
  });
}

test('the actor of a task that is searched for wakes at the earlier of its delay and its search', () => {
  const [early, late] = ['2026-11-21T10:30:00.000Z', '2026-11-21T12:00:00.000Z'];
  const delay = '2026-11-21T11:00:00.000Z';
  const asked = { attempts: 0, open: [], rejectedBy: [], expiredBy: [], lacking: null, notedAt: null };
  const task = { ...ASAP, status: 'new', createdAt, estimatedDuration: 60 } as const;
  const deadline = (until: string, delayedAt: string | null = null) =>
    deadlineOf({ ...task, delayedAt, search: { since: createdAt, startsAt: null, until, ...asked } });
  assert.deepEqual([deadline(early), deadline(late), deadline(late, delay)], [early, delay, late]);
  assert.equal(deadlineOf({ ...task, delayedAt: null, search: null }), delay);
});

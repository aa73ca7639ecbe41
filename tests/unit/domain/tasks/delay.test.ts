import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delayedAfterMs } from '../../../../engine/domain/tasks/delay.ts';
import { deadlineOf } from '../../../../engine/domain/tasks/task-deadline.ts';

const createdAt = '2026-11-21T10:00:00.000Z';
const scheduledAt = '2026-11-25T08:30:00.000Z';

for (const [name, task, moment] of [
  [
    'an asap task has 24 hours from its creation',
    { timeToServe: 'asap', scheduledAt: null, estimatedDuration: null },
    '2026-11-22T10:00:00.000Z',
  ],
  [
    'an asap task has its own duration from its creation',
    { timeToServe: 'asap', scheduledAt: null, estimatedDuration: 45 },
    '2026-11-21T10:45:00.000Z',
  ],
  [
    'a scheduled task has 60 minutes from its moment',
    { timeToServe: 'scheduled', scheduledAt, estimatedDuration: null },
    '2026-11-25T09:30:00.000Z',
  ],
  [
    'a scheduled task has its own duration from its moment',
    { timeToServe: 'scheduled', scheduledAt, estimatedDuration: 1 },
    '2026-11-25T08:31:00.000Z',
  ],
] as const) {
  test(name, () => {
    assert.equal(delayedAfterMs({ ...task, createdAt }), Date.parse(moment));
  });
}

test('the actor of a task that is searched for wakes at the earlier of its delay and its search', () => {
  const [early, late] = ['2026-11-21T10:30:00.000Z', '2026-11-21T12:00:00.000Z'];
  const delay = '2026-11-21T11:00:00.000Z';
  const asked = { attempts: 0, open: [], rejectedBy: [], expiredBy: [], lacking: null, notedAt: null };
  const task = { status: 'new', timeToServe: 'asap', scheduledAt: null, createdAt, estimatedDuration: 60 } as const;
  const deadline = (until: string, delayedAt: string | null = null) =>
    deadlineOf({ ...task, delayedAt, search: { since: createdAt, startsAt: null, until, ...asked } });
  assert.deepEqual([deadline(early), deadline(late), deadline(late, delay)], [early, delay, late]);
  assert.equal(deadlineOf({ ...task, delayedAt: null, search: null }), delay);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { taskInput } from '../../support/api-client.ts';
import { seedChannel } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { type Day, dayOf, failedTask } from './day-of.ts';

/** Times and states that no call accepts: each is refused, and leaves record and log as they were. */

const fixture = useGateway();

const PAST = '2020-01-01T09:00:00.000Z';
const at = (hour: number) => `2090-01-01T${`${hour}`.padStart(2, '0')}:00:00.000Z`;
const WINDOW = { windowStart: at(9), windowEnd: at(12) };
const SCHEDULED = { timeToServe: 'scheduled', scheduledAt: at(10), ...WINDOW };
const A_TIME = 'must be an ISO 8601 date-time with a zone or offset';

type Call = readonly [
  what: string,
  call: (task: TaskView) => readonly ['post' | 'patch', string, object],
  expected: readonly string[] | string,
];

const amend = (body: object) => (task: TaskView) => ['post', `/tasks/${task.id}/amend`, body] as const;
const patch = (body: object) => (task: TaskView) => ['patch', `/tasks/${task.id}`, body] as const;
const again = (body: object) => (task: TaskView) => ['post', `/tasks/${task.id}/reattempt`, body] as const;
const create = (body: object) => () => ['post', '/tasks', taskInput(body)] as const;

const BAD_ORDERS: readonly Call[] = [
  [
    'a window that ends before it begins',
    create({ windowStart: at(9), windowEnd: at(8) }),
    ['windowEnd must be after windowStart'],
  ],
  [
    'a window without any time',
    create({ windowStart: at(9), windowEnd: at(9) }),
    ['windowEnd must be after windowStart'],
  ],
  ['a window in the past', create({ windowEnd: PAST }), ['windowEnd must be in the future']],
  [
    'a window over before its time',
    create({ ...SCHEDULED, scheduledAt: at(12) }),
    ['scheduledAt must be before windowEnd'],
  ],
  [
    'a time in the past',
    create({ timeToServe: 'scheduled', scheduledAt: PAST }),
    ['scheduledAt must be in the future'],
  ],
  ['goods that come too late', create({ readyAt: at(13), ...WINDOW }), ['readyAt must not be after windowEnd']],
  ['a zone that does not exist', create({ windowEnd: '2090-01-01T09:00:00+24:00' }), [`windowEnd ${A_TIME}`]],
  ['a zone by name', create({ readyAt: '2090-01-01T09:00:00 Europe/Atlantis' }), [`readyAt ${A_TIME}`]],
  ['a day that does not exist', create({ scheduledAt: '2090-02-30T09:00:00Z' }), [`scheduledAt ${A_TIME}`]],
  [
    'an amended window that ends before it begins',
    amend({ windowEnd: at(8) }),
    ['windowEnd must be after windowStart'],
  ],
  ['an amended window in the past', amend({ windowEnd: PAST }), ['windowEnd must be in the future']],
  [
    'an amended window before the time',
    amend({ windowStart: at(8), windowEnd: at(10) }),
    [`windowEnd must be after scheduledAt (${at(10)})`],
  ],
  [
    'an amended time past the window',
    amend({ scheduledAt: at(13) }),
    [`windowEnd must be after scheduledAt (${at(13)})`],
  ],
  [
    'an amended time and window that contradict',
    amend({ scheduledAt: at(12), windowEnd: at(11) }),
    ['scheduledAt must be before windowEnd'],
  ],
  [
    'an amended window before the goods',
    amend({ windowStart: null, windowEnd: at(7), scheduledAt: at(6) }),
    [`windowEnd must not be before readyAt (${at(8)})`],
  ],
  ['an amended time in the past', amend({ scheduledAt: PAST }), ['scheduledAt must be in the future']],
  [
    'a changed time past the window',
    patch({ scheduledAt: at(13) }),
    [`windowEnd must be after scheduledAt (${at(13)})`],
  ],
  ['a changed time in the past', patch({ scheduledAt: PAST }), ['scheduledAt must be in the future']],
  ['a changed window in the past', patch({ windowEnd: PAST }), ['windowEnd must be in the future']],
  [
    'a changed window in the past, and no name',
    patch({ name: 5, windowEnd: PAST }),
    ['name must be a string', 'windowEnd must be in the future'],
  ],
  [
    'a changed window that ends before it begins',
    patch({ windowStart: at(12), windowEnd: at(11) }),
    ['windowEnd must be after windowStart'],
  ],
  ['a changed end before the window begins', patch({ windowEnd: at(9) }), ['windowEnd must be after windowStart']],
  [
    'a changed end before the time',
    patch({ windowStart: null, windowEnd: at(10) }),
    [`windowEnd must be after scheduledAt (${at(10)})`],
  ],
  [
    'a changed window and time that contradict',
    patch({ scheduledAt: at(12), windowEnd: at(11) }),
    ['scheduledAt must be before windowEnd'],
  ],
  ['goods that come too late now', patch({ readyAt: at(13) }), [`windowEnd must not be before readyAt (${at(13)})`]],
  [
    'goods that come after the window they are changed with',
    patch({ readyAt: at(15), windowEnd: at(14) }),
    ['readyAt must not be after windowEnd'],
  ],
  ['a second attempt of what was not tried', again({}), 'TASK_NOT_FAILED'],
];

const BAD_ATTEMPTS: readonly Call[] = [
  [
    'a window that ends before it begins',
    again({ windowStart: at(9), windowEnd: at(8) }),
    ['windowEnd must be after windowStart'],
  ],
  ['a window in the past', again({ windowEnd: PAST }), ['windowEnd must be in the future']],
  ['a time in the past', again({ scheduledAt: PAST }), ['scheduledAt must be in the future']],
  [
    'a time past the window',
    again({ scheduledAt: at(12), windowEnd: at(12) }),
    ['scheduledAt must be before windowEnd'],
  ],
  ['a return to nowhere', again({ returnToPickup: true }), 'TASK_NOT_RETURNABLE'],
  ['an amendment of what is over', amend({ notes: 'late' }), 'TASK_NOT_EDITABLE'],
];

/** The task, how many there are, and the end of the log. */
async function stateOf(day: Day, task: TaskView) {
  return [await day.read(task.id), (await day.api.list()).body.data.count, (await day.told()).length];
}

async function refuses(day: Day, task: TaskView, calls: readonly Call[]) {
  const before = await stateOf(day, task);
  for (const [what, call, expected] of calls) {
    const [method, path, body] = call(task);
    const { status, body: reply, text } = await day.api[method](path, body);
    if (typeof expected === 'string') assert.deepEqual([status, reply.code], [409, expected], `${what}: ${text}`);
    else assert.deepEqual([status, reply.message], [400, expected], what);
    assert.deepEqual(await stateOf(day, task), before, what);
  }
}

test('an order with times that cannot be is refused by its field, and nothing changes', async () => {
  const day = await dayOf(fixture);
  await refuses(day, await day.api.createTask({ ...SCHEDULED, readyAt: at(8) }), BAD_ORDERS);
});

test('a new attempt with times that cannot be is refused, and one of what did not fail', async () => {
  const day = await dayOf(fixture);
  await refuses(day, await failedTask(day), BAD_ATTEMPTS);
  for (const status of ['assigned', 'accepted', 'in_transit', 'completed', 'cancelled'] as const) {
    const call: Call = [status, again({}), 'TASK_NOT_FAILED'];
    await refuses(day, await day.taskIn(status), [call]);
  }
});

test('an organization keeps its zone when another one does not exist', async () => {
  const day = await dayOf(fixture);
  const { key } = await seedChannel(fixture.gateway.databaseUrl, day.organizationId, { role: 'org_admin' });
  const admin = fixture.clientOf(key);
  const path = `/organizations/${day.organizationId}`;
  const before = (await admin.get(path)).body.data;
  for (const timeZone of ['Europe/Atlantis', 'UTC+25', '']) {
    const { status, body } = await admin.patch(path, { settings: { timeZone } });
    const message = ['settings.timeZone must be a time zone of the IANA database, such as Europe/Berlin'];
    assert.deepEqual([status, body.message], [400, message], timeZone);
  }
  assert.deepEqual((await admin.get(path)).body.data, before);
});

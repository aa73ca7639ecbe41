import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ListView } from '../../../../../gateway/console/live/parts/list-view.ts';
import { figuresOf } from '../../../../../gateway/console/live/parts/summaries.ts';
import type { ListQuery } from '../../../../../gateway/console/live/protocol.ts';
import { FAILED_KEPT_MS, Records } from '../../../../../gateway/console/live/records.ts';
import { shownStatusOf } from '../../../../../gateway/console/live/shown-status.ts';
import type { TaskView } from '../../../../../schema/tasks/task-view.ts';

const MIDNIGHT = Date.parse('2031-05-01T22:00:00.000Z');
const HOUR = 3_600_000;
const at = (ms: number) => new Date(MIDNIGHT + ms).toISOString();

const EMPTY: ListQuery = {
  search: '',
  statuses: [],
  agentId: null,
  onlyLate: false,
  withDone: false,
  ended: null,
  grouping: 'status',
  closed: [],
  offset: 0,
  limit: 60,
  isHeld: false,
  selected: [],
};

function task(id: number, fields: Partial<TaskView> = {}): TaskView {
  const user = { firstName: 'Ada', lastName: 'Lovelace', countryCode: '+44', phoneNumber: '2079460001' };
  const open = {
    id,
    code: `TSK-${id}`,
    name: 'Parcel',
    status: 'new',
    customer: { user },
    location: null,
    children: [],
    packages: [],
    contact: null,
    outcome: null,
    nextTaskId: null,
    isDelayed: false,
    dueAt: at(HOUR),
    etaAt: null,
    completedAt: null,
    cancelledAt: null,
    search: null,
    autoAssignmentStatus: 'not_requested',
    agentId: null,
    courierId: null,
  };
  return { ...open, ...fields } as unknown as TaskView;
}

const ended = (id: number, ms: number, fields: Partial<TaskView> = {}) =>
  task(id, { status: 'completed', outcome: 'succeeded', completedAt: at(ms), ...fields });
const FAILED = { outcome: 'failed', failureReason: 'Nobody at home' } as const;

function recordsOf(...tasks: TaskView[]): Records {
  const records = new Records();
  for (const view of tasks) records.putTask(view, 1);
  return records;
}

function listed(records: Records, query: Partial<ListQuery>, todayMs = MIDNIGHT): number[] {
  const { entries } = new ListView().part(records, { ...EMPTY, ...query }, todayMs);
  return entries.flatMap((entry) => (entry.kind === 'task' ? [entry.row.id] : [])).sort((a, b) => a - b);
}

describe('the tasks of today', () => {
  const records = recordsOf(
    task(1),
    ended(2, -HOUR),
    ended(3, HOUR),
    ended(4, HOUR, { isDelayed: true }),
    ended(5, HOUR, FAILED),
    ended(6, -HOUR, FAILED),
    task(7, { status: 'cancelled', cancelledAt: at(HOUR) }),
  );

  test('tasks that ended before midnight are not among the done ones, and not in the figures', () => {
    assert.deepEqual(listed(records, { withDone: true }), [1, 3, 4, 5, 7]);
    const { doneToday, onTimeToday, failedToday } = figuresOf(records, MIDNIGHT, 0);
    assert.deepEqual([doneToday, onTimeToday, failedToday], [2, 1, 1]);
  });

  test('a list behind a figure holds as many tasks as the figure counts', () => {
    assert.deepEqual(listed(records, { ended: 'on-time' }), [3]);
    assert.deepEqual(listed(records, { ended: 'failed' }), [5]);
  });

  test('a job counts by its tasks, in the figures and in the lists behind them', () => {
    const [failed, child] = [
      ended(11, HOUR, { ...FAILED, isDelayed: true }),
      { status: 'assigned', agentId: 7 } as const,
    ];
    const jobs = recordsOf(
      ended(10, HOUR, { ...FAILED, isDelayed: true, children: [failed] }),
      task(20, { status: 'assigned', isDelayed: true, children: [task(21, { ...child, isDelayed: true })] }),
      task(30, { children: [task(31)] }),
    );
    const { open, unassigned, late, failedToday, byStatus } = figuresOf(jobs, MIDNIGHT, 0);
    assert.deepEqual([open, unassigned, late, failedToday, byStatus.assigned], [2, 1, 1, 1, 1]);
    assert.deepEqual(listed(jobs, { ended: 'failed' }), [11]);
    assert.deepEqual(listed(jobs, { onlyLate: true }), [21]);
    assert.deepEqual(listed(jobs, { statuses: ['new', 'awaiting_assignment'] }), [31]);
    const { tasks, entries } = new ListView().part(jobs, { ...EMPTY, grouping: 'courier' }, MIDNIGHT);
    assert.equal(tasks, open);
    assert.deepEqual(
      entries.map((entry) => (entry.kind === 'group' ? entry.key : entry.row.id)),
      ['unassigned', 31, 'agent-7', 21, 'jobs', 20, 30],
    );
    assert.equal(new ListView().part(jobs, { ...EMPTY, search: 'TSK-30' }, MIDNIGHT).tasks, 1);
  });

  test('midnight forgets what ended before it, but a failed task only once it is attempted again or a day old', () => {
    const night = recordsOf(
      task(1),
      ended(2, -HOUR),
      ended(3, -HOUR, FAILED),
      ended(4, -HOUR, { ...FAILED, nextTaskId: 9 }),
    );
    night.forgetBefore(MIDNIGHT, MIDNIGHT);
    assert.deepEqual([...night.tasks.keys()], [1, 3]);
    night.forgetBefore(MIDNIGHT, MIDNIGHT - HOUR + FAILED_KEPT_MS);
    assert.deepEqual([...night.tasks.keys()], [1]);
    assert.equal(night.byStatus.get('completed')!.size, 0);
  });
});

test('couriers stand in the order in which people count: 9 before 10, and 19 before 189', () => {
  const records = new Records();
  const names = ['Courier 189', 'Courier 19', 'courier 2', 'Courier 199', 'Ömer 10', 'Ömer 9', 'Zoë'];
  const agentOf = (firstName: string) => ({ user: { firstName, lastName: null } }) as unknown as TaskView['agent'];
  const givenTo = (name: string, index: number) =>
    task(index + 1, { status: 'assigned', agentId: index + 1, agent: agentOf(name) });
  for (const view of names.map(givenTo)) records.putTask(view, 1);
  const { entries } = new ListView().part(records, { ...EMPTY, grouping: 'courier' }, MIDNIGHT);
  const order = entries.flatMap((entry) =>
    entry.kind === 'group' ? [names[Number(entry.key.slice('agent-'.length)) - 1]] : [],
  );
  assert.deepEqual(order, ['courier 2', 'Courier 19', 'Courier 189', 'Courier 199', 'Ömer 9', 'Ömer 10', 'Zoë']);
});

test('a range goes from one task to another in either order, past what is off the screen, and leaves folded groups out', () => {
  const view = new ListView();
  const records = recordsOf(
    task(1),
    task(2),
    task(3),
    ...[4, 5].map((id) => task(id, { status: 'assigned', agentId: 7 })),
  );
  view.part(records, { ...EMPTY, offset: 2, limit: 1 }, MIDNIGHT);
  assert.deepEqual(view.between(2, 4, []), [2, 3, 4]);
  assert.deepEqual(view.between(4, 2, []), [2, 3, 4]);
  assert.deepEqual(view.between(2, 2, []), [2]);
  assert.deepEqual(view.between(2, 5, ['new']), [], 'its beginning is folded');
  assert.deepEqual(view.between(2, 99, []), [], 'its end is not in the list');
  assert.deepEqual(view.between(1, 3, [], true), [1, 2, 3]);
  assert.deepEqual(view.between(2, 4, [], true), [], 'another column');
});

test('a search finds done tasks too, and a phone number as it is shown or dialled', () => {
  const german = { firstName: 'Max', lastName: 'Muster', countryCode: '+49', phoneNumber: '301234567' };
  const records = recordsOf(
    task(1),
    ended(2, HOUR),
    task(3, { customer: { user: german } as TaskView['customer'], code: 'A-2031-05-01-77' }),
    task(4, { customer: null, contact: { name: 'Grace', phone: '+33612345678' } }),
  );
  const table: readonly (readonly [search: string, ids: readonly number[]])[] = [
    ['lovelace', [1, 2]],
    ['+44 2079460001', [1, 2]],
    ['+44 20 7946 0001', [1, 2]],
    ['+44 (0)20 7946-0001 ada', [1, 2]],
    ['020 7946 0001', [1, 2]],
    ['(030) 123', [3]],
    ['0049 30 1234567', [3]],
    ['2031-05-01-77', [3]],
    ['06 12 34 56 78', [4]],
    ['0001 muster', []],
  ];
  for (const [search, ids] of table) assert.deepEqual(listed(records, { search }), ids, search);
});

test('a status is shown as what it is: looked for, found by nobody, taken back, or failed', () => {
  const search = { waitsFor: 'round', reason: null, since: null, until: at(HOUR) } as const;
  const table: readonly (readonly [fields: Partial<TaskView>, shown: string])[] = [
    [{}, 'new'],
    [{ autoAssignmentStatus: 'pending', search }, 'awaiting_assignment'],
    [{ status: 'awaiting_assignment', search }, 'awaiting_assignment'],
    [{ status: 'awaiting_assignment', autoAssignmentStatus: 'failed' }, 'nobody'],
    [{ status: 'awaiting_assignment', autoAssignmentStatus: 'cancelled' }, 'unassigned'],
    [{ status: 'completed', ...FAILED }, 'failed'],
    [{ status: 'in_transit', autoAssignmentStatus: 'failed' }, 'in_transit'],
  ];
  for (const [fields, shown] of table) assert.equal(shownStatusOf(task(1, fields)), shown, JSON.stringify(fields));
});

test('the list and the board name the selected tasks that search and filters hide, and those that are no longer loaded', () => {
  const records = recordsOf(task(1), task(2, { code: 'A-2' }), ended(3, -HOUR));
  const list = new ListView();
  const away = (query: Partial<ListQuery>) =>
    list.part(records, { ...EMPTY, selected: [1, 2, 3, 4], ...query }, MIDNIGHT).away;
  assert.deepEqual(away({}), [3, 4]);
  assert.deepEqual(away({ search: 'A-2' }), [1, 3, 4]);
  assert.deepEqual(away({ search: 'A-2', isHeld: true }), [1, 3, 4]);
  assert.deepEqual(
    away({ closed: ['new'], limit: 1 }),
    [3, 4],
    'rows that are folded or not on the screen are in the list',
  );
  assert.deepEqual(away({ selected: [1, 2] }), []);
  const onBoard = { ...EMPTY, search: 'A-2', grouping: 'stage', selected: [1, 2] } as const;
  assert.deepEqual(new ListView().board(records, { list: onBoard, ranges: {} }, MIDNIGHT).away, [1]);
});

test('a selection lets nothing into a list that is held', () => {
  const records = recordsOf(task(1));
  const list = new ListView();
  list.part(records, EMPTY, MIDNIGHT);
  records.putTask(task(2), 2);
  const { tasks, total, waiting } = list.part(records, { ...EMPTY, isHeld: true, selected: [1] }, MIDNIGHT);
  assert.deepEqual({ tasks, total, waiting }, { tasks: 2, total: 2, waiting: 1 });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STALE_MS } from '../../../../../gateway/console/live/heard.ts';
import { exceptionsOf, RISK_MS } from '../../../../../gateway/console/live/parts/exceptions.ts';
import { couriersOf } from '../../../../../gateway/console/live/parts/summaries.ts';
import type { ExceptionKind } from '../../../../../gateway/console/live/protocol.ts';
import { Records } from '../../../../../gateway/console/live/records.ts';
import type { AgentView } from '../../../../../schema/fleet/agent.ts';
import type { PositionView } from '../../../../../schema/fleet/position.ts';
import type { TaskView } from '../../../../../schema/tasks/task-view.ts';

const NOW = Date.parse('2031-05-01T12:00:00.000Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();
const HOUR = 3_600_000;
const COURIER = 7;

/** An ordinary task in the hands of a courier: expected well before it is due. */
function task(id: number, fields: Partial<TaskView> = {}): TaskView {
  const view = {
    id,
    code: `TSK-${id}`,
    name: 'Parcel',
    taskType: 'delivery',
    status: 'in_transit',
    customer: null,
    location: null,
    agentId: COURIER,
    agent: null,
    children: [],
    packages: [],
    contact: null,
    outcome: null,
    failureReason: null,
    nextTaskId: null,
    isDelayed: false,
    delayedAt: null,
    dueAt: at(HOUR),
    etaAt: at(HOUR / 2),
    arrivedAt: null,
    completedAt: null,
    updatedAt: at(-HOUR),
    search: null,
    autoAssignmentStatus: 'not_requested',
    autoAssignmentFailureReason: null,
    attempt: 1,
    ...fields,
  };
  return view as unknown as TaskView;
}

function courier(fields: Partial<AgentView> = {}): AgentView {
  const user = { firstName: 'Amina', lastName: 'Diallo' };
  return { id: COURIER, user, onDuty: true, isActive: true, dutyChangedAt: at(-HOUR), ...fields } as AgentView;
}

function recordsOf(tasks: readonly TaskView[], agent: AgentView = courier(), heardMs: number | null = -1_000): Records {
  const records = new Records();
  records.putAgent(agent, 1);
  for (const view of tasks) records.putTask(view, 1);
  if (heardMs !== null) records.putPosition(position(heardMs));
  return records;
}

function position(recordedMs: number, receivedMs = recordedMs, isStale = false): PositionView {
  return { agentId: COURIER, recordedAt: at(recordedMs), receivedAt: at(receivedMs), isStale } as PositionView;
}

const kindsOf = (records: Records) => exceptionsOf(records, NOW).items.map(({ kind }) => kind);

const UNSERVED = { status: 'awaiting_assignment', agentId: null, etaAt: null } as const;
const search = (waitsFor: string, reason: string | null = null) =>
  ({ search: { waitsFor, reason, since: at(-60_000), until: at(HOUR) } }) as Partial<TaskView>;

describe('the trouble of a task', () => {
  const table: readonly (readonly [name: string, fields: Partial<TaskView>, kind: ExceptionKind | undefined])[] = [
    ['a task on its way in time is no trouble', {}, undefined],
    ['a late task is late', { isDelayed: true, delayedAt: at(-60_000) }, 'late'],
    ['a cancelled late task is over', { isDelayed: true, status: 'cancelled' }, undefined],
    ['an estimate after the due time is a risk', { etaAt: at(HOUR + 1) }, 'at-risk'],
    ['it is none once the courier has arrived', { etaAt: at(HOUR + 1), arrivedAt: at(-1) }, undefined],
    ['an estimate at the due time is no risk', { etaAt: at(HOUR) }, undefined],
    [
      'a task that nobody has set out for is a risk shortly before it is due',
      { status: 'accepted', etaAt: null, dueAt: at(RISK_MS - 1) },
      'at-risk',
    ],
    ['it is none before', { status: 'accepted', etaAt: null, dueAt: at(RISK_MS) }, undefined],
    ['a task on its way is none, however near', { dueAt: at(1), etaAt: at(0) }, undefined],
    ['a search in its next round is no trouble', { ...UNSERVED, ...search('round') }, undefined],
    [
      'a search that nobody is eligible for found nobody',
      { ...UNSERVED, ...search('eligible_agent', 'capacity_exceeded') },
      'nobody',
    ],
    [
      'a search that has failed found nobody',
      { ...UNSERVED, autoAssignmentStatus: 'failed', autoAssignmentFailureReason: 'all_rejected' },
      'nobody',
    ],
    [
      'a failed search is over once somebody has the task',
      { status: 'assigned', etaAt: null, autoAssignmentStatus: 'failed', autoAssignmentFailureReason: 'all_rejected' },
      undefined,
    ],
    [
      'a failed attempt waits for another one',
      { status: 'completed', outcome: 'failed', completedAt: at(-1) },
      'failed',
    ],
    ['one that was attempted again does not', { status: 'completed', outcome: 'failed', nextTaskId: 2 }, undefined],
    ['a success is no trouble', { status: 'completed', outcome: 'succeeded' }, undefined],
    ['a job leaves its trouble to its children', { isDelayed: true, children: [task(101)] }, undefined],
  ];
  for (const [name, fields, kind] of table)
    test(name, () => assert.deepEqual(kindsOf(recordsOf([task(1, fields)])), kind === undefined ? [] : [kind]));

  test('a late task that nobody may take is listed once, with the reason', () => {
    const late = task(1, { ...UNSERVED, ...search('eligible_agent', 'capacity_exceeded'), isDelayed: true });
    const { items } = exceptionsOf(recordsOf([late]), NOW);
    assert.deepEqual(
      items.map(({ kind, reason }) => [kind, reason]),
      [['late', 'capacity_exceeded']],
    );
  });
});

describe('the trouble of a courier', () => {
  const table: readonly (readonly [string, AgentView, number | null, ExceptionKind | undefined])[] = [
    ['a courier that is heard of is no trouble', courier(), -STALE_MS, undefined],
    ['a courier with an old position is lost', courier(), -STALE_MS - 1, 'lost-courier'],
    ['a courier that was never heard of is lost', courier(), null, 'lost-courier'],
    ['a courier that has just begun has time to be heard of', courier({ dutyChangedAt: at(-1_000) }), null, undefined],
    ['a courier off duty with open tasks has left', courier({ onDuty: false }), -1_000, 'left-courier'],
  ];
  for (const [name, agent, heardMs, kind] of table)
    test(name, () => assert.deepEqual(kindsOf(recordsOf([task(1)], agent, heardMs)), kind === undefined ? [] : [kind]));

  test('a courier who stands still and sends heartbeats is not lost', () => {
    const records = recordsOf([task(1)], courier(), -2 * STALE_MS);
    assert.deepEqual(kindsOf(records), ['lost-courier']);
    records.putPosition(position(-2 * STALE_MS, -1_000));
    assert.deepEqual(kindsOf(records), []);
    assert.equal(couriersOf(records)[0]!.heardAtMs, NOW - 1_000);
    // A reading that was made before the heartbeat and comes after it.
    records.putPosition(position(-2 * STALE_MS));
    assert.deepEqual(kindsOf(records), []);
    assert.deepEqual(
      exceptionsOf(records, NOW + STALE_MS).items.map(({ kind, sinceMs }) => [kind, sinceMs]),
      [['lost-courier', NOW - 1_000]],
    );
  });

  test('a courier whose old position has only now come is lost', () => {
    const records = recordsOf([task(1)], courier(), null);
    records.putPosition(position(-2 * STALE_MS, -1_000, true));
    assert.deepEqual(kindsOf(records), ['lost-courier']);
  });

  test('a lost courier without open tasks is no trouble, and with some it names them', () => {
    const done = task(1, { status: 'completed', outcome: 'succeeded' });
    assert.deepEqual(kindsOf(recordsOf([done], courier(), null)), []);
    const [lost] = exceptionsOf(recordsOf([task(1), task(2)], courier(), null), NOW).items;
    assert.deepEqual([lost?.courier, lost?.taskIds], ['Amina Diallo', [1, 2]]);
  });
});

test('the list begins with the most urgent kind and the oldest of it, and an item leaves with its cause', () => {
  const late = (id: number, ms: number) => task(id, { isDelayed: true, delayedAt: at(ms) });
  const records = recordsOf([
    task(1, { status: 'completed', outcome: 'failed', completedAt: at(-9) }),
    task(2, { etaAt: at(2 * HOUR) }),
    late(3, -1_000),
    late(4, -2_000),
  ]);
  const keys = () => exceptionsOf(records, NOW).items.map(({ key }) => key);
  assert.deepEqual(keys(), ['task-4', 'task-3', 'task-2', 'task-1']);
  records.putTask(task(4, { status: 'completed', outcome: 'succeeded', isDelayed: true }), 2);
  records.putTask(task(2), 2);
  assert.deepEqual(keys(), ['task-3', 'task-1']);
  assert.deepEqual(exceptionsOf(records, NOW).counts, {
    late: 1,
    nobody: 0,
    'lost-courier': 0,
    'left-courier': 0,
    'at-risk': 0,
    failed: 1,
  });
});

test('hundreds of late tasks leave the other kinds in the list, and all are counted', () => {
  const late = Array.from({ length: 310 }, (_, index) => task(index + 1, { isDelayed: true, delayedAt: at(-index) }));
  const nobody = Array.from({ length: 12 }, (_, index) =>
    task(401 + index, { ...UNSERVED, ...search('eligible_agent') }),
  );
  const { items, counts, total } = exceptionsOf(recordsOf([...late, ...nobody]), NOW);
  assert.deepEqual([counts.late, counts.nobody, total], [310, 12, 322]);
  assert.equal(items[0]!.key, 'task-310');
  assert.ok(items.filter(({ kind }) => kind === 'late').length < 310);
  assert.equal(items.filter(({ kind }) => kind === 'nobody').length, 12);
});

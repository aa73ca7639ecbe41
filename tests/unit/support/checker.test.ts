import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FinalRows, findViolations, type Rule } from '../../support/checker.ts';
import { Journal, refusedOutcome } from '../../support/journal.ts';

const ORG = 7;
const DUE = '2026-11-22T10:00:00.000Z' as string | null;
const TASK = { organizationId: ORG, notes: null as string | null, parentId: null as number | null };
const LATER = '2026-11-23T10:00:00.000Z';

/** Two tasks, the second one cancelled; a stream that saw everything; a takeover before the last event. */
function soundRun() {
  const journal = new Journal();
  const create = (key: string, taskId: number, sequence: number) => {
    journal.sent({ key, organizationId: ORG, kind: 'create' });
    journal.heard(key, { kind: 'unknown', why: 'the connection was lost' });
    journal.heard(key, { kind: 'acknowledged', taskId, sequence, data: `{"id":${taskId}}` });
  };
  create('one', 101, 1);
  create('two', 102, 2);
  journal.sent({ key: 'cancel', organizationId: ORG, kind: 'cancel', taskId: 102 });
  journal.heard('cancel', { kind: 'acknowledged', taskId: 102, sequence: 3, data: '{"id":102}' });
  journal.sent({ key: 'again', organizationId: ORG, kind: 'cancel', taskId: 102 });
  journal.heard('again', refusedOutcome(409, 'INVALID_STATUS_TRANSITION'));
  journal.sent({ key: 'nothing', organizationId: ORG, kind: 'create' });
  journal.heard('nothing', refusedOutcome(503, 'NOT_APPLIED'));
  const see = journal.watched(ORG, 0);
  for (const [sequence, taskId] of [
    [1, 101],
    [2, 102],
    [3, 102],
  ] as const)
    see({ sequence, taskId });
  journal.tookOver({ organizationId: ORG, epoch: 2, sequence: 2 });
  const event = (sequence: number, type: string, taskId: number, epoch: number) => ({
    organizationId: ORG,
    sequence,
    type,
    taskId,
    epoch,
  });
  const rows = {
    tasks: [
      { ...TASK, id: 101, name: 'one', status: 'new', kind: 'new', deadlineAt: DUE },
      { ...TASK, id: 102, name: 'two', status: 'cancelled', kind: 'cancelled', deadlineAt: null as string | null },
    ],
    events: [
      event(1, 'task.created', 101, 1),
      event(2, 'task.created', 102, 1),
      event(3, 'task.status_changed', 102, 2),
    ],
    history: [
      { organizationId: ORG, taskId: 101, sequence: 1 },
      { organizationId: ORG, taskId: 102, sequence: 2 },
      { organizationId: ORG, taskId: 102, sequence: 3 },
    ],
    heads: [{ organizationId: ORG, lastSequence: 3, nextDeadlineAt: DUE }],
    usage: [
      { organizationId: ORG, resource: 'tasks' as const, used: 2 },
      { organizationId: ORG, resource: 'customers' as const, used: 1 },
    ],
    customers: [{ organizationId: ORG, count: 1 }],
    counters: [
      { organizationId: ORG, kind: 'new', count: 1 },
      { organizationId: ORG, kind: 'cancelled', count: 1 },
    ],
  };
  return { journal, rows, event };
}

type Run = ReturnType<typeof soundRun>;

function rulesBroken(rows: FinalRows, journal: Journal): Rule[] {
  return [...new Set(findViolations(journal, rows).map(({ rule }) => rule))].sort();
}

test('a run in which every promise was kept has no violation', () => {
  const { journal, rows } = soundRun();
  assert.deepEqual(findViolations(journal, rows), []);
});

/** The planted fault, how it is planted, and the rules that must find it. */
const planted: readonly (readonly [what: string, plant: (run: Run) => void, rules: readonly Rule[]])[] = [
  [
    'an acknowledged task that is lost with all its traces',
    ({ rows }) => {
      rows.tasks.shift();
      rows.history.shift();
      rows.events.shift();
      rows.usage[0]!.used = 1;
      rows.counters.shift();
    },
    ['gap', 'lost', 'stream-phantom'],
  ],
  [
    'an acknowledged task whose row is lost',
    ({ rows }) => void rows.tasks.shift(),
    ['counters', 'event-without-row', 'lost', 'usage'],
  ],
  [
    'an acknowledged cancel that is lost',
    ({ rows }) => {
      rows.tasks[1]!.status = 'new';
      rows.events.pop();
      rows.history.pop();
      rows.heads[0]!.lastSequence = 2;
    },
    ['lost', 'stream-phantom'],
  ],
  [
    'an answer at a position that the log never reached',
    ({ journal }) => journal.heard('one', { kind: 'acknowledged', taskId: 101, sequence: 9, data: '{"id":101}' }),
    ['lost'],
  ],
  [
    'an operation that was carried out twice',
    ({ rows, event }) => {
      rows.tasks.push({ ...TASK, id: 103, name: 'one', status: 'new', kind: 'new', deadlineAt: DUE });
      rows.counters[0]!.count = 2;
      rows.events.push(event(4, 'task.created', 103, 2));
      rows.history.push({ organizationId: ORG, taskId: 103, sequence: 4 });
      rows.heads[0]!.lastSequence = 4;
      rows.usage[0]!.used = 3;
    },
    ['doubled-task', 'stream-missed'],
  ],
  [
    'a second answer that names another task',
    ({ journal }) => journal.heard('one', { kind: 'acknowledged', taskId: 102, sequence: 1, data: '{"id":102}' }),
    ['changed-answer', 'lost'],
  ],
  [
    'a second answer with another body',
    ({ journal }) => journal.heard('one', { kind: 'acknowledged', taskId: 101, sequence: 1, data: '{"id":101,"x":1}' }),
    ['changed-answer'],
  ],
  [
    'a task that exists although its client got NOT_APPLIED',
    ({ rows }) => {
      rows.tasks[0]!.name = 'nothing';
    },
    ['lost', 'phantom'],
  ],
  [
    'a task that nobody asked for',
    ({ rows }) => {
      rows.tasks[0]!.name = 'three';
    },
    ['lost', 'phantom'],
  ],
  [
    'a cancelled task that nobody wanted cancelled',
    ({ rows }) => {
      rows.tasks[0]!.status = 'cancelled';
    },
    ['phantom', 'row-without-event'],
  ],
  [
    'an event that is missing',
    ({ rows }) => void rows.events.splice(1, 1),
    ['gap', 'row-without-event', 'stream-phantom'],
  ],
  [
    'an event that is missing at the end',
    ({ rows }) => void rows.events.pop(),
    ['gap', 'row-without-event', 'stream-phantom'],
  ],
  [
    'a sequence that was given twice',
    ({ rows, event }) => void rows.events.push(event(2, 'task.created', 102, 1)),
    ['doubled-event', 'event-without-row'],
  ],
  [
    'a change with two events',
    ({ rows, event, journal }) => {
      rows.events.push(event(4, 'task.status_changed', 102, 2));
      rows.history.push({ organizationId: ORG, taskId: 102, sequence: 4 });
      rows.heads[0]!.lastSequence = 4;
      journal.streams[0]!.seen.push({ sequence: 4, taskId: 102 });
    },
    ['doubled-event'],
  ],
  [
    'a step of history without an event',
    ({ rows }) => void rows.history.push({ organizationId: ORG, taskId: 101, sequence: 8 }),
    ['row-without-event'],
  ],
  ['an event without its step in the history', ({ rows }) => void rows.history.shift(), ['event-without-row']],
  [
    'two writers whose events interleave',
    ({ rows, journal }) => {
      rows.events[0]!.epoch = 2;
      journal.takeovers.length = 0;
    },
    ['second-writer'],
  ],
  [
    'a commit of the old owner after the new one had taken over',
    ({ journal }) => journal.tookOver({ organizationId: ORG, epoch: 2, sequence: 1 }),
    ['second-writer'],
  ],
  ['a stream that missed an event', ({ journal }) => void journal.streams[0]!.seen.splice(1, 1), ['stream-missed']],
  ['a stream that missed the end', ({ journal }) => void journal.streams[0]!.seen.pop(), ['stream-missed']],
  [
    'a stream that saw an event twice',
    ({ journal }) => void journal.streams[0]!.seen.push({ sequence: 3, taskId: 102 }),
    ['stream-repeated'],
  ],
  [
    'a stream that saw events out of order',
    ({ journal }) => void journal.streams[0]!.seen.reverse(),
    ['stream-missed', 'stream-repeated'],
  ],
  [
    'a stream that showed what was undone',
    ({ journal }) => void journal.streams[0]!.seen.splice(1, 1, { sequence: 2, taskId: 109 }),
    ['stream-phantom'],
  ],
  [
    'a timer that nobody looks at',
    ({ rows }) => {
      rows.heads[0]!.nextDeadlineAt = null;
    },
    ['lost-timer'],
  ],
  [
    'a timer that is looked at too late',
    ({ rows }) => {
      rows.heads[0]!.nextDeadlineAt = LATER;
    },
    ['lost-timer'],
  ],
  [
    'a quota that counts what is not there',
    ({ rows }) => {
      rows.usage[0]!.used = 3;
    },
    ['usage'],
  ],
  [
    'a customer that was not counted',
    ({ rows }) => {
      rows.customers[0]!.count = 2;
    },
    ['usage'],
  ],
  [
    'a counter that was moved twice',
    ({ rows }) => {
      rows.counters[0]!.count = 0;
      rows.counters[1]!.count = 2;
    },
    ['counters'],
  ],
  [
    'a counter of tasks that are not there',
    ({ rows }) => void rows.counters.push({ organizationId: ORG, kind: 'assigned', count: 1 }),
    ['counters'],
  ],
  [
    'a create that was refused',
    ({ journal }) => journal.heard('nothing', refusedOutcome(422, 'IDEMPOTENCY_KEY_REUSED')),
    ['wrong-answer'],
  ],
  [
    'a create of which the server itself failed, although its next attempt was carried out',
    ({ journal }) => journal.heard('one', refusedOutcome(500, undefined)),
    ['wrong-answer'],
  ],
  [
    'a cancel that is said to be of no task',
    ({ journal }) => journal.heard('cancel', refusedOutcome(404, undefined)),
    ['wrong-answer'],
  ],
  [
    'an update that nobody asked for',
    ({ rows }) => {
      rows.tasks[0]!.notes = 'changed';
    },
    ['phantom', 'row-without-event'],
  ],
  [
    'an acknowledged update that is lost',
    ({ journal }) => {
      journal.sent({ key: 'update', organizationId: ORG, kind: 'update', taskId: 101 });
      journal.heard('update', { kind: 'acknowledged', taskId: 101, sequence: 3, data: '{}' });
    },
    ['lost'],
  ],
  [
    'a batch of which one task is missing',
    ({ journal }) => {
      journal.sent({ key: 'batch', organizationId: ORG, kind: 'batch' });
      journal.heard('batch', { kind: 'acknowledged', taskId: 103, taskIds: [103, 104, 105], sequence: 3, data: '{}' });
    },
    ['lost'],
  ],
  [
    'a child that goes on when its job is cancelled',
    ({ rows }) => {
      rows.tasks[0]!.parentId = 102;
    },
    ['lost'],
  ],
];

for (const [what, plant, rules] of planted) {
  test(`the checker finds ${what}`, () => {
    const run = soundRun();
    plant(run);
    assert.deepEqual(rulesBroken(run.rows, run.journal), rules);
  });
}

test('a refusal that a test provokes is no violation', () => {
  const { journal, rows } = soundRun();
  journal.heard('nothing', refusedOutcome(500, undefined));
  assert.deepEqual(
    findViolations(journal, rows, ({ key }, status) => key === 'nothing' && status === 500),
    [],
  );
});

for (const [status, code] of [
  [503, 'OUTCOME_UNKNOWN'],
  [500, undefined],
] as const) {
  test(`a refusal with ${status} that leaves the outcome open may turn out either way`, () => {
    const { journal, rows } = soundRun();
    const rulesOf = () => findViolations(journal, rows, () => true).map(({ rule }) => rule);
    journal.sent({ key: 'open', organizationId: ORG, kind: 'create' });
    journal.heard('open', refusedOutcome(status, code));
    assert.deepEqual(rulesOf(), []);
    rows.tasks[0]!.name = 'open';
    assert.deepEqual(rulesOf(), ['lost'], 'the task of "one" is missed, the one of "open" is no phantom');
  });
}

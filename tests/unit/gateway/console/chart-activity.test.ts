import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ChartEvent,
  emptyActivity,
  forgetBefore,
  onTimeShare,
  openByStatus,
  takeEvent,
  tasksPerMinute,
  timeToAssign,
  WAIT_STEPS,
} from '../../../../gateway/console/charts/activity.ts';
import { findStart, ReadError, readOn } from '../../../../gateway/console/charts/read-log.ts';
import { chartsText } from '../../../../gateway/console/text/english-charts.ts';
import type { TaskStatus } from '../../../../schema/tasks/task.ts';

const START = Date.parse('2031-05-01T08:00:00Z');
const MINUTE = 60_000;
const at = (minute: number) => new Date(START + minute * MINUTE).toISOString();
const SPAN = { fromMs: START, toMs: START + 10 * MINUTE };

function log(...rows: readonly (readonly [minute: number, from: TaskStatus | null, to: TaskStatus, more?: object])[]) {
  const activity = emptyActivity();
  for (const [index, [minute, previousStatus, status, more]] of rows.entries()) {
    const task = {
      id: index,
      children: [],
      createdAt: at(0),
      timeToServe: 'asap',
      isDelayed: false,
      outcome: null,
      ...more,
    };
    const type = previousStatus === null ? 'task.created' : 'task.status_changed';
    const data = { task, ...(previousStatus === null ? {} : { previousStatus, status }) };
    takeEvent(activity, { type, sequence: index + 1, timestamp: at(minute), data } as ChartEvent);
  }
  return activity;
}

test('tasks a minute are those that came and those that ended, and the time before the span is forgotten', () => {
  const activity = log(
    [0.5, null, 'new'],
    [0.9, null, 'new'],
    [3.1, null, 'new'],
    [3.2, 'in_transit', 'completed', { outcome: 'succeeded' }],
    [4, 'new', 'cancelled'],
    [4.5, 'new', 'awaiting_assignment'],
  );
  const { times, values, samples } = tasksPerMinute(activity, SPAN);
  assert.equal(times.length, 10);
  assert.deepEqual(values, [
    [2, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 1, 1, 0, 0, 0, 0, 0],
  ]);
  assert.equal(samples, 5);
  forgetBefore(activity, START + MINUTE);
  assert.deepEqual(tasksPerMinute(activity, SPAN).values[0], [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
});

test('the time to assign is counted once a search, from the creation, without scheduled tasks', () => {
  const { values, samples } = timeToAssign(
    log(
      [1, 'new', 'awaiting_assignment'],
      [1, 'new', 'assigned'],
      [2, 'awaiting_assignment', 'accepted'],
      [3, 'assigned', 'accepted'],
      [3, 'awaiting_assignment', 'accepted', { timeToServe: 'scheduled' }],
      [4, 'awaiting_assignment', 'assigned'],
    ),
    SPAN,
  );
  assert.deepEqual(values, [
    [120, null],
    [240, null],
  ]);
  assert.equal(samples, 3);
});

test('a task that couriers decline again and again is counted once it has one who keeps it', () => {
  const declined = { id: 7 };
  const offers = [1, 2, 3].flatMap((minute) => [
    [minute, 'awaiting_assignment', 'assigned', declined] as const,
    [minute + 0.5, 'assigned', 'awaiting_assignment', declined] as const,
  ]);
  assert.equal(timeToAssign(log(...offers), SPAN).samples, 0);
  const kept = log(...offers, [4, 'awaiting_assignment', 'assigned', declined], [5, 'assigned', 'accepted', declined]);
  const { values, samples } = timeToAssign(kept, SPAN);
  assert.deepEqual([values[0], samples], [[240, null], 1]);
  const another = log(offers[0]!, [1.2, 'new', 'assigned', { id: 8 }], offers[1]!);
  assert.deepEqual(timeToAssign(another, SPAN).values[0], [72, null]);
});

test('each tick of the axis of waiting times says its time, and no two say the same', () => {
  const ticks = WAIT_STEPS.flatMap((step) => [0, 1, 2, 3, 4, 5, 6].map((count) => count * step));
  for (const seconds of ticks) {
    const [, number, unit] = /^([\d.,]+) (s|min)$/.exec(chartsText.seconds(seconds))!;
    assert.equal(Number(number!.replaceAll(',', '')) * (unit === 'min' ? 60 : 1), seconds);
  }
});

test('the share in time counts tasks that succeeded, and leaves out those that failed or were cancelled', () => {
  const { values, samples } = onTimeShare(
    log(
      [1, 'in_transit', 'completed', { outcome: 'succeeded' }],
      [2, 'in_transit', 'completed', { outcome: 'succeeded', isDelayed: true }],
      [3, 'in_transit', 'completed', { outcome: 'failed' }],
      [6, 'in_transit', 'completed', { outcome: 'succeeded' }],
      [7, 'in_transit', 'cancelled'],
    ),
    SPAN,
  );
  assert.deepEqual([values, samples], [[[50, 100]], 3]);
});

test('open tasks of the past follow from those of one place in the log and the events on both sides of it', () => {
  const activity = log(
    [1.5, null, 'new'],
    [2.5, 'new', 'assigned'],
    [5.5, null, 'new'],
    [8.5, 'assigned', 'cancelled'],
  );
  // After the third event: one is unassigned, one assigned, and three have been on their way all along.
  const counts = { unassigned: 1, assigned: 1, accepted: 0, in_transit: 3 };
  assert.deepEqual(openByStatus(activity, SPAN, counts, 3).values, [
    [0, 1, 0, 0, 0, 1, 1, 1, 1, 1],
    [0, 0, 1, 1, 1, 1, 1, 1, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [3, 3, 3, 3, 3, 3, 3, 3, 3, 3],
  ]);
});

test('a job is not counted beside its children', () => {
  const job = { children: [{}, {}] };
  const activity = log(
    [1, null, 'new', job],
    [1, null, 'new'],
    [1, null, 'new'],
    [5, 'new', 'cancelled'],
    [6, 'new', 'cancelled'],
    [6, 'new', 'cancelled', job],
  );
  assert.equal(tasksPerMinute(activity, SPAN).samples, 4);
  const counts = { unassigned: 2, assigned: 0, accepted: 0, in_transit: 0 };
  assert.deepEqual(openByStatus(activity, SPAN, counts, 3).values[0], [0, 2, 2, 2, 2, 1, 0, 0, 0, 0]);
});

/** A log with one event a second, that of sequence n at second n. */
function fakeLog(last: number, expiredBefore = 0) {
  const read = async (path: string) => {
    const query = new URLSearchParams(path.slice(path.indexOf('?')));
    const [after, limit] = [Number(query.get('after')), Number(query.get('limit'))];
    if (after < expiredBefore)
      return {
        ok: false as const,
        failure: { status: 410, code: 'EVENTS_EXPIRED', message: 'expired', details: null },
      };
    const items = Array.from({ length: Math.min(limit, Math.max(0, last - after)) }, (_, index) => {
      const sequence = after + index + 1;
      return { type: 'task.updated', sequence, timestamp: new Date(START + sequence * 1_000).toISOString(), data: {} };
    });
    const data = { items: items as unknown as ChartEvent[], nextAfter: after + items.length };
    return { ok: true as const, status: 200, data };
  };
  return { read };
}

test('the start of a span is found in the log, at its beginning, its retention and its bound too', async () => {
  const second = (s: number) => START + s * 1_000;
  const table: readonly (readonly [
    last: number,
    since: number,
    expired: number,
    most: number,
    after: number,
    sinceS: number,
  ])[] = [
    [1_000, 400, 0, 5_000, 399, 400],
    [1_000, 1_000, 0, 5_000, 999, 1_000],
    [1_000, 2_000, 0, 5_000, 1_000, 2_000],
    [1_000, 1, 0, 5_000, 0, 1],
    [1_000, -50, 0, 5_000, 0, 1],
    [1_000, 400, 600, 5_000, 600, 601],
    [1_000, 400, 0, 100, 900, 901],
    [0, 400, 0, 100, 0, 400],
  ];
  for (const [last, since, expired, most, after, sinceS] of table) {
    const found = await findStart(fakeLog(last, expired).read, last, second(since), most);
    assert.deepEqual(found, { after, sinceMs: second(sinceS) }, `${last} ${since} ${expired} ${most}`);
  }
});

test('the log is read page by page to its end, and a refusal is thrown', async () => {
  const taken: number[] = [];
  assert.equal(await readOn(fakeLog(1_001).read, 400, ({ sequence }) => taken.push(sequence)), 1_001);
  assert.deepEqual([taken.length, taken[0], taken.at(-1)], [601, 401, 1_001]);
  await assert.rejects(
    readOn(fakeLog(10, 5).read, 2, () => {}),
    ReadError,
  );
});

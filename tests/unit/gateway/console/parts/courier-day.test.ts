import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentAt, timeScaleOf } from '../../../../../gateway/console/couriers/time-scale.ts';
import { courierDayOf } from '../../../../../gateway/console/live/parts/summaries.ts';
import { Records } from '../../../../../gateway/console/live/records.ts';
import { formatted } from '../../../../../gateway/console/time/wall-clock.ts';
import type { AgentView } from '../../../../../schema/fleet/agent.ts';
import type { TaskView } from '../../../../../schema/tasks/task-view.ts';

const NOW = Date.parse('2031-05-01T12:00:00.000Z');
const MIDNIGHT = Date.parse('2031-05-01T00:00:00.000Z');
const HOUR = 3_600_000;
const at = (ms: number) => new Date(NOW + ms).toISOString();
const COURIER = 7;

function task(id: number, fields: Partial<TaskView> = {}): TaskView {
  const open = {
    id,
    code: `TSK-${id}`,
    name: 'Parcel',
    status: 'accepted',
    customer: null,
    location: null,
    agentId: COURIER,
    children: [],
    packages: [],
    contact: null,
    outcome: null,
    isDelayed: false,
    dueAt: at(2 * HOUR),
    etaAt: null,
    windowStart: null,
    windowEnd: null,
    pickupEtaAt: null,
    pickedUpAt: null,
    completedAt: null,
    cancelledAt: null,
    search: null,
    autoAssignmentStatus: 'not_requested',
  };
  return { ...open, ...fields } as unknown as TaskView;
}

function dayOf(...tasks: TaskView[]) {
  const records = new Records();
  const agent = { id: COURIER, dutyChangedAt: at(-HOUR), shift: null, skills: [], vehicle: { maxPackages: 5 } };
  records.putAgent(agent as unknown as AgentView, 1);
  for (const view of tasks) records.putTask(view, 1);
  return courierDayOf(records, COURIER, { todayMs: MIDNIGHT, nowMs: NOW })!;
}

const done = (id: number, ms: number) =>
  task(id, { status: 'completed', outcome: 'succeeded', completedAt: at(ms) } as Partial<TaskView>);

test('the day of a courier has what was done today first, then the stops in the order in which they are expected', () => {
  const { stops } = dayOf(
    task(1, { etaAt: at(HOUR) }),
    task(2, { etaAt: at(HOUR / 2) }),
    task(3),
    done(4, -HOUR),
    done(5, -2 * HOUR),
    done(6, MIDNIGHT - NOW - 1),
    task(7, { agentId: 8 }),
    task(8, { status: 'cancelled', cancelledAt: at(-1) }),
  );
  assert.deepEqual(
    stops.map(({ row }) => row.id),
    [5, 4, 2, 1, 3],
  );
});

test('the load is that of the open tasks, by weight and by number', () => {
  const packages = [
    { quantity: 2, weight: 1.5 },
    { quantity: 1, weight: null },
  ] as unknown as TaskView['packages'];
  const {
    weightKg,
    packages: count,
    maxPackages,
    maxWeightKg,
  } = dayOf(task(1, { packages }), { ...done(2, -1), packages });
  assert.deepEqual([weightKg, count, maxPackages, maxWeightKg], [3, 3, 5, null]);
});

test('a courier whom the worker does not hold has no day', () => {
  assert.equal(courierDayOf(new Records(), COURIER, { todayMs: MIDNIGHT, nowMs: NOW }), null);
});

test('the scale of a day holds now and every stop, three hours at least, and no more than eight hours are named', () => {
  const short = timeScaleOf(dayOf(task(1, { etaAt: at(HOUR / 4), dueAt: at(HOUR / 2) })).stops, NOW, 'UTC');
  assert.equal(short.untilMs - short.fromMs, 3 * HOUR);
  assert.ok(short.fromMs < NOW);
  const { stops } = dayOf(done(1, -6 * HOUR), task(2, { dueAt: at(9 * HOUR) }), task(3, { dueAt: at(40 * HOUR) }));
  const long = timeScaleOf(stops, NOW, 'UTC');
  assert.deepEqual([NOW - long.fromMs, long.untilMs - NOW], [6.25 * HOUR, 9.25 * HOUR]);
  assert.ok(long.ticks.length <= 8 && long.ticks.every((tick) => tick % HOUR === 0));
  assert.equal(percentAt(long, long.fromMs), 0);
  assert.equal(percentAt(long, NOW + 40 * HOUR), 100);
});

for (const [zone, expected] of [
  ['UTC', ['11:00', '12:00', '13:00', '14:00']],
  ['Asia/Kolkata', ['17:00', '18:00', '19:00']],
  ['Asia/Kathmandu', ['17:00', '18:00', '19:00']],
] as const)
  test(`the scale of a day in ${zone} names whole hours of its clock`, () => {
    const { stops } = dayOf(done(1, -HOUR), task(2, { dueAt: at(2 * HOUR) }));
    assert.deepEqual(
      timeScaleOf(stops, NOW, zone).ticks.map((tick) => formatted('minute', tick, zone)),
      expected,
    );
  });

test('the scale of a long day names every second hour, also where the clock moves', () => {
  // At 01:00 UTC the clocks of Berlin go from 02:00 to 03:00.
  const night = Date.parse('2031-03-30T01:00:00.000Z');
  const stop = { ...dayOf(task(1)).stops[0]!, windowStartMs: null, windowEndMs: null, pickupEtaMs: null };
  const stops = [-5, 5].map((hours) => ({
    ...stop,
    row: { ...stop.row, dueAtMs: night + hours * HOUR },
  }));
  assert.deepEqual(
    timeScaleOf(stops, night, 'Europe/Berlin').ticks.map((tick) => formatted('minute', tick, 'Europe/Berlin')),
    ['22:00', '00:00', '04:00', '06:00', '08:00'],
  );
});

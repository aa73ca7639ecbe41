import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Changes, LiveCore } from '../../../../../gateway/console/live/live-core.ts';
import { PagePort } from '../../../../../gateway/console/live/parts/page-port.ts';
import type { FromWorker, Patch, Watch } from '../../../../../gateway/console/live/protocol.ts';
import { Records } from '../../../../../gateway/console/live/records.ts';
import type { PositionView } from '../../../../../schema/fleet/position.ts';
import type { TaskView } from '../../../../../schema/tasks/task-view.ts';

const NOTHING: Watch = { list: null, board: null, taskId: null, courierId: null, map: false };

function pageBeside(t: test.TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const records = new Records();
  const connection = {
    state: 'live' as 'live' | 'loading',
    seenAtMs: 0,
    clockOffsetMs: 0,
    lagMs: null,
    missed: 0,
    resumes: 0,
    problem: null,
  };
  const core = { records, connection, sequence: 1, timeZone: 'UTC' } as unknown as LiveCore;
  const patches: Patch[] = [];
  const unpainted: Patch[] = [];
  const port = new PagePort((message: FromWorker) => {
    if (message.kind !== 'patch') return;
    patches.push(message.patch);
    unpainted.push(message.patch);
  });
  port.attach(core);
  return {
    port,
    records,
    connection,
    /** The parts that have come since the last call. */
    taken: () => patches.splice(0).flatMap((patch) => Object.keys(patch)),
    /** The page paints everything that it has; pins take so long. */
    paint(drawMs = 16) {
      for (const { courierPins } of unpainted.splice(0)) port.painted(courierPins ? drawMs : null);
    },
    pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 1) {
        now += 1;
        t.mock.timers.tick(1);
      }
    },
  };
}

function move(records: Records, longitude: number): void {
  const recordedAt = new Date(1_000 * longitude).toISOString();
  const times = { recordedAt, receivedAt: recordedAt, isStale: false };
  records.putPosition({ agentId: 1, latitude: 1, longitude, onDuty: true, ...times } as PositionView);
}

test('a part that a person asks for comes at once, also while the page paints', (t) => {
  const { port, taken, pass } = pageBeside(t);
  pass(20);
  taken();
  port.watch({ ...NOTHING, taskId: 7 });
  assert.deepEqual(taken(), ['task']);
});

test('a part that changes by itself waits until the page has painted', (t) => {
  const { port, taken, paint, pass } = pageBeside(t);
  pass(20);
  taken();
  port.changed({ connection: true });
  pass(1_000);
  assert.deepEqual(taken(), []);
  paint();
  pass(20);
  assert.deepEqual(taken(), ['connection', 'exceptions']);
});

test('a part that changes by itself waits for every patch that the page has', (t) => {
  const { port, taken, pass } = pageBeside(t);
  pass(20);
  port.watch({ ...NOTHING, taskId: 7 });
  taken();
  port.changed({ connection: true });
  port.painted(null);
  pass(100);
  assert.deepEqual(taken(), []);
  port.painted(null);
  pass(20);
  assert.deepEqual(taken(), ['connection']);
});

test('a part that is due now does not wait for one that is due later', (t) => {
  const { port, taken, paint, pass } = pageBeside(t);
  pass(20);
  paint();
  port.changed({ agents: true });
  pass(30);
  taken();
  paint();
  port.changed({ connection: true });
  pass(20);
  assert.deepEqual(taken(), ['connection']);
});

test('the first figures come with the first couriers, however soon the records follow the page', (t) => {
  const { port, connection, taken, paint, pass } = pageBeside(t);
  connection.state = 'loading';
  port.changed({ agents: true });
  pass(20);
  paint();
  assert.deepEqual(taken(), ['connection', 'task']);
  connection.state = 'live';
  port.changed({ agents: true });
  pass(20);
  assert.deepEqual(taken(), ['figures', 'exceptions', 'couriers', 'courierDay']);
});

test('changes that come faster than frames are sent all the same', (t) => {
  const { port, taken, paint, pass } = pageBeside(t);
  pass(20);
  paint();
  taken();
  for (let step = 0; step < 10; step += 1) {
    port.changed({ connection: true });
    pass(3);
  }
  assert.deepEqual(taken(), ['connection']);
});

test('the page hears which tasks an agent or an external courier has, also of those that it does not show', (t) => {
  const { port, records } = pageBeside(t);
  const put = (id: number, agentId: number | null, courierId: number | null) => {
    const taker = { agentId, courierId, status: agentId === null && courierId === null ? 'new' : 'assigned' };
    const view = { id, ...taker, children: [], packages: [], customer: null, contact: null };
    records.putTask(view as unknown as TaskView, 1);
  };
  put(1, null, null);
  put(2, 7, null);
  put(3, null, 9);
  assert.deepEqual(port.reply({ about: 'given', taskIds: [1, 2, 3, 4] }), [2, 3]);
});

test('the page hears which tasks a courier has on the way, and not those that are over', (t) => {
  const { port, records } = pageBeside(t);
  const statuses = ['new', 'awaiting_assignment', 'assigned', 'accepted', 'in_transit', 'completed', 'cancelled'];
  for (const [index, status] of statuses.entries()) {
    const view = { id: index + 1, agentId: null, status, children: [], packages: [], customer: null, contact: null };
    records.putTask(view as unknown as TaskView, 1);
  }
  assert.deepEqual(port.reply({ about: 'with-courier', taskIds: [1, 2, 3, 4, 5, 6, 7, 8] }), [3, 4, 5]);
});

test('the page hears of payments of the open task, also of those that its failed attempt took, and of no others', (t) => {
  const { port, records, taken, paint, pass } = pageBeside(t);
  const view = { id: 8, paymentId: 30, status: 'new', children: [], packages: [], customer: null, contact: null };
  records.putTask(view as unknown as TaskView, 1);
  port.watch({ ...NOTHING, taskId: 8 });
  const tells = (payment: NonNullable<Changes['payment']>) => {
    pass(300);
    paint();
    taken();
    port.changed({ payment });
    pass(300);
    return taken().includes('paymentNews');
  };
  assert.equal(tells({ id: 31, taskId: 8 }), true, 'of the task');
  assert.equal(tells({ id: 30, taskId: 7 }), true, 'that counts for the task');
  assert.equal(tells({ id: 32, taskId: 7 }), false, 'of another task');
  assert.equal(tells('any'), true, 'after a gap');
});

test('a page that draws slowly gets its pins less often', (t) => {
  const { port, records, taken, paint, pass } = pageBeside(t);
  port.watch({ ...NOTHING, map: true });
  const rates = [16, 300].map((drawMs) => {
    let drawn = 0;
    for (let step = 1; step <= 500; step += 1) {
      move(records, step + drawMs);
      port.changed({ positions: true });
      pass(20);
      const parts = taken();
      paint(drawMs);
      drawn += parts.filter((part) => part === 'courierPins').length;
    }
    return drawn / 10;
  });
  assert.ok(rates[0]! > 5, `${rates[0]} drawings a second with a graphics card`);
  assert.ok(rates[1]! < 2, `${rates[1]} drawings a second without`);
});

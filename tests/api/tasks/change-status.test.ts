import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TASK_STATUSES } from '../../../schema/tasks/task.ts';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { seedAgent } from '../../support/seeds/seed.ts';
import { type SeededTask, seededTimes, seedTasks, type TaskSeed } from '../../support/seeds/seed-task.ts';
import { useGateway } from '../api-fixture.ts';

/** Tasks past `new` are seeded: no request assigns one yet. */

const fixture = useGateway();

interface EventPage {
  readonly items: { readonly type: string; readonly data: Record<string, unknown> }[];
}
interface History {
  readonly items: HistoryStepView[];
}

const TIMES = seededTimes();

/** An organization whose agent serves these tasks, those with an `agentId` apart; the caller is a dispatcher. */
async function served(...seeds: TaskSeed[]): Promise<Served> {
  return servedFor('dispatcher', ...seeds);
}

interface Served {
  readonly api: ApiClient;
  readonly tasks: SeededTask[];
  readonly channelId: number;
}

async function servedFor(role: 'dispatcher' | 'integration', ...seeds: TaskSeed[]): Promise<Served> {
  const { databaseUrl } = fixture.gateway;
  const { api, ...owner } = await fixture.organization({ role });
  const { agentId } = await seedAgent(databaseUrl, owner.organizationId);
  const tasks = await seedTasks(
    databaseUrl,
    owner,
    seeds.map((seed) => ({ agentId, ...seed })),
    TIMES,
  );
  return { api, tasks, channelId: owner.channelId };
}

const statusEvents = async (api: ApiClient) =>
  (await api.get<EventPage>('/events?types=task.status_changed')).body.data.items;

const BY_COURIER = { agentId: null, courierId: 3 };
/** The whole table stands in tests/unit/domain/tasks/judge-status-change.test.ts; each kind of answer is shown here. */
for (const [name, courier, crew] of [
  ['an external courier’s task', BY_COURIER, 200],
  ['a task without courier', { agentId: null }, 'AGENT_REQUIRED'],
] as const) {
  test(`${name} in accepted is asked for every status`, async () => {
    const { api, tasks } = await served(...TASK_STATUSES.map(() => ({ status: 'accepted' as const, ...courier })));
    const no = 'INVALID_STATUS_TRANSITION';
    const answers = [no, no, no, 200, crew, no, 200];
    for (const [index, to] of TASK_STATUSES.entries()) {
      const path = `/tasks/${tasks[index]!.id}`;
      const before = (await api.get(path)).body.data;
      const { status, body } = await api.put(`${path}/status`, { status: to });
      const after = (await api.get(path)).body.data;
      assert.equal(status === 200 ? status : body.code, answers[index], to);
      assert.deepEqual(after, status === 200 && to !== 'accepted' ? body.data : before, to);
    }
    const changed = answers.filter((answer) => answer === 200).length - 1;
    assert.equal((await statusEvents(api)).length, changed);
  });
}

test('an integration does not accept for an agent, whichever task it names, and makes every other step', async () => {
  const { api, tasks } = await servedFor('integration', { status: 'assigned' }, { status: 'accepted' });
  for (const id of [...tasks.map((task) => task.id), 999_000_111]) {
    const { status, body } = await api.put(`/tasks/${id}/status`, { status: 'accepted' });
    assert.deepEqual([status, body.message, body.code], [403, 'Forbidden', undefined]);
  }
  assert.equal((await api.get(`/tasks/${tasks[0]!.id}`)).body.data.status, 'assigned');
  for (const to of ['in_transit', 'completed'])
    assert.equal((await api.put(`/tasks/${tasks[1]!.id}/status`, { status: to })).status, 200);
  assert.equal((await api.put(`/tasks/${tasks[0]!.id}/status`, { status: 'cancelled' })).status, 200);
});

test('a task is accepted, driven and delivered, each step with its time, its event and its line of history', async () => {
  const { api, tasks, channelId } = await served({ status: 'assigned', packages: ['pending', 'picked_up', 'damaged'] });
  const path = `/tasks/${tasks[0]!.id}`;
  const steps = [
    ['accepted', 'acceptedAt'],
    ['in_transit', 'startedAt'],
    ['completed', 'completedAt'],
  ] as const;
  let from = 'assigned';
  for (const [to, field] of steps) {
    const before = (await api.get(path)).body.data;
    assert.equal(before[field], null);
    const { body } = await api.put(`${path}/status`, { status: to, reason: `now ${to}`, reasonCode: 'R1' });
    const { data } = body;
    assert.deepEqual([data.status, data[field]], [to, data.updatedAt]);
    const told = (await statusEvents(api)).at(-1)!.data;
    const { task, ...rest } = told;
    assert.deepEqual(task, data);
    const ended = to === 'completed' ? { outcome: 'succeeded', failureReason: null } : {};
    assert.deepEqual(rest, {
      previousStatus: from,
      status: to,
      reason: `now ${to}`,
      ...ended,
      actor: { type: 'channel', id: channelId },
    });
    from = to;
  }
  const done = (await api.get(path)).body.data;
  assert.deepEqual([done.outcome, done.failureReason, done.assignedAt], ['succeeded', null, TIMES.assignedAt]);
  assert.deepEqual(
    done.packages.map(({ status }) => status),
    ['delivered', 'delivered', 'damaged'],
  );
  const { items } = (await api.get<History>(`${path}/history`)).body.data;
  assert.deepEqual(
    items.map(({ kind, fromStatus, toStatus, reason, reasonCode, actor }) => [
      kind,
      fromStatus,
      toStatus,
      reason,
      reasonCode,
      actor.id,
    ]),
    [
      ['status_changed', 'assigned', 'accepted', 'now accepted', 'R1', channelId],
      ['status_changed', 'accepted', 'in_transit', 'now in_transit', 'R1', channelId],
      ['status_changed', 'in_transit', 'completed', 'now completed', 'R1', channelId],
    ],
  );
  assert.deepEqual(
    items.map(({ details }) => details),
    [null, null, { outcome: 'succeeded' }],
  );
});

test('the history says how a task ended, and so does that of its job', async () => {
  const { api, tasks } = await served({ status: 'in_transit', children: [{ status: 'in_transit', ...BY_COURIER }] });
  const [job] = tasks;
  const failed = { status: 'completed', outcome: 'failed', failureReason: 'nobody there' };
  const child = job!.children[0]!.id;
  assert.equal((await api.put(`/tasks/${child}/status`, failed)).status, 200);
  for (const [id, failureReason] of [
    [child, 'nobody there'],
    [job!.id, '1 of 1 completed tasks failed'],
  ] as const) {
    const { items } = (await api.get<History>(`/tasks/${id}/history`)).body.data;
    assert.deepEqual(items.at(-1)!.details, { outcome: 'failed', failureReason });
  }
});

test('a courier of another company who is taken off stands in the history', async () => {
  const { api, tasks } = await served({ status: 'accepted', ...BY_COURIER });
  const path = `/tasks/${tasks[0]!.id}`;
  assert.equal((await api.post(`${path}/unassign`, {})).status, 200);
  const { items } = (await api.get<History>(`${path}/history`)).body.data;
  assert.deepEqual(items.at(-1)!.details, { previousCourierId: BY_COURIER.courierId });
});

test('a repeated step changes nothing, regardless of the other fields in it', async () => {
  const { api, tasks } = await served({ status: 'in_transit' });
  const path = `/tasks/${tasks[0]!.id}`;
  const completed = (await api.put(`${path}/status`, { status: 'completed' })).body.data;
  const again = { status: 'completed', reason: 'once more', outcome: 'failed', failureReason: 'no' };
  const { status, body } = await api.put(`${path}/status`, again);
  assert.equal(status, 200);
  assert.deepEqual(body.data, completed);
  assert.equal((await statusEvents(api)).length, 1);
  assert.equal((await api.get<History>(`${path}/history`)).body.data.items.length, 1);
});

test('a task that failed says why, and gives back what was on its way', async () => {
  const { api, tasks } = await served({
    status: 'in_transit',
    packages: ['pending', 'delivering', 'delivered', 'lost'],
  });
  const failed = { status: 'completed', outcome: 'failed', failureReason: 'nobody at home' };
  const { body } = await api.put(`/tasks/${tasks[0]!.id}/status`, failed);
  assert.deepEqual([body.data.outcome, body.data.failureReason], ['failed', 'nobody at home']);
  assert.deepEqual(
    body.data.packages.map(({ status }) => status),
    ['cancelled', 'returned', 'delivered', 'lost'],
  );
  assert.deepEqual((await api.list()).body.data.items, [body.data]);
});

test('a cancelled task cancels what was not taken and sends back what was', async () => {
  const { api, tasks } = await served({
    status: 'in_transit',
    packages: ['pending', 'picking_up', 'picked_up', 'delivering', 'damaged', 'delivered', 'lost', 'returned'],
  });
  const { body } = await api.put(`/tasks/${tasks[0]!.id}/status`, { status: 'cancelled' });
  assert.deepEqual(
    body.data.packages.map(({ status }) => status),
    ['cancelled', 'cancelled', 'returned', 'returned', 'returned', 'delivered', 'lost', 'returned'],
  );
  assert.deepEqual([body.data.outcome, body.data.completedAt], [null, null]);
});

for (const [name, input, told] of [
  ['no status', {}, ['status is required']],
  ['an unknown status', { status: 'done' }, [`status must be one of: ${TASK_STATUSES.join(', ')}`]],
  ['a status in capitals', { status: 'CANCELLED' }, [`status must be one of: ${TASK_STATUSES.join(', ')}`]],
  [
    'a failure without a reason',
    { status: 'completed', outcome: 'failed', failureReason: ' ' },
    ['failureReason is required when the outcome is failed'],
  ],
  [
    'an outcome of a cancelled task',
    { status: 'cancelled', outcome: 'succeeded' },
    ['outcome belongs to the status completed'],
  ],
  [
    'a reason for failing of a success',
    { status: 'completed', failureReason: 'rain' },
    ['failureReason belongs to the outcome failed'],
  ],
  [
    'a reason that is too long',
    { status: 'cancelled', reason: 'x'.repeat(10_001) },
    ['reason must be at most 10000 characters'],
  ],
  [
    'a time without a zone and a reason of the wrong type',
    { status: 'accepted', occurredAt: '2026-01-01T10:00:00', reason: 5 },
    ['reason must be a string', 'occurredAt must be an ISO 8601 date-time with a zone or offset'],
  ],
] as const) {
  test(`${name} is a violation, also of an unknown task`, async () => {
    const { status, body } = await fixture.api.put('/tasks/999000111/status', input);
    assert.deepEqual([status, body.message], [400, told]);
  });
}

test('the moment that an offline driver tells becomes the time of the step', async () => {
  const { api, tasks } = await served({ status: 'assigned' });
  const path = `/tasks/${tasks[0]!.id}`;
  const occurredAt = new Date(Date.parse(TIMES.assignedAt) + 5 * 60_000).toISOString();
  const inParis = `${new Date(Date.parse(occurredAt) + 7_200_000).toISOString().slice(0, -1)}+02:00`;
  const { body } = await api.put(`${path}/status`, { status: 'accepted', occurredAt: inParis });
  assert.equal(body.data.acceptedAt, occurredAt);
  assert.ok(body.data.updatedAt > occurredAt);
  const [step] = (await api.get<History>(`${path}/history`)).body.data.items;
  assert.deepEqual([step!.at, step!.recordedAt], [occurredAt, body.data.updatedAt]);
  const sameMoment = await api.put(`${path}/status`, { status: 'in_transit', occurredAt });
  assert.deepEqual([sameMoment.status, sameMoment.body.data.startedAt], [200, occurredAt]);
});

test('a moment in the future, or before the previous step, is refused and changes nothing', async () => {
  const { api, tasks } = await served({ status: 'accepted' });
  const path = `/tasks/${tasks[0]!.id}`;
  const before = (await api.get(path)).body.data;
  const tooEarly = new Date(Date.parse(TIMES.acceptedAt) - 1).toISOString();
  for (const status of ['in_transit', 'cancelled']) {
    const early = await api.put(`${path}/status`, { status, occurredAt: tooEarly });
    assert.equal(early.status, 400);
    assert.deepEqual(early.body.message, [`occurredAt must not be before the previous step (${TIMES.acceptedAt})`]);
    const late = await api.put(`${path}/status`, { status, occurredAt: '2999-01-01T00:00:00Z' });
    assert.equal(late.status, 400);
    assert.deepEqual(late.body.message, ['occurredAt must not be in the future']);
    assert.deepEqual(late.body.meta.path, `/v1${path}/status`);
  }
  assert.deepEqual((await api.get(path)).body.data, before);
});

test('a task taken back from an agent was not cancelled before', async () => {
  const { api, tasks } = await served({ status: 'accepted' });
  const path = `/tasks/${tasks[0]!.id}`;
  const unassigned = await api.post(`${path}/unassign`, {});
  assert.deepEqual([unassigned.body.data.status, unassigned.body.data.acceptedAt], ['awaiting_assignment', null]);
  const [step] = (await api.get<History>(`${path}/history`)).body.data.items;
  // Not by a change that is no step.
  assert.equal((await api.patch(path, { notes: 'call first' })).status, 200);
  const cancel = (ms: number) =>
    api.put(`${path}/status`, { status: 'cancelled', occurredAt: new Date(Date.parse(step!.at) + ms).toISOString() });
  const early = await cancel(-1);
  const why = `occurredAt must not be before the previous step (${step!.at})`;
  assert.deepEqual([early.status, early.body.message], [400, [why]]);
  assert.equal((await cancel(0)).status, 200);
});

test('a time in the future is reported before an unknown task and before a conflict', async () => {
  const { api, tasks } = await served({ status: 'completed' });
  const input = { status: 'completed', occurredAt: '2999-01-01T00:00:00Z' };
  for (const id of [tasks[0]!.id, 999_000_111]) {
    const { status, body } = await api.put(`/tasks/${id}/status`, input);
    assert.deepEqual([status, body.message], [400, ['occurredAt must not be in the future']]);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskStatus } from '../../../schema/tasks/task.ts';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiClient, createApiClient, taskInput } from '../../support/api-client.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { seedAgent, withSql } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { createTestPlace, startTestGateway, type TestPlace } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

interface EventPage {
  readonly items: {
    readonly type: string;
    readonly data: { readonly task: TaskView; readonly status?: string; readonly changed?: string[] };
  }[];
}

const child = (overrides: object = {}) => taskInput({ name: 'A part', ...overrides });
const events = async (api: ApiClient) => (await api.get<EventPage>('/events?limit=1000')).body.data.items;
const told = async (api: ApiClient) => (await events(api)).map(({ type, data }) => `${type} ${data.task.id}`);

/** A single read and a list item of a job, or of a child, are the same. */
async function assertShown(api: ApiClient, task: TaskView): Promise<void> {
  assert.deepEqual((await api.get(`/tasks/${task.id}`)).body.data, task);
  const { items } = (await api.list('limit=100&sortOrder=ASC')).body.data;
  assert.deepEqual(
    items.find(({ id }) => id === task.id),
    task,
  );
}

/** A child as it is shown by itself: with an empty list of children. */
const alone = (one: TaskView['children'][number]): TaskView => ({ ...one, children: [] });

test('a job is created with its children, each a full task without children of its own', async () => {
  const { api } = await fixture.organization();
  const job = await api.createTask({
    name: 'Round trip',
    children: [
      child({ packages: [{ name: 'box' }], code: 'PART-1', notes: 'first' }),
      { type: 'PICKUP', dropoffLocation: taskInput()['location'], customer: taskInput()['customer'] },
    ],
  });
  const [first, second] = job.children;
  assert.deepEqual([job.parentId, job.status, job.children.length], [null, 'new', 2]);
  assert.deepEqual(
    [first!.parentId, first!.code, first!.notes, first!.packages.length],
    [job.id, 'PART-1', 'first', 1],
  );
  assert.deepEqual([second!.taskType, second!.name, second!.customerId], ['pickup', second!.code, job.customerId]);
  assert.ok(job.children.every((one) => !('children' in one)));
  const { children: _, ...fields } = job;
  assert.deepEqual(Object.keys(first!), Object.keys(fields));
  await assertShown(api, job);
  await assertShown(api, alone(first!));
  await assertShown(api, alone(second!));
  assert.deepEqual(
    await told(api),
    [job, first!, second!].map(({ id }) => `task.created ${id}`),
  );
  assert.deepEqual((await events(api))[0]!.data.task, job);
  assert.equal((await api.list()).body.data.count, 3);
});

test('a task becomes a job by a child that names it, and this is an event', async () => {
  const { api } = await fixture.organization();
  const task = await api.createTask();
  const part = await api.createTask({ parentId: task.id });
  assert.deepEqual([part.parentId, part.children], [task.id, []]);
  const job = (await api.get(`/tasks/${task.id}`)).body.data;
  const { children: _, ...shown } = part;
  assert.deepEqual(job, { ...task, children: [shown], updatedAt: part.createdAt });
  await assertShown(api, job);
  await assertShown(api, part);
  assert.deepEqual(await told(api), [`task.created ${task.id}`, `task.created ${part.id}`, `task.updated ${task.id}`]);
});

test('a stream shows a job with its children', async () => {
  const { api, ...place } = await fixture.organization();
  const stream = await openEventStream(fixture.gateway.baseUrl, place);
  assert.equal((await stream.next()).event, 'stream.ready');
  const job = await api.createTask({ children: [child()] });
  const [message] = await stream.take(2);
  stream.close();
  assert.deepEqual(message!.data.data.task, job);
});

test('children of children are refused, given or asked for', async () => {
  const { api } = await fixture.organization();
  const job = await api.createTask({ children: [child()] });
  const deep = await api.post('/tasks', taskInput({ parentId: job.children[0]!.id }));
  assert.deepEqual([deep.status, deep.body.code], [409, 'INVALID_PARENT']);
  assert.deepEqual(deep.body.details, { parentId: job.children[0]!.id, reason: 'is_child' });
  const nested = await api.post('/tasks', taskInput({ children: [child({ children: [child()], parentId: job.id })] }));
  assert.deepEqual(
    [nested.status, nested.body.message],
    [400, ['children.0.children must not be given in a child', 'children.0.parentId must not be given in a child']],
  );
  const both = await api.post('/tasks', taskInput({ parentId: job.id, children: [child()] }));
  assert.deepEqual([both.status, both.body.message], [400, ['children must not be given together with parentId']]);
  assert.equal((await api.list()).body.data.count, 2);
});

test('a job takes 100 children and not one more', async () => {
  const { api } = await fixture.organization();
  const parts = (count: number) => Array.from({ length: count }, (_, index) => child({ code: `P-${index}` }));
  const tooMany = await api.post('/tasks', taskInput({ children: parts(LIMITS.jobChildren + 1) }));
  assert.deepEqual([tooMany.status, tooMany.body.message], [400, ['children must hold at most 100 items']]);
  const job = await api.createTask({ children: parts(LIMITS.jobChildren) });
  assert.deepEqual(
    job.children.map(({ code }) => code),
    parts(LIMITS.jobChildren).map((part) => part['code']),
  );
  const { status, body } = await api.post('/tasks', child({ parentId: job.id }));
  assert.deepEqual([status, body.details], [409, { parentId: job.id, reason: 'full' }]);
  await assertShown(api, job);
});

test('the rules for a task hold for each child, told with its place', async () => {
  const children = [child(), child({ name: '', customer: undefined }), 5, child({ scheduledAt: 'x', taskType: 'fly' })];
  const { status, body } = await fixture.api.post('/tasks', taskInput({ children }));
  assert.equal(status, 400);
  assert.deepEqual([...body.message].sort(), [
    'children.1.customer or customerId must be given, exactly one of them',
    'children.1.name must not be empty',
    'children.2 must be an object',
    'children.3.scheduledAt must be an ISO 8601 date-time with a zone or offset',
    'children.3.taskType must be one of: delivery, pickup, return, transfer',
  ]);
});

test('a job whose tasks claim the same code or the same package is refused as a whole', async () => {
  const { api } = await fixture.organization();
  const ended = await api.createTask({ packages: [{ name: 'free' }] });
  await api.put(`/tasks/${ended.id}/status`, { status: 'cancelled' });
  const packageIds = [ended.packages[0]!.id];
  for (const [input, code] of [
    [{ code: 'SAME', children: [child({ code: 'SAME' })] }, 'TASK_CODE_TAKEN'],
    [{ children: [child({ code: 'SAME' }), child({ code: 'SAME' })] }, 'TASK_CODE_TAKEN'],
    [{ children: [child({ code: ended.code })] }, 'TASK_CODE_TAKEN'],
    [{ packageIds, children: [child({ packageIds })] }, 'PACKAGE_ATTACHED'],
    [{ children: [child({ packageIds }), child({ packageIds })] }, 'PACKAGE_ATTACHED'],
  ] as const) {
    const { status, body } = await api.post('/tasks', taskInput(input));
    assert.deepEqual([status, body.code], [409, code]);
  }
  assert.equal((await api.list()).body.data.count, 1);
  const job = await api.createTask({ children: [child({ packageIds })] });
  assert.equal(job.children[0]!.packages[0]!.id, packageIds[0]);
});

test('a job counts with all its children in the quota, or not at all', async () => {
  const { api } = await fixture.organization({ limits: { tasks: 4, customers: 2 } });
  const job = await api.createTask({ children: [child()] });
  const tooMany = await api.post('/tasks', taskInput({ children: [child(), child()] }));
  assert.deepEqual([tooMany.status, tooMany.body.code], [403, 'PACKAGE_LIMIT_EXCEEDED']);
  const { resetsAt: _, ...details } = tooMany.body.details;
  assert.deepEqual(details, { resource: 'tasks', limit: 4, used: 2, remaining: 2 });
  const stranger = (last: number) => ({ customer: { name: 'New', phone: `+44207946010${last}` } });
  const customers = await api.post('/tasks', taskInput({ ...stranger(1), children: [child(stranger(2))] }));
  assert.deepEqual([customers.status, customers.body.details['resource']], [403, 'customers']);
  await api.createTask({ ...stranger(1), parentId: job.id });
  await api.createTask(stranger(1));
  assert.equal((await api.post('/tasks', child({ parentId: job.id }))).status, 403);
  assert.equal((await api.list()).body.data.count, 4);
});

test('cancelling a job cancels its open children in the same commit, and leaves the ended ones', async () => {
  const { databaseUrl } = fixture.gateway;
  const { api, ...owner } = await fixture.organization();
  const { agentId } = await seedAgent(databaseUrl, owner.organizationId);
  const [seeded] = await seedTasks(databaseUrl, owner, [
    {
      status: 'in_transit',
      children: [
        { status: 'completed', agentId, packages: ['delivered'] },
        { status: 'in_transit', agentId, packages: ['delivering', 'pending'] },
        { status: 'new' },
        { status: 'cancelled' },
      ],
    },
  ]);
  const { status, body } = await api.put(`/tasks/${seeded!.id}/status`, { status: 'cancelled', reason: 'storm' });
  assert.equal(status, 200);
  assert.equal(body.data.status, 'cancelled');
  const statusesOf = (packages: TaskView['packages']) => packages.map((item) => item.status).join(' ');
  assert.deepEqual(
    body.data.children.map((one) => [one.status, statusesOf(one.packages)]),
    [
      ['completed', 'delivered'],
      ['cancelled', 'returned cancelled'],
      ['cancelled', ''],
      ['cancelled', ''],
    ],
  );
  const [, driven, fresh] = seeded!.children;
  assert.deepEqual(
    await told(api),
    [driven!, fresh!, seeded!].map(({ id }) => `task.status_changed ${id}`),
  );
  for (const { id } of [driven!, fresh!, seeded!]) {
    const [step] = (await api.get<{ items: HistoryStepView[] }>(`/tasks/${id}/history`)).body.data.items;
    assert.deepEqual([step!.toStatus, step!.reason], ['cancelled', 'storm']);
  }
  const commits = await withSql(
    databaseUrl,
    (sql) => sql<{ count: number }[]>`
      SELECT count(DISTINCT xmin::text) FROM (
        SELECT xmin FROM tasks WHERE organization_id = ${owner.organizationId} AND version > 1
        UNION ALL SELECT xmin FROM packages WHERE organization_id = ${owner.organizationId} AND version > 1
        UNION ALL SELECT xmin FROM events WHERE organization_id = ${owner.organizationId})`,
  );
  assert.equal(commits[0]!.count, 1);
  await assertShown(api, body.data);
  assert.equal((await api.put(`/tasks/${seeded!.id}/status`, { status: 'cancelled' })).status, 409);
});

/**
 * The children's statuses, the step of the first one, and what the job was and becomes. The whole rule stands in
 * tests/unit/domain/tasks/job.test.ts.
 */
const DERIVED: readonly (readonly [
  others: readonly TaskStatus[],
  from: TaskStatus,
  to: TaskStatus,
  was: TaskStatus,
  becomes: TaskStatus,
])[] = [
  [['accepted'], 'assigned', 'accepted', 'accepted', 'accepted'],
  [['awaiting_assignment'], 'assigned', 'cancelled', 'assigned', 'awaiting_assignment'],
  [['completed', 'cancelled'], 'in_transit', 'completed', 'in_transit', 'completed'],
  [['completed'], 'new', 'cancelled', 'in_transit', 'completed'],
];

for (const [others, from, to, was, becomes] of DERIVED) {
  test(`a child going from ${from} to ${to} beside ${others.join(', ') || 'none'} makes its job ${becomes}`, async () => {
    const { databaseUrl } = fixture.gateway;
    const { api, ...owner } = await fixture.organization({ role: 'dispatcher' });
    const { agentId } = await seedAgent(databaseUrl, owner.organizationId);
    const children = [from, ...others].map((status) => ({ status, agentId }));
    const [seeded] = await seedTasks(databaseUrl, owner, [{ status: was, children }]);
    const { body } = await api.put(`/tasks/${seeded!.children[0]!.id}/status`, { status: to });
    assert.equal(body.data.status, to);
    const job = (await api.get(`/tasks/${seeded!.id}`)).body.data;
    assert.equal(job.status, becomes);
    assert.deepEqual(alone(job.children[0]!), body.data);
    assert.equal(job.outcome, becomes === 'completed' ? 'succeeded' : null);
    const ends = job.children.flatMap(({ completedAt, cancelledAt }) => completedAt ?? cancelledAt ?? []).sort();
    assert.equal(job.completedAt, becomes === 'completed' ? ends.at(-1) : null);
    await assertShown(api, job);
    const ofJob = (await events(api)).filter(({ data }) => data.task.id === seeded!.id);
    const changes = ofJob.filter(({ type }) => type === 'task.status_changed').map(({ data }) => data.status);
    assert.deepEqual(changes, was === becomes ? [] : [becomes]);
    assert.equal(
      (await api.list(`status=${becomes}`)).body.data.items.some(({ id }) => id === job.id),
      true,
    );
  });
}

test("a job's event names the times that a child has moved while its status stays", async () => {
  const { api, ...owner } = await fixture.organization({ role: 'dispatcher' });
  const { agentId } = await seedAgent(fixture.gateway.databaseUrl, owner.organizationId);
  const children = (['assigned', 'accepted'] as const).map((status) => ({ status, agentId }));
  const [seeded] = await seedTasks(fixture.gateway.databaseUrl, owner, [{ status: 'accepted', children }]);
  const { acceptedAt: before } = (await api.get(`/tasks/${seeded!.id}`)).body.data;
  const occurredAt = new Date(Date.parse(before!) - 60_000).toISOString();
  await api.put(`/tasks/${seeded!.children[0]!.id}/status`, { status: 'accepted', occurredAt });
  const { type, data } = (await events(api)).at(-1)!;
  assert.deepEqual([type, data.task.id, data.changed], ['task.updated', seeded!.id, ['acceptedAt']]);
  assert.deepEqual([data.task.status, data.task.acceptedAt], ['accepted', occurredAt]);
  await assertShown(api, data.task);
});

test('a job is not cancelled before the last step of a child, ended or not', async () => {
  const { api } = fixture;
  const job = await api.createTask({ children: [child(), child()] });
  const [first] = job.children!;
  const { body } = await api.put(`/tasks/${first!.id}/status`, { status: 'cancelled' });
  const ended = body.data.updatedAt;
  const at = (occurredAt: string) => api.put(`/tasks/${job.id}/status`, { status: 'cancelled', occurredAt });
  const early = await at(new Date(Date.parse(ended) - 1).toISOString());
  assert.deepEqual(
    [early.status, early.body.message],
    [400, [`occurredAt must not be before the previous step (${ended})`]],
  );
  assert.equal((await at(ended)).status, 200);
});

test('a job follows from its children: no other status can be put on it', async () => {
  const { api } = await fixture.organization({ role: 'dispatcher' });
  const job = await api.createTask({ children: [child()] });
  for (const to of ['new', 'awaiting_assignment', 'assigned', 'accepted', 'in_transit', 'completed']) {
    const { status, body } = await api.put(`/tasks/${job.id}/status`, { status: to });
    assert.deepEqual([status, body.code], [409, 'STATUS_DERIVED']);
    assert.deepEqual(body.details, { from: 'new', to, allowed: ['cancelled'] });
  }
});

test('a child under an ended parent is refused, and so is one under a task that is served', async () => {
  const { api, ...owner } = await fixture.organization();
  const courier = { agentId: null, courierId: 3 };
  const statuses = ['completed', 'cancelled', 'assigned', 'accepted', 'in_transit'] as const;
  const tasks = await seedTasks(
    fixture.gateway.databaseUrl,
    owner,
    statuses.map((status) => ({ status, ...courier })),
  );
  for (const [index, { id }] of tasks.entries()) {
    const { status, body } = await api.post('/tasks', child({ parentId: id }));
    assert.deepEqual([status, body.code], [409, 'INVALID_PARENT']);
    assert.deepEqual(body.details, { parentId: id, reason: index < 2 ? 'terminal' : 'under_way' });
  }
  const job = await api.createTask({ children: [child()] });
  await api.put(`/tasks/${job.children[0]!.id}/status`, { status: 'cancelled' });
  assert.equal((await api.post('/tasks', child({ parentId: job.id }))).body.code, 'INVALID_PARENT');
});

async function withGatewayAt<T>(place: TestPlace, work: (api: ApiClient) => Promise<T>): Promise<T> {
  const gateway = await startTestGateway({ place });
  const api = createApiClient(gateway);
  try {
    return await work(api);
  } finally {
    api.close();
    await gateway.stop();
  }
}

test('a job read from Postgres is the one that was in memory, and is gone on with', async () => {
  const place = await createTestPlace();
  try {
    const job = await withGatewayAt(place, async (api) => {
      const { id } = await api.createTask({ children: [child({ packages: [{ name: 'a' }, { name: 'b' }] }), child()] });
      await api.createTask({ parentId: id });
      return (await api.get(`/tasks/${id}`)).body.data;
    });
    await withGatewayAt(place, async (api) => {
      // Read through a child first: a family is in memory as a whole.
      const [first] = job.children;
      assert.deepEqual((await api.get(`/tasks/${first!.id}`)).body.data, alone(first!));
      await assertShown(api, job);
      await api.put(`/tasks/${first!.id}/status`, { status: 'cancelled' });
      const added = await api.createTask({ parentId: job.id });
      const after = (await api.get(`/tasks/${job.id}`)).body.data;
      assert.deepEqual(
        after.children.map(({ id, status }) => [id, status]),
        [...job.children, added].map(({ id }) => [id, id === first!.id ? 'cancelled' : 'new']),
      );
      await assertShown(api, after);
    });
  } finally {
    await place.drop();
  }
});

test('a child past its time is delayed, in its job too; the job itself is in time', async () => {
  const place = await createTestPlace();
  try {
    const job = await withGatewayAt(place, (api) =>
      api.createTask({ estimatedDuration: 90, children: [child({ estimatedDuration: 1 }), child()] }),
    );
    const late = job.children[0]!;
    await withSql(place.databaseUrl, async (sql) => {
      await sql`UPDATE tasks SET deadline_at = now() - interval '1 minute', created_at = now() - interval '2 minutes' WHERE organization_id = ${place.organizationId} AND id = ${late.id}`;
      await sql`UPDATE organization_heads SET next_deadline_at = now() - interval '1 minute' WHERE organization_id = ${place.organizationId}`;
    });
    await withGatewayAt(place, async (api) => {
      const delayed = async () => (await api.get<EventPage>('/events?types=task.delayed')).body.data.items;
      await until('one is delayed', async () => (await delayed()).length > 0);
      assert.deepEqual(
        (await delayed()).map(({ data }) => data.task.id),
        [late.id],
      );
      const after = (await api.get(`/tasks/${job.id}`)).body.data;
      assert.deepEqual([after.isDelayed, ...after.children.map(({ isDelayed }) => isDelayed)], [false, true, false]);
      await assertShown(api, after);
    });
  } finally {
    await place.drop();
  }
});

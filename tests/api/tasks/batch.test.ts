import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiClient, type ApiReply, createApiClient, taskInput } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createFaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import { createTestPlace, startTestGateway } from '../../support/system/gateway.ts';
import { useGateway } from '../api-fixture.ts';

const commitStore = createFaultyCommitStore();
const fixture = useGateway({ wrapCommitStore: commitStore.wrap });

interface Item {
  readonly index: number;
  readonly status: 'created' | 'failed';
  readonly task?: TaskView;
  readonly error?: Readonly<Record<string, unknown>> & { readonly code?: string; readonly statusCode: number };
}

interface BatchData {
  readonly items: readonly Item[];
  readonly created: number;
  readonly failed: number;
}

const send = (api: ApiClient, tasks: unknown, query = '', headers: Record<string, string> = {}) =>
  api.post<BatchData>(`/tasks/batch${query}`, { tasks }, headers);
const many = (count: number, make: (number: number) => unknown = () => taskInput()) =>
  Array.from({ length: count }, (_, number) => make(number));
const outcomes = ({ body }: ApiReply<BatchData>) =>
  body.data.items.map(({ task, error }) => task?.name ?? error!.code ?? error!.statusCode);

/** How many rows an organization has in each table that a refused batch must leave alone. */
async function rowsOf(organizationId: number): Promise<Record<string, number>> {
  const tables = ['tasks', 'customers', 'locations', 'packages', 'events', 'task_history', 'usage', 'task_counts'];
  return withSql(fixture.gateway.databaseUrl, async (sql) => {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      const [row] = await sql<{ count: number }[]>`
        SELECT count(*) FROM ${sql(table)} WHERE organization_id = ${organizationId}`;
      counts[table] = row!.count;
    }
    return counts;
  });
}

for (const [what, body, message] of [
  ['no list', {}, /^tasks /],
  ['null', { tasks: null }, /^tasks /],
  ['an object for the list', { tasks: {} }, /^tasks must be an array$/],
  ['an empty list', { tasks: [] }, /^tasks must not be empty$/],
  ['501 items', { tasks: many(501, () => ({})) }, /^tasks must hold at most 500 items$/],
  ['an array for the body', [taskInput()], /must be an object/],
] as const) {
  test(`a batch with ${what} is refused as a whole`, async () => {
    const reply = await fixture.api.post('/tasks/batch', body);
    assert.equal(reply.status, 400);
    assert.ok(Array.isArray(reply.body.message) && reply.body.message.length === 1);
    assert.match(reply.body.message[0]!, message);
  });
}

test('atomic is true or false, and nothing else', async () => {
  for (const value of ['1', 'yes', 'TRUE']) {
    assert.equal((await send(fixture.api, [taskInput()], `?atomic=${value}`)).status, 400, value);
  }
  for (const query of ['?atomic=false', '?atomic=true', '?atomic=']) {
    assert.equal((await send(fixture.api, [taskInput()], query)).status, 200, query);
  }
});

test('one item is a batch, and so are 500, which one commit takes', async () => {
  const { api, organizationId } = await fixture.organization();
  const one = await send(api, [taskInput({ name: 'Alone' })]);
  assert.deepEqual([one.status, outcomes(one), one.body.data.created], [200, ['Alone'], 1]);
  const before = commitStore.commits;
  const reply = await send(
    api,
    many(500, (number) => taskInput({ name: `Task ${number}` })),
  );
  assert.deepEqual([reply.status, reply.body.data.created, reply.body.data.failed], [200, 500, 0]);
  assert.deepEqual(
    reply.body.data.items.map(({ index, status, task }) => [index, status, task!.name]),
    many(500, (number) => [number, 'created', `Task ${number}`]),
  );
  assert.equal(commitStore.commits - before, 1);
  const { tasks, events, customers } = await rowsOf(organizationId);
  assert.deepEqual({ tasks, events, customers }, { tasks: 501, events: 501, customers: 1 });
});

test('a created item is the task as a single read shows it', async () => {
  const { api } = await fixture.organization();
  const reply = await send(api, [taskInput({ packages: [{ name: 'Box' }] }), { ...taskInput(), name: 'Second' }]);
  for (const { task } of reply.body.data.items) {
    assert.deepEqual((await api.get(`/tasks/${task!.id}`)).body.data, task);
  }
});

const BAD_INPUTS: readonly (readonly [what: string, input: unknown])[] = [
  ['several violations', { taskType: 'teleport', customer: { name: '', phone: '12' }, packages: [{}] }],
  ['an unknown customer', taskInput({ customer: undefined, customerId: 999_000_111 })],
  ['an unknown parent', taskInput({ parentId: 999_000_112 })],
  ['a taken code', taskInput({ code: 'TAKEN' })],
  ['an amount with too many decimals', taskInput({ taskType: 'cash_collection', amount: '1.234' })],
  ['children of children', taskInput({ children: [taskInput({ children: [taskInput()] })] })],
  ['a NUL', taskInput({ notes: 'a\u0000b' })],
  ['null', null],
  ['text', 'task'],
  ['a list', [taskInput()]],
];

for (const [what, input] of BAD_INPUTS) {
  test(`an item with ${what} fails with the body of the single call`, async () => {
    const { api } = await fixture.organization({ role: 'dispatcher' });
    await api.createTask({ code: 'TAKEN' });
    const single = JSON.parse((await api.post('/tasks', input)).text);
    const reply = await send(api, [taskInput({ name: 'Before' }), input, taskInput({ name: 'After' })]);
    assert.equal(reply.status, 200);
    const { requestId, path, method } = { ...single.meta, requestId: reply.body.metadata.correlationId };
    const meta = single.meta && { meta: { requestId, path: `${path}/batch`, method } };
    assert.deepEqual(reply.body.data.items[1], { index: 1, status: 'failed', error: { ...single, ...meta } });
    assert.deepEqual([reply.body.data.created, reply.body.data.failed], [2, 1]);
    assert.deepEqual(
      [0, 2].map((index) => reply.body.data.items[index]!.task!.name),
      ['Before', 'After'],
    );
  });
}

test('a batch in which everything fails is still answered 200', async () => {
  const { api, organizationId } = await fixture.organization();
  const reply = await send(api, [null, {}, taskInput({ channelId: 999_000_111 })]);
  assert.deepEqual([reply.status, outcomes(reply)], [200, [400, 400, 404]]);
  assert.deepEqual([reply.body.data.created, reply.body.data.failed], [0, 3]);
  assert.equal((await rowsOf(organizationId))['tasks'], 0);
});

test('an item sees those before it: their codes, customers and places in the limit', async () => {
  const { api } = await fixture.organization({ limits: { tasks: 3, customers: 1 } });
  const reply = await send(api, [
    taskInput({ name: 'A', code: 'SAME' }),
    taskInput({ name: 'B', code: 'SAME' }),
    taskInput({ name: 'C' }),
    taskInput({ name: 'D', customer: { name: 'Another', phone: '+442079460555' } }),
    taskInput({ name: 'E' }),
    taskInput({ name: 'F' }),
  ]);
  const limit = 'PACKAGE_LIMIT_EXCEEDED';
  assert.deepEqual(outcomes(reply), ['A', 'TASK_CODE_TAKEN', 'C', limit, 'E', limit]);
  const resources = reply.body.data.items.map(({ error }) => (error?.['details'] as { resource?: string })?.resource);
  assert.deepEqual([resources[3], resources[5]], ['customers', 'tasks']);
});

test('both shapes, cash tasks, jobs and children of older jobs stand in one batch', async () => {
  const { api, organizationId } = await fixture.organization({ role: 'dispatcher' });
  const { id: parentId } = await api.createTask({ children: [taskInput({ name: 'First part' })] });
  const { location, ...rest } = taskInput();
  const alternate = { ...rest, name: undefined, taskType: undefined, type: 'PICKUP', dropoffLocation: location };
  const reply = await send(api, [
    taskInput(),
    alternate,
    { taskType: 'cash_drop', name: 'Cash', amount: 12.5 },
    taskInput({ name: 'Job', children: [taskInput({ name: 'Part' }), alternate] }),
    taskInput({ name: 'Second part', parentId }),
  ]);
  assert.equal(reply.status, 200);
  const [, second, cash, job, part] = reply.body.data.items.map(({ task }) => task!);
  assert.deepEqual([second!.taskType, second!.name], ['pickup', second!.code]);
  assert.deepEqual([cash!.amount, cash!.currency, cash!.customer, cash!.location], ['12.50', 'USD', null, null]);
  assert.deepEqual(
    job!.children.map((child) => child.parentId),
    [job!.id, job!.id],
  );
  assert.equal(part!.parentId, parentId);
  const { body } = await api.get(`/tasks/${parentId}`);
  assert.deepEqual(
    body.data.children.map(({ name }) => name),
    ['First part', 'Second part'],
  );
  assert.equal((await rowsOf(organizationId))['tasks'], 2 + 3 + 3 + 1);
});

test('an atomic batch with one bad item makes nothing at all, and names the bad ones', async () => {
  const { api, organizationId } = await fixture.organization({ limits: { tasks: 10 } });
  await api.createTask({ code: 'TAKEN' });
  const before = await rowsOf(organizationId);
  const tasks = [
    taskInput({ customer: { name: 'New', phone: '+442079460556' }, packages: [{ name: 'Box' }] }),
    {},
    taskInput({ code: 'TAKEN' }),
    taskInput(),
  ];
  const reply = await send(api, tasks, '?atomic=true');
  assert.deepEqual([reply.status, reply.body.code, reply.body.error], [422, 'BATCH_REJECTED', 'Unprocessable Entity']);
  const items = reply.body.details['items'] as Item[];
  assert.deepEqual(
    items.map(({ index, status, error }) => [index, status, error!.code ?? error!.statusCode]),
    [
      [1, 'failed', 400],
      [2, 'failed', 'TASK_CODE_TAKEN'],
    ],
  );
  assert.deepEqual(await rowsOf(organizationId), before);
  const customers = await api.get<{ count: number }>('/customers');
  assert.equal(customers.body.data.count, 1, 'nor does memory keep the customer');
  const filled = await send(api, many(9), '?atomic=true');
  assert.equal(filled.status, 200, 'nor the usage');
  assert.equal((await send(api, many(1), '?atomic=true')).status, 422);
});

test('an atomic batch that can be done is answered like a plain one', async () => {
  const { api } = await fixture.organization();
  const tasks = [taskInput({ name: 'A' }), taskInput({ name: 'B', children: [taskInput()] })];
  const reply = await send(api, tasks, '?atomic=true');
  assert.deepEqual([reply.status, outcomes(reply), reply.body.data.created], [200, ['A', 'B'], 2]);
  for (const { task } of reply.body.data.items) {
    assert.deepEqual((await api.get(`/tasks/${task!.id}`)).body.data, task);
  }
});

test('bodies of up to 5 MiB are read, larger ones are not', async () => {
  const { api } = await fixture.organization();
  const filler = (bytes: number) => {
    const body = JSON.stringify({ tasks: [{}], filler: '' });
    return JSON.stringify({ tasks: [{}], filler: 'x'.repeat(bytes - body.length) });
  };
  const post = (body: string) =>
    api.raw({
      method: 'POST',
      path: '/api/v1/tasks/batch',
      headers: { 'x-api-key': fixture.gateway.key, 'content-type': 'application/json' },
      body,
    });
  assert.equal((await post(filler(LIMITS.batchBodyBytes))).status, 200);
  assert.equal((await post(filler(LIMITS.batchBodyBytes + 1))).status, 413);
});

test('500 tasks with 100 packages each are made in one go, and come back whole when asked for again', async () => {
  const { api, organizationId } = await fixture.organization();
  const packages = many(100, (number) => ({ name: `P${number}` }));
  const tasks = many(500, () => taskInput({ packages }));
  const reply = await send(api, tasks, '', { 'idempotency-key': 'huge' });
  assert.deepEqual([reply.status, reply.body.data?.created], [200, 500], reply.text.slice(0, 300));
  assert.equal((await rowsOf(organizationId))['packages'], 50_000);
  const ids = reply.body.data.items.flatMap(({ task }) => task!.packages.map(({ id }) => id));
  assert.equal(new Set(ids).size, 50_000);
  const replay = await send(api, tasks, '', { 'idempotency-key': 'huge' });
  assert.equal(replay.headers['idempotency-replayed'], 'true');
  assert.ok(JSON.stringify(replay.body.data) === JSON.stringify(reply.body.data), 'the first answer again');
});

test('a batch whose events would repeat more text of older tasks than a commit bears makes nothing', async () => {
  const { api, organizationId } = await fixture.organization();
  const long = 'x'.repeat(LIMITS.longTextChars);
  const full = taskInput({ notes: long, description: long, integrationData: { text: 'y'.repeat(16_000) } });
  const made = await send(api, [taskInput({ children: many(95, () => full) })]);
  const parentId = made.body.data.items[0]!.task!.id;
  const before = await rowsOf(organizationId);
  const refused = await send(
    api,
    many(5, () => taskInput({ parentId })),
  );
  assert.deepEqual(
    [refused.status, refused.body.message],
    [
      400,
      [
        `tasks must name packages and parents with at most ${LIMITS.batchTextChars} characters of text, the tasks that packages leave included`,
      ],
    ],
  );
  assert.deepEqual(await rowsOf(organizationId), before);
  assert.equal(
    (
      await send(
        api,
        many(4, () => taskInput({ parentId })),
      )
    ).status,
    200,
  );
});

test('a batch is replayed whole with its key, also by a gateway that was started since', async () => {
  const place = await createTestPlace();
  const tasks = [taskInput({ name: 'A' }), {}, taskInput({ name: 'C', children: [taskInput()] })];
  const key = { 'idempotency-key': 'whole' };
  const run = async (work: (api: ApiClient) => Promise<ApiReply<BatchData>[]>) => {
    const gateway = await startTestGateway({ place });
    const api = createApiClient(gateway);
    try {
      return await work(api);
    } finally {
      api.close();
      await gateway.stop();
    }
  };
  try {
    const early = await run(async (api) => [
      await send(api, tasks, '', key),
      await send(api, tasks, '', key),
      await send(api, tasks, '?atomic=false', key),
    ]);
    const [first, replay, elsewhere] = early;
    const late = await run(async (api) => [await send(api, tasks, '', key), await send(api, [{}], '', key)]);
    assert.deepEqual(
      [...early, ...late].map(({ status, headers }) => [status, headers['idempotency-replayed'] === 'true']),
      [
        [200, false],
        [200, true],
        [200, false],
        [200, true],
        [422, false],
      ],
    );
    assert.deepEqual(replay!.body.data, first!.body.data);
    assert.deepEqual(late[0]!.body.data, first!.body.data);
    assert.notDeepEqual(elsewhere!.body.data, first!.body.data, 'another query is another scope');
  } finally {
    await place.drop();
  }
});

test('a batch that makes nothing is answered only once what stands at its position is durable', async () => {
  const { api } = await fixture.organization();
  await api.createTask();
  const held = commitStore.hold();
  const making = api.post('/tasks', taskInput());
  await held.arrived;
  let isAnswered = false;
  const batch = send(api, [{}]).finally(() => {
    isAnswered = true;
  });
  await delay(150);
  const wasAnswered = isAnswered;
  held.release();
  const [made, reply] = await Promise.all([making, batch]);
  assert.deepEqual([made.status, reply.status, wasAnswered], [201, 200, false]);
  assert.equal(reply.body.metadata.position, made.body.metadata.position);
});

test('other organizations are served while one pushes batches of 500 without pause', async (t) => {
  const [busy, calm] = [await fixture.organization(), await fixture.organization()];
  await calm.api.createTask();
  let [batches, slowestMs, isOver] = [0, 0, false];
  const push = async () => {
    for (; !isOver; batches++) assert.equal((await send(busy.api, many(500))).status, 200);
  };
  const work = async () => {
    for (let creates = 0; creates < 10; creates++) {
      const sentAt = performance.now();
      assert.equal((await calm.api.post('/tasks', taskInput())).status, 201);
      slowestMs = Math.max(slowestMs, performance.now() - sentAt);
    }
  };
  const pushing = Promise.all([push(), push(), push()]);
  await work().finally(() => {
    isOver = true;
  });
  await pushing;
  t.diagnostic(`beside ${batches} batches the slowest create took ${Math.round(slowestMs)} ms`);
  assert.ok(batches >= 3, `${batches} batches`);
  assert.ok(slowestMs < 10_000, `a create took ${Math.round(slowestMs)} ms`);
});

test('a batch whose rows Postgres refuses makes nothing, and harms nobody beside it', async () => {
  const { api, organizationId } = await fixture.organization();
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`ALTER TABLE tasks ADD CONSTRAINT tasks_no_poison CHECK (name NOT LIKE 'poison%')`,
  );
  const poison = [taskInput({ name: 'Innocent' }), taskInput({ name: 'poison' })];
  const replies = await Promise.all([
    send(api, [taskInput({ name: 'Good 1' })]),
    send(api, poison, '', { 'idempotency-key': 'poison' }),
    send(api, poison, '?atomic=true'),
    send(api, [taskInput({ name: 'Good 2' }), taskInput({ name: 'Good 3' })], '?atomic=true'),
  ]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 500, 500, 200],
  );
  assert.equal((await rowsOf(organizationId))['tasks'], 3);
  const cured = await send(api, [taskInput({ name: 'Cured' })], '', { 'idempotency-key': 'poison' });
  assert.deepEqual([cured.status, outcomes(cured)], [200, ['Cured']], 'what failed was not kept');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { seedChannel, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { type Day, dayOf } from './day-of.ts';

const fixture = useGateway();

interface Acted {
  readonly items: readonly { taskId: number; status: 'done' | 'failed'; task?: TaskView; error?: { code: string } }[];
  readonly done: number;
  readonly failed: number;
}

const act = (day: Pick<Day, 'api'>, action: string, taskIds: readonly unknown[], more: object = {}, headers = {}) =>
  day.api.post<Acted>('/tasks/actions', { action, taskIds, ...more }, headers);
const create = async (day: Day, count: number) => {
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await day.api.createTask()).id);
  return ids;
};
/** The body of an error, without the facts of its request. */
const bare = (error: unknown) =>
  JSON.parse(JSON.stringify(error, (name, value) => (name === 'meta' ? undefined : value)));

async function lastSequence(day: Day): Promise<number> {
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ last: number }[]>`
      SELECT max(sequence)::int AS last FROM events WHERE organization_id = ${day.organizationId}`,
  );
  return row!.last;
}

/** The number of transactions that wrote the events after this one. */
async function countCommits(day: Day, after: number): Promise<number> {
  const commits = await withSql(
    fixture.gateway.databaseUrl,
    (sql) =>
      sql`SELECT DISTINCT xmin::text FROM events WHERE organization_id = ${day.organizationId} AND sequence > ${after}`,
  );
  return commits.length;
}

/** For each action the single call, and the fields that both take. */
const ACTIONS = [
  ['assign', 'post', 'assign', (day: Day) => ({ agentId: day.agents[0]!.agentId, reason: 'near' })],
  ['unassign', 'post', 'unassign', () => ({ reason: 'late' })],
  ['auto_assign', 'post', 'auto-assign', () => ({})],
  ['cancel', 'put', 'status', () => ({ reason: 'closed', reasonCode: 'shop' })],
  ['amend', 'post', 'amend', () => ({ notes: 'ring', contact: { name: 'Grace', phone: '+442079460009' } })],
] as const;
const STATUSES = [
  'new',
  'awaiting_assignment',
  'assigned',
  'accepted',
  'in_transit',
  'completed',
  'cancelled',
] as const;

for (const [action, method, path, bodyOf] of ACTIONS) {
  test(`${action} answers for each task as its single call, in every status`, async () => {
    const day = await dayOf(fixture);
    const one: number[] = [];
    const many: number[] = [];
    for (const status of STATUSES) {
      one.push((await day.taskIn(status)).id);
      many.push((await day.taskIn(status)).id);
    }
    const body = bodyOf(day);
    const reply = await act(day, action, [...many, 999_000_111], body);
    assert.equal(reply.status, 200, reply.text);
    const { items, done, failed } = reply.body.data;
    assert.deepEqual(
      items.map(({ taskId }) => taskId),
      [...many, 999_000_111],
    );
    assert.deepEqual([done + failed, items.filter(({ status }) => status === 'done').length], [8, done]);
    for (const [index, id] of [...one, 999_000_112].entries()) {
      const single = await day.api[method](
        `/tasks/${id}/${path}`,
        action === 'cancel' ? { ...body, status: 'cancelled' } : body,
      );
      const { status, task, error } = items[index]!;
      assert.equal(status, single.status === 200 ? 'done' : 'failed', `${STATUSES[index]}: ${single.text}`);
      if (status === 'failed') {
        const expected = JSON.parse(single.text.replaceAll('999000112', '999000111'));
        assert.deepEqual(bare(error), bare(expected), STATUSES[index]);
        continue;
      }
      assert.deepEqual(task, await day.read(many[index]!));
      const { status: to, agentId, notes, autoAssignmentStatus } = single.body.data;
      assert.deepEqual(
        [task!.status, task!.agentId, task!.notes, task!.autoAssignmentStatus],
        [to, agentId, notes, autoAssignmentStatus],
      );
      const last = async (taskId: number) => (await day.history(taskId)).at(-1)!;
      const [own, others] = [await last(many[index]!), await last(id)];
      assert.deepEqual([own.kind, own.reason, own.reasonCode], [others.kind, others.reason, others.reasonCode]);
    }
  });
}

test('an action is one commit, with an event for each task', async () => {
  const day = await dayOf(fixture);
  const ids = await create(day, 40);
  const logged = (await day.told()).length;
  assert.equal((await act(day, 'cancel', ids)).body.data.done, 40);
  const told = await day.told(logged);
  assert.deepEqual(
    told.map(({ type, data }) => [type, data.task.id]),
    ids.map((id) => ['task.status_changed', id]),
  );
  assert.equal(await countCommits(day, logged), 1);
});

test('each item sees those before it', async () => {
  const day = await dayOf(fixture);
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
  const ids: number[] = [];
  for (let index = 0; index < 2; index += 1)
    ids.push((await day.api.createTask({ timeToServe: 'scheduled', scheduledAt })).id);
  const { items } = (await act(day, 'assign', ids, { agentId: day.agents[0]!.agentId })).body.data;
  assert.deepEqual(
    items.map(({ status, error }) => [status, error?.code]),
    [
      ['done', undefined],
      ['failed', 'AGENT_SLOT_TAKEN'],
    ],
  );
});

test('every action on jobs counts their children, of which one commit bears a thousand, and a cancel takes them along', async () => {
  const day = await dayOf(fixture);
  const { customerId } = await day.api.createTask();
  const part = { name: 'part', taskType: 'delivery', location: { address: 'x', latitude: 1, longitude: 1 } };
  const children = Array.from({ length: 100 }, () => ({ ...part, customerId }));
  const jobs: number[] = [];
  for (let index = 0; index < 10; index += 1) jobs.push((await day.api.createTask({ children })).id);
  const logged = await lastSequence(day);
  for (const [action, , , bodyOf] of ACTIONS) {
    const { status, body } = await act(day, action, jobs, bodyOf(day));
    const message = ['taskIds must name at most 1000 tasks, the children of jobs included'];
    assert.deepEqual([action, status, body.message], [action, 400, message]);
  }
  assert.equal(await lastSequence(day), logged);
  assert.equal((await act(day, 'amend', jobs.slice(0, 9), { notes: 'ring' })).body.data.done, 9);
  const amended = await lastSequence(day);
  // More rows than a batch of many commands takes.
  const { items, done } = (await act(day, 'cancel', jobs.slice(0, 6))).body.data;
  assert.equal(done, 6);
  assert.ok(items.every(({ task }) => task!.children.every(({ status }) => status === 'cancelled')));
  assert.equal(await countCommits(day, amended), 1);
});

test('the tasks of an action hold a bounded amount of text, their children and packages included', async () => {
  const day = await dayOf(fixture);
  const { customerId } = await day.api.createTask();
  const long = 'x'.repeat(10_000);
  const part = {
    name: 'part',
    taskType: 'delivery',
    customerId,
    location: { address: 'x', latitude: 1, longitude: 1 },
  };
  const full = { ...part, notes: long, description: long, integrationData: { text: 'y'.repeat(16_000) } };
  const jobs: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    const tasks = [{ ...part, children: Array.from({ length: 100 }, () => full) }];
    const made = await day.api.post<{ items: { task: TaskView }[] }>('/tasks/batch', { tasks });
    jobs.push(made.body.data.items[0]!.task.id);
  }
  const logged = await lastSequence(day);
  const children = await Promise.all(jobs.map(async (id) => (await day.read(id)).children[0]!.id));
  const siblings = (await day.read(jobs[0]!)).children.map(({ id }) => id);
  // A step of a child may change its job, whose event shows all children, and lead it from status to status.
  for (const taskIds of [jobs, children, siblings.slice(0, 5), siblings]) {
    const refused = await act(day, 'amend', taskIds, { notes: 'ring' });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [400, ['taskIds must name tasks with at most 16777216 characters of text, the children of jobs included']],
    );
  }
  assert.equal(await lastSequence(day), logged);
  assert.equal((await act(day, 'amend', jobs.slice(0, 4), { notes: 'ring' })).body.data.done, 4);
  assert.equal((await act(day, 'amend', siblings.slice(0, 4), { notes: 'ring' })).body.data.done, 4);
  const modest = await day.api.createTask({ children: Array.from({ length: 100 }, () => ({ ...part, notes: long })) });
  const all = modest.children.map(({ id }) => id);
  assert.equal((await act(day, 'cancel', all)).body.data.done, 100, 'no status comes twice');
});

test('each item has the rights of its single call', async () => {
  const day = await dayOf(fixture);
  const { databaseUrl } = fixture.gateway;
  const integration = { api: fixture.clientOf((await seedChannel(databaseUrl, day.organizationId)).key) };
  const { data: cash } = (await day.api.post('/tasks', { name: 'Collect', taskType: 'cash_collection', amount: 5 }))
    .body;
  const [plain] = await create(day, 1);
  const statuses = async (action: string) =>
    (await act(integration, action, [cash.id, plain], { notes: 'x' })).body.data.items.map(({ status }) => status);
  assert.deepEqual(await statuses('amend'), ['failed', 'failed']);
  assert.deepEqual(await statuses('cancel'), ['failed', 'done']);
  assert.equal((await act(day.agents[0]!, 'cancel', [plain])).status, 403);
});

test('a foreign task fails as an unknown one', async () => {
  const [day, others] = [await dayOf(fixture), await dayOf(fixture)];
  const [foreign] = await create(others, 1);
  const { items } = (await act(day, 'cancel', [foreign, 999_000_111])).body.data;
  const told = items.map(({ taskId, error }) => JSON.stringify(error).replace(`ID ${taskId} `, 'ID <id> '));
  assert.equal(told[0], told[1]);
  assert.match(told[0]!, /"statusCode":404,"message":"Task with ID <id> not found"/);
  assert.equal((await others.read(foreign!)).status, 'new');
});

test('a retry with its key gets the first answer, and acts once', async () => {
  const day = await dayOf(fixture);
  const ids = await create(day, 3);
  const key = { 'idempotency-key': 'once' };
  const replies = await Promise.all([act(day, 'cancel', ids, {}, key), act(day, 'cancel', ids, {}, key)]);
  const later = await act(day, 'cancel', ids, {}, key);
  for (const { body } of [...replies, later]) assert.deepEqual(body.data, replies[0]!.body.data);
  assert.deepEqual([later.body.data.done, later.headers['idempotency-replayed']], [3, 'true']);
  assert.equal((await act(day, 'unassign', ids, {}, key)).status, 422);
});

test('bad bodies name every fault', async () => {
  const day = await dayOf(fixture);
  const many = Array.from({ length: 501 }, (_, index) => index + 1);
  const past = '2020-01-01T00:00:00Z';
  for (const [action, taskIds, more, message] of [
    ['cancel', [], {}, ['taskIds must not be empty']],
    ['cancel', many, {}, ['taskIds must hold at most 500 items']],
    ['cancel', [1, 2, 1], {}, ['taskIds must not name a task twice']],
    ['cancel', [0, 'x'], {}, ['taskIds.0 must be a positive integer', 'taskIds.1 must be a number']],
    ['assign', [1], {}, ['agentId is required when the action is assign']],
    ['amend', [1], { notes: 1, windowEnd: past }, ['notes must be a string', 'windowEnd must be in the future']],
    ['erase', [1], {}, ['action must be one of: assign, unassign, auto_assign, cancel, amend']],
  ] as const) {
    const { status, body } = await act(day, action, taskIds, more);
    assert.deepEqual([status, body.message], [400, message]);
  }
});

test('the fields of other actions are ignored', async () => {
  const day = await dayOf(fixture);
  const times = { windowStart: '2020-01-02T00:00:00Z', windowEnd: '2020-01-01T00:00:00Z' };
  for (const [action, , , bodyOf] of ACTIONS) {
    const [id] = await create(day, 1);
    const { status, text } = await act(day, action, [id], { ...bodyOf(day), ...times });
    assert.equal(status, action === 'amend' ? 400 : 200, text);
  }
});

test('an action costs one, and one more for each 50 tasks', async () => {
  const day = await dayOf(fixture);
  const { organizationId, channelId } = day;
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`UPDATE channels SET rate_limit = 1 WHERE organization_id = ${organizationId} AND id = ${channelId}`,
  );
  const ids = Array.from({ length: 500 }, (_, index) => 1_000_000 + index);
  const startedAt = performance.now();
  assert.equal((await act(day, 'cancel', ids)).status, 200);
  const refused = await day.api.list();
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.equal(refused.status, 429);
  const wait = Number(refused.headers['retry-after']);
  assert.ok(wait <= 10 && wait >= 10 - seconds, `eleven taken and one to take, of two: ${wait} s`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultPoint } from '../../../engine/runtime/fault-points.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiClient, type ApiReply, createApiClient, taskInput } from '../../support/api-client.ts';
import { seedChannel, withSql } from '../../support/seeds/seed.ts';
import { type CrashableSystem, startCrashableSystem } from '../../support/system/crashable-system.ts';
import { PATIENCE_MS } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

const RETRIES = 200;
const keyed = (key: string) => ({ 'idempotency-key': key });
const isReplayed = ({ headers }: ApiReply<unknown>) => headers['idempotency-replayed'] === 'true';

interface BatchData {
  readonly items: readonly {
    readonly index: number;
    readonly status: 'created' | 'failed';
    readonly task?: TaskView;
    readonly error?: { readonly statusCode: number; readonly code?: string };
  }[];
  readonly created: number;
  readonly failed: number;
}

const idsOf = ({ body }: ApiReply<BatchData>) => body.data.items.map(({ task }) => task?.id);
const errorsOf = ({ body }: ApiReply<BatchData>) =>
  body.data.items.map(({ error }) => error?.code ?? error?.statusCode);

/** Items with keys of their own. */
function keyedItems(name: string, count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, number) =>
    taskInput({ name: `${name} ${number}`, idempotencyKey: `${name}-${number}` }),
  );
}

async function namesOf(databaseUrl: string, organizationId: number): Promise<string[]> {
  const rows = await withSql(
    databaseUrl,
    (sql) => sql<{ name: string }[]>`SELECT name FROM tasks WHERE organization_id = ${organizationId} ORDER BY id`,
  );
  return rows.map(({ name }) => name).sort();
}

/** Retries until an answer is not 503. Calls `onSilence` for every request without an answer. */
async function untilAnswered<T>(ask: () => Promise<ApiReply<T>>, onSilence: () => void): Promise<ApiReply<T>> {
  for (const endsAt = performance.now() + PATIENCE_MS; ; ) {
    const reply = await ask().catch((error: Error) => error);
    if (!(reply instanceof Error) && reply.status !== 503) return reply;
    if (performance.now() > endsAt)
      throw new Error(`no answer: ${reply instanceof Error ? reply.message : reply.text}`);
    if (reply instanceof Error) onSilence();
    await delay(20);
  }
}

/** Runs `work` against a gateway that ends itself at its first commit, and is started again when requests go unanswered. */
async function throughCrash<T>(
  point: FaultPoint,
  work: (api: ApiClient, onSilence: () => void, system: CrashableSystem) => Promise<T>,
): Promise<T> {
  const system = await startCrashableSystem();
  const api = createApiClient({ baseUrl: system.baseUrl, key: system.place.key });
  try {
    await system.startGateway({ FAULT_POINT: `${point}:1` });
    let crash!: () => void;
    const crashed = new Promise<void>((resolve) => {
      crash = resolve;
    });
    const working = work(api, crash, system);
    const restarted = crashed.then(() => system.killGateway()).then(() => system.startGateway());
    const [result] = await Promise.all([working, restarted]);
    return result;
  } finally {
    api.close();
    await system.stop();
  }
}

test('of 200 creates at once with one key one is carried out, and all get that one or a request to retry', async () => {
  const { api, organizationId } = await fixture.organization();
  const create = () => api.post('/tasks', taskInput({ name: 'The one' }), keyed('storm'));
  const replies = await Promise.all(Array.from({ length: RETRIES }, create));
  for (const { status, body } of replies) {
    assert.ok(status === 201 || (status === 409 && body.code === 'IDEMPOTENCY_IN_PROGRESS'), `${status} ${body.code}`);
  }
  const told = replies.filter(({ status }) => status === 201);
  assert.equal(new Set(told.map(({ body }) => JSON.stringify(body.data))).size, 1);
  assert.equal(told.filter((reply) => !isReplayed(reply)).length, 1);
  for (let again = 0; again < 3; again++) {
    const reply = await create();
    assert.deepEqual([reply.status, isReplayed(reply)], [201, true]);
    assert.deepEqual(reply.body.data, told[0]!.body.data);
  }
  assert.deepEqual(await namesOf(fixture.gateway.databaseUrl, organizationId), ['The one']);
});

for (const point of ['before-commit-send', 'after-commit-send', 'after-commit-before-reply'] as const) {
  test(`200 retries of one create outlast a kill -9 ${point.replaceAll('-', ' ')} and get one task`, async () => {
    await throughCrash(point, async (api, onSilence, { place }) => {
      const create = () => api.post('/tasks', taskInput({ name: 'The one' }), keyed('storm'));
      const retries = Array.from({ length: RETRIES }, () => untilAnswered(create, onSilence));
      const replies = await Promise.all(retries);
      assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
      assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body.data))).size, 1);
      assert.deepEqual(await namesOf(place.databaseUrl, place.organizationId), ['The one']);
    });
  });

  test(`a batch with keys of its items outlasts a kill -9 ${point.replaceAll('-', ' ')} without a duplicate`, async () => {
    await throughCrash(point, async (api, onSilence, { place }) => {
      const tasks = keyedItems('item', 25);
      const send = (atomic: boolean) => () =>
        api.post<BatchData>(`/tasks/batch${atomic ? '?atomic=true' : ''}`, { tasks });
      const retries = Array.from({ length: 10 }, (_, number) => untilAnswered(send(number % 2 === 1), onSilence));
      const replies = await Promise.all(retries);
      assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
      assert.equal(new Set(replies.map((reply) => JSON.stringify(idsOf(reply)))).size, 1);
      assert.equal(new Set(idsOf(replies[0]!)).size, 25);
      assert.deepEqual(await namesOf(place.databaseUrl, place.organizationId), tasks.map(({ name }) => name).sort());
    });
  });
}

test('one batch with keys of its items, sent 20 times at once, makes each of its tasks once', async () => {
  const { api, organizationId } = await fixture.organization();
  const tasks = keyedItems('burst', 40);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      api.post<BatchData>(`/tasks/batch${number % 2 === 0 ? '' : '?atomic=true'}`, { tasks }),
    ),
  );
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body.data))).size, 1);
  assert.deepEqual([replies[0]!.body.data.created, replies[0]!.body.data.failed], [40, 0]);
  assert.equal((await namesOf(fixture.gateway.databaseUrl, organizationId)).length, 40);
});

test('batches that share items, sent at once with whole keys, make each item once and are replayed whole', async () => {
  const { api, organizationId } = await fixture.organization();
  const items = keyedItems('shared', 30);
  const batches = [items.slice(0, 20), items.slice(10), items.slice(5, 25).reverse()];
  const send = (number: number) =>
    api.post<BatchData>('/tasks/batch', { tasks: batches[number % 3] }, keyed(`whole ${number % 3}`));
  const replies = await Promise.all(Array.from({ length: 30 }, (_, number) => send(number)));
  for (const [number, reply] of replies.entries()) {
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.body.data, replies[number % 3]!.body.data);
    assert.equal(reply.body.data.created, 20);
  }
  assert.equal(replies.filter((reply) => !isReplayed(reply)).length, 3);
  assert.equal((await namesOf(fixture.gateway.databaseUrl, organizationId)).length, 30);
});

for (const atomic of [false, true]) {
  test(`an item that stands twice in one ${atomic ? 'atomic' : 'plain'} batch is made once`, async () => {
    const { api, organizationId } = await fixture.organization();
    const [twin, other] = keyedItems('twin', 2);
    const reply = await api.post<BatchData>(`/tasks/batch${atomic ? '?atomic=true' : ''}`, {
      tasks: [twin, other, twin],
    });
    assert.equal(reply.status, 200, reply.text);
    const [first, second, third] = idsOf(reply);
    assert.ok(first && second && first !== second);
    assert.equal(third, first);
    assert.equal((await namesOf(fixture.gateway.databaseUrl, organizationId)).length, 2);
  });

  test(`one key for two different items of one ${atomic ? 'atomic' : 'plain'} batch is refused`, async () => {
    const { api, organizationId } = await fixture.organization();
    const [one, other] = keyedItems('clash', 2);
    const tasks = [one, { ...other, idempotencyKey: 'clash-0' }];
    const reply = await api.post<BatchData>(`/tasks/batch${atomic ? '?atomic=true' : ''}`, { tasks });
    if (atomic) {
      assert.deepEqual([reply.status, reply.body.code], [422, 'BATCH_REJECTED']);
      const items = reply.body.details['items'] as { index: number; error: { code: string } }[];
      assert.deepEqual(
        items.map(({ index, error }) => [index, error.code]),
        [[1, 'IDEMPOTENCY_KEY_REUSED']],
      );
    } else {
      assert.deepEqual([reply.status, errorsOf(reply)], [200, [undefined, 'IDEMPOTENCY_KEY_REUSED']]);
    }
    assert.equal((await namesOf(fixture.gateway.databaseUrl, organizationId)).length, atomic ? 0 : 1);
  });
}

test('the outcome of an item is kept: created, 404, 409 and quota 403; malformed ones are judged again', async () => {
  const { api } = await fixture.organization({ limits: { tasks: 2 } });
  await api.createTask({ code: 'TAKEN' });
  const item = (key: string, overrides: object) => taskInput({ ...overrides, idempotencyKey: key });
  const tasks = [
    item('unknown', { channelId: 999_000_111 }),
    item('taken', { code: 'TAKEN' }),
    item('malformed', { name: '' }),
    item('made', {}),
    item('over', {}),
  ];
  const expected = [404, 'TASK_CODE_TAKEN', 400, undefined, 'PACKAGE_LIMIT_EXCEEDED'];
  const first = await api.post<BatchData>('/tasks/batch', { tasks });
  assert.deepEqual(errorsOf(first), expected);
  const reversed = await api.post<BatchData>('/tasks/batch', { tasks: [...tasks].reverse() });
  assert.deepEqual(errorsOf(reversed), [...expected].reverse());
  assert.equal(idsOf(reversed)[1], idsOf(first)[3]);
  const corrected = [
    { ...tasks[2], name: 'A name' },
    { ...tasks[0], channelId: undefined },
  ];
  const again = await api.post<BatchData>('/tasks/batch', { tasks: corrected });
  assert.deepEqual(errorsOf(again), ['PACKAGE_LIMIT_EXCEEDED', 'IDEMPOTENCY_KEY_REUSED'], 'a 400 leaves the key free');
});

test('keys of items count for one channel, in one namespace of their own', async () => {
  const { databaseUrl } = fixture.gateway;
  const { api, organizationId } = await fixture.organization();
  const colleague = fixture.clientOf((await seedChannel(databaseUrl, organizationId)).key);
  const [item] = keyedItems('scope', 1);
  const { idempotencyKey, ...body } = item!;
  const own = await api.post<BatchData>('/tasks/batch', { tasks: [item] });
  const others = await colleague.post<BatchData>('/tasks/batch', { tasks: [item] });
  const single = await api.post('/tasks', body, keyed(String(idempotencyKey)));
  const whole = await api.post<BatchData>('/tasks/batch', { tasks: [body] }, keyed(String(idempotencyKey)));
  const elsewhere = await api.post<BatchData>('/tasks/batch?atomic=true', { tasks: [item] });
  assert.equal(new Set([idsOf(own)[0], idsOf(others)[0], single.body.data.id, idsOf(whole)[0]]).size, 4);
  assert.deepEqual(idsOf(elsewhere), idsOf(own), 'the same item in an atomic batch');
});

test('an item whose key is no text of 1 to 255 printable characters is refused by itself', async () => {
  const { api } = await fixture.organization();
  const keys = ['', 'k'.repeat(256), 'tab\there', 'é', 7, {}, null];
  const tasks = keys.map((idempotencyKey) => taskInput({ idempotencyKey }));
  const reply = await api.post<BatchData>('/tasks/batch', { tasks });
  assert.deepEqual(errorsOf(reply), [400, 400, 400, 400, 400, 400, undefined]);
});

test('a 412 is kept, and stays although the tag has come to fit', async () => {
  const { api } = await fixture.organization();
  const { id } = await api.createTask({ notes: 'a' });
  const tag = (await api.get(`/tasks/${id}`)).headers.etag!;
  const patch = (ifMatch: string) =>
    api.patch(`/tasks/${id}`, { notes: 'b' }, { ...keyed('412'), 'if-match': ifMatch });
  const [first, replay] = [await patch('"stale"'), await patch('"stale"')];
  assert.deepEqual([first.status, replay.status, isReplayed(replay)], [412, 412, true]);
  assert.equal(replay.text, first.text);
  assert.deepEqual([(await patch(tag)).status, (await api.get(`/tasks/${id}`)).body.data.notes], [412, 'a']);
});

test('a 400 that only the engine finds is not kept, nor is the 422 of an atomic batch', async () => {
  const { api } = await fixture.organization();
  const { id } = await api.createTask();
  const cancel = (occurredAt: string) =>
    api.put(`/tasks/${id}/status`, { status: 'cancelled', occurredAt }, keyed('engine-400'));
  assert.equal((await cancel('2001-01-01T00:00:00Z')).status, 400);
  assert.equal((await cancel(new Date().toISOString())).status, 200);
  const batch = (tasks: unknown[]) => api.post<BatchData>('/tasks/batch?atomic=true', { tasks }, keyed('rejected'));
  const [good] = keyedItems('rejected', 1);
  assert.equal((await batch([good, {}])).status, 422);
  const reply = await batch([good]);
  assert.deepEqual([reply.status, isReplayed(reply), reply.body.data.created], [200, false, 1]);
});

test('a key used for another payload, path or method is refused or free, and never carried out twice', async () => {
  const { api } = await fixture.organization();
  const { id, packages } = await api.createTask({ packages: [{ name: 'Box' }] });
  const key = keyed('everywhere');
  const calls = [
    () => api.post('/tasks', taskInput(), key),
    () => api.patch(`/tasks/${id}`, { notes: 'x' }, key),
    () => api.post(`/tasks/${id}/packages`, { name: 'Another' }, key),
    () => api.patch(`/packages/${packages[0]!.id}`, { status: 'picking_up' }, key),
    () => api.post('/customers', { name: 'Grace Hopper', phone: '+442079460779' }, key),
    () => api.post('/warehouses', { name: 'North', location: taskInput()['location'] }, key),
    () => api.put(`/tasks/${id}/status`, { status: 'cancelled' }, key),
  ];
  for (const call of calls) {
    const [first, replay] = [await call(), await call()];
    assert.ok(first.status < 300, first.text);
    assert.deepEqual([replay.status, isReplayed(first), isReplayed(replay)], [first.status, false, true]);
    assert.deepEqual(replay.body.data, first.body.data);
  }
  assert.equal((await api.get(`/tasks/${id}`)).body.data.packages.length, 2);
  const other = await api.patch(`/tasks/${id}`, { notes: 'y' }, key);
  assert.deepEqual([other.status, other.body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiClient, createApiClient, taskInput } from '../../support/api-client.ts';
import { createTestPlace, startTestGateway, type TestPlace } from '../../support/system/gateway.ts';
import { useGateway } from '../api-fixture.ts';

/** docs/contract.md §1 "Conditional". */

const fixture = useGateway();

const STRONG_TAG = /^"[^"]+"$/;

async function withGatewayAt<T>(place: TestPlace, work: (api: ApiClient) => Promise<T>): Promise<T> {
  const gateway = await startTestGateway({ place, process: true });
  const api = createApiClient(gateway);
  try {
    return await work(api);
  } finally {
    api.close();
    await gateway.stop();
  }
}

/** A task with its job, its packages and all that is read one at a time. */
async function etagsOf(api: ApiClient, paths: readonly string[]): Promise<(string | undefined)[]> {
  return Promise.all(paths.map(async (path) => (await api.get(path)).headers.etag));
}

test('an entity tag is that of the data: the same each time, in every process and after a restart', async () => {
  const place = await createTestPlace();
  try {
    const { paths, tags } = await withGatewayAt(place, async (api) => {
      const fields = { integrationData: { b: 1, a: [1, { z: 1, y: 2 }] }, requiredSkills: ['cold'], notes: 'é' };
      const job = await api.createTask({ ...fields, packages: [{ name: 'x', weight: 0.1 }], children: [taskInput()] });
      const ids = [job.id, job.children[0]!.id];
      const paths = ids.flatMap((id) => [`/tasks/${id}`, `/tasks/${id}/packages`]);
      const tags = await etagsOf(api, paths);
      for (const tag of tags) assert.match(tag!, STRONG_TAG);
      assert.deepEqual(await etagsOf(api, paths), tags);
      assert.equal(new Set(tags).size, 4);
      return { paths, tags };
    });
    await withGatewayAt(place, async (api) => {
      assert.deepEqual(await etagsOf(api, paths), tags);
      const { status } = await api.patch(paths[0]!, { notes: 'changed' }, { 'if-match': tags[0]! });
      assert.equal(status, 200);
    });
  } finally {
    await place.drop();
  }
});

test('a change makes another tag, which its own answer carries already', async () => {
  const { api } = fixture;
  const { id, packages } = await api.createTask({ packages: [{ name: 'box' }] });
  const path = `/tasks/${id}`;
  let [before] = await etagsOf(api, [path]);
  const change = async (ask: () => Promise<unknown>) => {
    await ask();
    const [after] = await etagsOf(api, [path]);
    assert.notEqual(after, before);
    before = after;
  };
  await change(async () => {
    const { headers } = await api.patch(path, { notes: 'x' });
    assert.deepEqual(await etagsOf(api, [path]), [headers.etag]);
  });
  await change(() => api.post(`${path}/packages`, { name: 'more' }));
  await change(() => api.patch(`/packages/${packages[0]!.id}`, { status: 'picking_up' }));
  await change(() => api.post('/tasks', taskInput({ parentId: id })));
  await change(() => api.put(`${path}/status`, { status: 'cancelled' }));
});

for (const [name, header] of [
  ['the tag', (tag: string) => tag],
  ['the tag as a weak one', (tag: string) => `W/${tag}`],
  ['a list with the tag', (tag: string) => `"a", W/"b",${tag}, "c"`],
  ['a list over two headers', (tag: string) => ['"a"', tag]],
  ['a star', () => '*'],
] as const) {
  test(`If-None-Match with ${name} is answered 304, without a body and its type`, async () => {
    const { id } = await fixture.api.createTask();
    for (const path of [`/tasks/${id}`, `/tasks/${id}/packages`]) {
      const { headers } = await fixture.api.get(path);
      const reply = await fixture.api.get(path, { 'if-none-match': header(headers.etag!) });
      assert.deepEqual([reply.status, reply.text], [304, '']);
      assert.equal(reply.headers.etag, headers.etag);
      assert.equal(reply.headers['content-type'], undefined);
      assert.match(reply.headers['x-correlation-id'] as string, /^[0-9a-f-]{36}$/);
    }
  });
}

for (const [name, header] of [
  ['another tag', () => '"other"'],
  ['the tag without its quotes', (tag: string) => tag.slice(1, -1)],
  ['the tag in other case', (tag: string) => tag.toUpperCase().replace('"', '"x')],
  ['nothing', () => ''],
  ['a star inside a tag', () => '"*"'],
] as const) {
  test(`If-None-Match with ${name} gets the task`, async () => {
    const { id } = await fixture.api.createTask();
    const { headers } = await fixture.api.get(`/tasks/${id}`);
    const reply = await fixture.api.get(`/tasks/${id}`, { 'if-none-match': header(headers.etag!) });
    assert.deepEqual([reply.status, reply.body.data.id], [200, id]);
  });
}

test('a tag that stood once does not hide what has changed', async () => {
  const { api } = fixture;
  const { id } = await api.createTask();
  const { headers } = await api.get(`/tasks/${id}`);
  await api.patch(`/tasks/${id}`, { notes: 'new' });
  const { status, body } = await api.get(`/tasks/${id}`, { 'if-none-match': headers.etag! });
  assert.deepEqual([status, body.data.notes], [200, 'new']);
});

test('an unknown task is 404 with any tags', async () => {
  const { status } = await fixture.api.get('/tasks/999000111', { 'if-none-match': '*' });
  assert.equal(status, 404);
  for (const tag of ['*', '"other"']) {
    const reply = await fixture.api.patch('/tasks/999000111', { notes: 'x' }, { 'if-match': tag });
    assert.equal(reply.status, 404);
  }
});

for (const [name, header, expected] of [
  ['the tag', (tag: string) => tag, 200],
  ['a list with the tag', (tag: string) => `"a", ${tag}`, 200],
  ['a star', () => '*', 200],
  ['another tag', () => '"other"', 412],
  ['the tag as a weak one, which never matches strongly', (tag: string) => `W/${tag}`, 412],
  ['what is no tag', () => 'garbage', 412],
] as const) {
  test(`PATCH with If-Match naming ${name} gets ${expected}`, async () => {
    const task = await fixture.api.createTask();
    const { headers } = await fixture.api.get(`/tasks/${task.id}`);
    const reply = await fixture.api.patch(
      `/tasks/${task.id}`,
      { notes: 'x', name: 'X' },
      { 'if-match': header(headers.etag!) },
    );
    assert.equal(reply.status, expected);
    const after = (await fixture.api.get(`/tasks/${task.id}`)).body.data;
    if (expected === 200) return assert.deepEqual([after.notes, after.name], ['x', 'X']);
    assert.equal(
      reply.text,
      '{"statusCode":412,"message":"The record is no longer what If-Match names","error":"Precondition Failed","code":"PRECONDITION_FAILED"}',
    );
    assert.deepEqual(after, task);
  });
}

test('of many who change what they have read one succeeds', async () => {
  const { api } = fixture;
  const { id } = await api.createTask();
  const { headers } = await api.get(`/tasks/${id}`);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      api.patch(`/tasks/${id}`, { notes: `${index}` }, { 'if-match': headers.etag! }),
    ),
  );
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 412)]);
});

test('an invalid request is reported before a stale tag', async () => {
  const { id } = await fixture.api.createTask();
  const past = { scheduledAt: '2020-01-01T00:00:00Z' };
  assert.equal((await fixture.api.patch(`/tasks/${id}`, past, { 'if-match': '"stale"' })).status, 400);
});

test('a stale tag is reported before a conflict', async () => {
  const { api } = fixture;
  const { id } = await api.createTask();
  await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  assert.equal((await api.patch(`/tasks/${id}`, { notes: 'x' }, { 'if-match': '"stale"' })).status, 412);
  assert.equal((await api.patch(`/tasks/${id}`, { notes: 'x' })).status, 409);
});

test('a 412 is kept under its key', async () => {
  const { api } = fixture;
  const { id } = await api.createTask();
  const headers = { 'if-match': '"stale"', 'idempotency-key': 'kept 412' };
  const replies = [
    await api.patch(`/tasks/${id}`, { notes: 'x' }, headers),
    await api.patch(`/tasks/${id}`, { notes: 'x' }, headers),
  ];
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.headers['idempotency-replayed']]),
    [
      [412, undefined],
      [412, 'true'],
    ],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiClient, createApiClient, taskInput } from '../../support/api-client.ts';
import { seedChannel, withSql } from '../../support/seeds/seed.ts';
import {
  createTestPlace,
  startTestGateway,
  type TestGatewayOptions,
  type TestPlace,
} from '../../support/system/gateway.ts';
import { untilPast } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

const keyed = (key: string) => ({ 'idempotency-key': key });
const replayedOf = ({ headers }: { headers: Record<string, unknown> }) => headers['idempotency-replayed'];

test('the same request again gets the first answer again, with the facts of the new request', async () => {
  const first = await fixture.api.post('/tasks', taskInput(), keyed('replay'));
  const second = await fixture.api.post('/tasks', taskInput(), keyed('replay'));
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.deepEqual([replayedOf(first), replayedOf(second)], [undefined, 'true']);
  assert.deepEqual(second.body.data, first.body.data);
  assert.equal(second.body.message, first.body.message);
  assert.notEqual(second.body.metadata.correlationId, first.body.metadata.correlationId);
});

test('the answer stays the first one after the task has changed', async () => {
  const { api } = fixture;
  const first = await api.post('/tasks', taskInput(), keyed('changed-since'));
  await api.put(`/tasks/${first.body.data.id}/status`, { status: 'cancelled' });
  const second = await api.post('/tasks', taskInput(), keyed('changed-since'));
  assert.deepEqual(second.body.data, first.body.data);
  assert.equal(second.body.data.status, 'new');
});

test('key order, white space and number notation are no other payload', async () => {
  const headers = { 'x-api-key': fixture.gateway.key, 'content-type': 'application/json', ...keyed('formatting') };
  const send = (body: string) => fixture.api.raw({ method: 'POST', path: '/api/v1/tasks', headers, body });
  const input = taskInput({ estimatedDuration: 100, notes: 'é' });
  const reversed = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, item]) => [key, reversed(item)]),
        )
      : value;
  const first = await send(JSON.stringify(input));
  const bodies = [
    JSON.stringify(input, null, 4),
    JSON.stringify(reversed(input)),
    JSON.stringify(input).replace('"é"', '"\\u00e9"').replace(':100', ':1e2'),
  ];
  for (const body of bodies) {
    const { status, headers: answered, body: replay } = await send(body);
    assert.equal(status, 201);
    assert.equal(answered['idempotency-replayed'], 'true');
    assert.deepEqual(replay.data, first.body.data);
  }
});

for (const [name, change] of [
  ['a changed field', { notes: 'other' }],
  ['an added field', { description: 'more' }],
  ['an added field that the API ignores', { somethingElse: 1 }],
  ['a removed field', { name: undefined, type: 'delivery', taskType: undefined }],
  ['null instead of absence', { notes: null }],
] as const) {
  test(`the key with ${name} is refused`, async () => {
    const key = `other payload: ${name}`;
    await fixture.api.post('/tasks', taskInput(), keyed(key));
    const { status, body } = await fixture.api.post('/tasks', taskInput(change), keyed(key));
    assert.equal(status, 422);
    assert.deepEqual([body.code, body.error], ['IDEMPOTENCY_KEY_REUSED', 'Unprocessable Entity']);
  });
}

test('of 100 requests at once with one key one makes a task and all are answered with it', async () => {
  const { api } = await fixture.organization();
  const replies = await Promise.all(Array.from({ length: 100 }, () => api.post('/tasks', taskInput(), keyed('race'))));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
  assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body.data))).size, 1);
  assert.equal(replies.filter((reply) => replayedOf(reply) === 'true').length, 99);
  assert.equal((await api.list()).body.data.count, 1);
});

test('a key counts for one channel, one method, one path with its query', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const colleague = fixture.clientOf((await seedChannel(databaseUrl, organizationId)).key);
  const stranger = (await fixture.organization()).api;
  const replies = [
    await fixture.api.post('/tasks', taskInput(), keyed('scope')),
    await colleague.post('/tasks', taskInput(), keyed('scope')),
    await stranger.post('/tasks', taskInput({ notes: 'other' }), keyed('scope')),
    // The query as it was sent counts, not its meaning.
    await fixture.api.post('/tasks?&', taskInput({ notes: 'other' }), keyed('scope')),
  ];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  assert.equal(new Set(replies.map(({ body }) => body.data.id)).size, 4);
  const [a, b] = replies.map(({ body }) => body.data.id);
  for (const id of [a, b]) {
    const { status, headers } = await fixture.api.put(`/tasks/${id}/status`, { status: 'cancelled' }, keyed('scope'));
    assert.deepEqual([status, headers['idempotency-replayed']], [200, undefined]);
  }
});

test('a key counts for a path with a query of any length that the gateway takes', async () => {
  const { api } = fixture;
  const [long, other] = ['&'.repeat(3_000), '&'.repeat(3_001)];
  const send = (asked: string) => api.post(`/tasks?${asked}`, taskInput(), keyed('long'));
  const [first, second, third] = [await send(long), await send(long), await send(other)];
  assert.deepEqual([first.status, second.status, third.status], [201, 201, 201]);
  assert.deepEqual([replayedOf(first), replayedOf(second), replayedOf(third)], [undefined, 'true', undefined]);
  assert.equal(second.body.data.id, first.body.data.id);
  assert.notEqual(third.body.data.id, first.body.data.id);
});

test('a cancellation is replayed as a success although the task is terminal by then', async () => {
  const { id } = await fixture.api.createTask();
  const cancel = () => fixture.api.put(`/tasks/${id}/status`, { status: 'cancelled' }, keyed('cancel'));
  const [first, second] = [await cancel(), await cancel()];
  assert.deepEqual([first.status, second.status, replayedOf(second)], [200, 200, 'true']);
  assert.deepEqual(second.body.data, first.body.data);
  assert.equal((await fixture.api.put(`/tasks/${id}/status`, { status: 'cancelled' })).status, 409);
});

test('refusals of the engine are kept: 404, 409 and 403 are replayed', async () => {
  const { api } = await fixture.organization({ limits: { tasks: 1 } });
  await api.createTask({ code: 'TAKEN' });
  for (const [change, status] of [
    [{ channelId: 999_000_111 }, 404],
    [{ code: 'TAKEN' }, 409],
    [{}, 403],
  ] as const) {
    const key = keyed(`refusal ${status}`);
    const first = await api.post('/tasks', taskInput(change), key);
    const second = await api.post('/tasks', taskInput(change), key);
    assert.deepEqual([first.status, second.status], [status, status]);
    assert.deepEqual([replayedOf(first), replayedOf(second)], [undefined, 'true']);
    assert.equal(second.text, first.text);
  }
});

test('a kept refusal stays although the request would now succeed', async () => {
  const { databaseUrl } = fixture.gateway;
  const { api, organizationId, channelId } = await fixture.organization();
  const later = 888_000_111;
  const first = await api.post('/tasks', taskInput({ channelId: later }), keyed('too-early'));
  await withSql(
    databaseUrl,
    (sql) => sql`
    INSERT INTO channels (organization_id, id, name, user_id)
    SELECT organization_id, ${later}, 'later', user_id FROM channels WHERE organization_id = ${organizationId} AND id = ${channelId}`,
  );
  const replay = await api.post('/tasks', taskInput({ channelId: later }), keyed('too-early'));
  assert.deepEqual([first.status, replay.status, replayedOf(replay)], [404, 404, 'true']);
  assert.equal((await api.post('/tasks', taskInput({ channelId: later }), keyed('in-time'))).status, 201);
});

test('a request that was in time gets its answer again after its time has passed', async () => {
  const { api } = await fixture.organization();
  const { id } = await api.createTask();
  const scheduledAt = new Date(Date.now() + 3_000).toISOString();
  const input = taskInput({ timeToServe: 'scheduled', scheduledAt });
  const job = { ...taskInput(), children: [input] };
  const item = { ...input, idempotencyKey: 'in time' };
  const requests = [
    () => api.post('/tasks', input, keyed('task in time')),
    () => api.post('/tasks', job, keyed('job in time')),
    () => api.patch(`/tasks/${id}`, { scheduledAt }, keyed('change in time')),
    () => api.post('/tasks/batch', { tasks: [item] }),
    () => api.post('/tasks/batch?atomic=true', { tasks: [item] }),
  ];
  const answers = await Promise.all(requests.map((request) => request()));
  await untilPast(scheduledAt);
  for (const [index, request] of requests.entries()) {
    const { status, body } = await request();
    assert.deepEqual([status, body.data], [answers[index]!.status, answers[index]!.body.data]);
    assert.ok(status < 300);
  }
  const fresh = await api.post('/tasks', job, keyed('too late'));
  assert.deepEqual([fresh.status, fresh.body.message], [400, ['children.0.scheduledAt must be in the future']]);
  assert.equal((await api.list()).body.data.count, 5);
});

test('validation errors and guard errors are not kept', async () => {
  const { key } = fixture.gateway;
  const send = (headers: Record<string, string>, body: string) =>
    fixture.api.raw({ method: 'POST', path: '/api/v1/tasks', headers: { ...keyed('not-kept'), ...headers }, body });
  const json = { 'content-type': 'application/json' };
  assert.equal((await send(json, JSON.stringify(taskInput()))).status, 401);
  assert.equal((await send({ 'x-api-key': key }, JSON.stringify(taskInput()))).status, 415);
  assert.equal((await send({ 'x-api-key': key, ...json }, '{')).status, 400);
  assert.equal((await send({ 'x-api-key': key, ...json }, JSON.stringify(taskInput({ name: '' })))).status, 400);
  const good = await send({ 'x-api-key': key, ...json }, JSON.stringify(taskInput()));
  assert.deepEqual([good.status, replayedOf(good)], [201, undefined]);
});

for (const [name, key, status] of [
  ['one character', 'k', 201],
  ['255 characters', 'k'.repeat(255), 201],
  ['every printable character', ' !"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~', 201],
  ['no character', '', 400],
  ['256 characters', 'k'.repeat(256), 400],
  ['a tab', 'a\tb', 400],
  ['an é inside', 'd\u00e9j', 400],
] as const) {
  test(`an Idempotency-Key of ${name} gets ${status}`, async () => {
    const reply = await fixture.api.post('/tasks', taskInput(), keyed(key));
    assert.equal(reply.status, status);
    if (status === 400)
      assert.equal(
        reply.text,
        '{"statusCode":400,"message":"The Idempotency-Key must be 1 to 255 printable ASCII characters","error":"Bad Request"}',
      );
  });
}

async function withGatewayAt<T>(
  place: TestPlace,
  options: TestGatewayOptions,
  work: (api: ApiClient, kill: () => Promise<void>) => Promise<T>,
) {
  const gateway = await startTestGateway({ ...options, place });
  const api = createApiClient(gateway);
  try {
    return await work(api, gateway.kill);
  } finally {
    api.close();
    await gateway.stop();
  }
}

test('a key outlives the gateway that was killed, and is forgotten after 24 hours', async () => {
  const place = await createTestPlace();
  try {
    const first = await withGatewayAt(place, { process: true }, async (api, kill) => {
      const reply = await api.post('/tasks', taskInput(), keyed('survivor'));
      await kill();
      return reply;
    });
    assert.equal(first.status, 201);
    await withGatewayAt(place, {}, async (api) => {
      const replay = await api.post('/tasks', taskInput(), keyed('survivor'));
      assert.deepEqual([replay.status, replayedOf(replay)], [201, 'true']);
      assert.deepEqual(replay.body.data, first.body.data);
      assert.equal((await api.post('/tasks', taskInput({ notes: 'x' }), keyed('survivor'))).status, 422);
      assert.equal((await api.list()).body.data.count, 1);
    });
    await withSql(
      place.databaseUrl,
      (sql) => sql`
      UPDATE idempotency_records SET at = now() - interval '24 hours 1 second' WHERE organization_id = ${place.organizationId}`,
    );
    await withGatewayAt(place, {}, async (api) => {
      const again = await api.post('/tasks', taskInput({ notes: 'x' }), keyed('survivor'));
      assert.deepEqual([again.status, replayedOf(again)], [201, undefined]);
    });
  } finally {
    await place.drop();
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../../engine/runtime/clock.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { withSql } from '../support/connections.ts';
import { type EventStreamClient, openEventStream } from '../support/event-stream.ts';
import { startTestGateway } from '../support/system/gateway.ts';
import { until } from '../support/until.ts';
import { useGateway } from './api-fixture.ts';

const fixture = useGateway({ own: 'a second gateway takes over at its place' });
const get = (path: string) => fixture.api.raw({ method: 'GET', path });

test('healthz answers while the process lives', async () => {
  const { status, text } = await get('/healthz');
  assert.deepEqual([status, text], [200, '{"status":"ok"}']);
});

test('readyz reports the stores and the shards', async () => {
  await until('Redis is heard of', async () => (await get('/readyz')).status === 200);
  const { status, text } = await get('/readyz');
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(text), {
    status: 'ready',
    postgres: true,
    redis: true,
    shardsOwned: 256,
    draining: false,
    volatilePostgres: [],
  });
});

/** Runs `body` while a table is locked. Its `waitedFor`: until so many statements wait for the table. */
function whileLocked(table: string, body: (waitedFor: (times: number) => Promise<void>) => Promise<void>) {
  return withSql(fixture.gateway.databaseUrl, (sql) =>
    sql.begin(async (locking) => {
      await locking`LOCK TABLE ${locking(table)} IN ACCESS EXCLUSIVE MODE`;
      await body((times) =>
        until(`${times} statements wait`, async () => {
          const [found] = await locking<{ waiting: number }[]>`
            SELECT count(*)::integer AS waiting FROM pg_locks WHERE relation = ${table}::regclass AND NOT granted`;
          return found!.waiting === times;
        }),
      );
    }),
  );
}

test('a gateway is ready while reads of the log take long', async () => {
  const asked: Promise<{ status: number }>[] = [];
  await whileLocked('events', async (waitedFor) => {
    for (let read = 0; read < LIMITS.logConnections; read++) asked.push(fixture.api.get('/events'));
    await waitedFor(LIMITS.logConnections);
    // An answer from before the lock stands for a moment.
    await sleep(300);
    assert.equal((await get('/readyz')).status, 200);
  });
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
});

test('searches of the log that take long do not delay a stream that resumes from before what memory has', async () => {
  const { api, key, organizationId } = await fixture.organization();
  await api.createTask();
  const { position } = (await api.get('/events')).body.metadata;
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`
      INSERT INTO events (organization_id, sequence, at, type, epoch, body)
      SELECT organization_id, 2, at, type, epoch, replace(body, '"sequence":1,', '"sequence":2,')
      FROM events WHERE organization_id = ${organizationId}`;
    await sql`UPDATE organization_heads SET last_sequence = 2 WHERE organization_id = ${organizationId}`;
  });
  const asked: Promise<{ status: number }>[] = [];
  let stream: EventStreamClient | undefined;
  try {
    await whileLocked('events', async (waitedFor) => {
      for (let read = 0; read < 2 * LIMITS.logConnections; read++) asked.push(api.get('/events?types=task.rated'));
      await waitedFor(LIMITS.logConnections);
      stream = await openEventStream(fixture.gateway.baseUrl, { key, organizationId, lastEventId: position! });
      await waitedFor(LIMITS.logConnections + 1);
    });
    assert.equal((await stream!.next()).event, 'stream.ready');
    assert.equal((await stream!.take(1))[0]!.data.sequence, 2);
  } finally {
    stream?.close();
  }
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
});

test('searches of tasks that take long leave connections to other organizations and to the log', async () => {
  const other = await fixture.organization();
  const asked: Promise<{ status: number }>[] = [];
  // None has three letters in a row: each is a statement of its own.
  const searchFrom = (api: ApiClient) => {
    for (const text of ['12', '34', '56', '78', '90']) asked.push(api.get(`/tasks?search=${text}`));
  };
  await whileLocked('tasks', async (waitedFor) => {
    searchFrom(fixture.api);
    await waitedFor(LIMITS.listConnectionsPerOrganization);
    searchFrom(other.api);
    await waitedFor(LIMITS.listConnections);
    assert.equal((await fixture.api.get('/events')).status, 200);
    await waitedFor(LIMITS.listConnections);
  });
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
});

test('a gateway that owns no shard, or cannot reach Redis, is not ready', async () => {
  const { place } = fixture.gateway;
  const second = await startTestGateway({
    place,
    environment: { GATEWAY_ID: 'second', REDIS_URL: 'redis://127.0.0.1:1' },
  });
  const there = createApiClient(second);
  try {
    const response = await there.raw({ method: 'GET', path: '/readyz' });
    assert.equal(response.status, 503);
    const facts = JSON.parse(response.text) as Record<string, unknown>;
    assert.deepEqual(
      [facts['status'], facts['redis'], facts['postgres'], facts['shardsOwned']],
      ['not ready', false, true, 0],
    );
    assert.equal((await there.raw({ method: 'GET', path: '/healthz' })).status, 200);
  } finally {
    there.close();
    await second.stop();
  }
});

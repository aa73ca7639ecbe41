import assert from 'node:assert/strict';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { withSql } from '../../support/connections.ts';
import { seedChannel } from '../../support/seeds/seed.ts';
import { PATIENCE_MS, until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { hearChanges } from '../streams/stream-fixture.ts';

const TASKS = 120;
/** More of an export than the buffers between Postgres and the client can hold. */
const BIG_TASKS = 3_000;
const BIG_NOTES = 'n'.repeat(9_000);

// A client that does not read is cut off after a while, which is not what is tried here: these take as long as they take.
const { streamStallMs } = LIMITS;
before(() => void Object.assign(LIMITS, { streamStallMs: 10 * PATIENCE_MS }));
after(() => void Object.assign(LIMITS, { streamStallMs }));

const fixture = useGateway({ own: 'it cuts connections' }, async ({ api }) => {
  for (let index = 0; index < TASKS; index += 1) {
    const { id } = await api.createTask({
      taskType: index % 3 === 0 ? 'pickup' : 'delivery',
      notes: '\u{1F69A}é"\n',
      integrationData: { index },
    });
    if (index % 10 === 0) await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  }
});

const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as TaskView);

for (const query of [
  '',
  'sortOrder=ASC',
  'sortBy=status&sortOrder=ASC',
  'sortBy=updatedAt',
  'taskType=pickup&status=new',
  'integrationData.index=7',
  'customerId=999000111',
]) {
  test(`an export with ?${query} holds the tasks of the list, one a line`, async () => {
    const { status, headers, text } = await fixture.api.get(`/tasks/export?${query}`);
    assert.equal(status, 200, text);
    assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8');
    assert.match(headers['x-correlation-id'] as string, /^[0-9a-f-]{36}$/);
    const pages = [1, 2].map((page) => fixture.api.list(`${query}&limit=100&page=${page}`));
    const listed = (await Promise.all(pages)).flatMap(({ body }) => body.data.items);
    assert.deepEqual(linesOf(text), listed);
    assert.ok(text === '' || text.endsWith('}\n'));
  });
}

test('an export refuses what the list refuses, and knows no pages', async () => {
  const { status, body } = await fixture.api.get('/tasks/export?status=NEW&sortBy=name&customerId=0');
  assert.equal(status, 400);
  assert.equal(body.message.length, 3);
  for (const name of ['limit', 'page', 'cursor']) {
    const paged = await fixture.api.get(`/tasks/export?${name}=1`);
    assert.equal(paged.status, 400);
    assert.match(paged.text, new RegExp(`${name} is not a parameter of this call`));
  }
});

test('an export needs a key and stays in its organization', async () => {
  const { status } = await fixture.api.raw({ method: 'GET', path: '/api/v1/tasks/export' });
  assert.equal(status, 401);
  const other = await fixture.organization();
  assert.equal((await other.api.get('/tasks/export')).text, '');
});

test('a task larger than what a connection takes at once arrives whole', async () => {
  const { api } = await fixture.organization();
  const packages = Array.from({ length: 100 }, () => ({ name: 'a', description: '\u{1F69A}'.repeat(4_000) }));
  const { id } = await api.createTask({ packages: packages.slice(0, 50) });
  const [exported] = linesOf((await api.get('/tasks/export')).text);
  assert.deepEqual(exported, (await api.get(`/tasks/${id}`)).body.data);
});

test('an export that its client does not read waits, and goes on when it reads again', async () => {
  const { key } = await bigOrganization();
  const { response } = await open(key);
  response.pause();
  await untilExporting();
  await delay(700);
  assert.equal((await exportingBackends()).length, 1, 'Postgres has not been read to the end');
  assert.equal(await countLines(response), BIG_TASKS);
});

test('an export breaks its connection off when Postgres fails in the middle', async () => {
  const { key } = await bigOrganization();
  const { response } = await open(key);
  response.pause();
  await untilExporting();
  for (const pid of await exportingBackends()) await terminate(pid);
  await assert.rejects(countLines(response), /aborted|hang up|ECONNRESET/);
});

test('an export breaks off soon after a change of its access, and others go on', async () => {
  const [mine, theirs] = [await bigOrganization(), await fixture.organization()];
  const { response } = await open(mine.key);
  response.pause();
  await untilExporting();
  const change = (organizationId: number) =>
    withSql(
      fixture.gateway.databaseUrl,
      (sql) => sql`UPDATE users SET email_verified_at = now() WHERE organization_id = ${organizationId}`,
    );
  await change(theirs.organizationId);
  await delay(LIMITS.credentialValidMs);
  assert.equal((await exportingBackends()).length, 1, 'a change of another');
  await change(mine.organizationId);
  await until('it has broken off', async () => (await exportingBackends()).length === 0);
  await assert.rejects(countLines(response), /aborted|hang up|ECONNRESET/);
});

test('an export that begins right after a change of its access, before it is heard of, goes on', async () => {
  const { databaseUrl } = fixture.gateway;
  const { organizationId } = await bigOrganization();
  for (let round = 0; round < 5; round += 1) {
    const { key, channelId } = await seedChannel(databaseUrl, organizationId);
    await withSql(
      databaseUrl,
      (sql) => sql`
        UPDATE channels SET rate_limit = 10 WHERE organization_id = ${organizationId} AND id = ${channelId}`,
    );
    const { response } = await open(key);
    response.pause();
    await hearChanges(fixture);
    assert.equal(await countLines(response), BIG_TASKS);
  }
});

test('an export that its client leaves gives its connection back; more than an organization may have are refused', async () => {
  const { key, api } = await bigOrganization();
  const opened = await Promise.all([open(key), open(key)]);
  for (const { response } of opened) response.pause();
  const { status, headers, body } = await api.get('/tasks/export');
  assert.equal(status, 503);
  assert.equal(body.code, 'OVERLOADED');
  assert.equal(headers['retry-after'], '1');
  const neighbour = (await fixture.organization()).api;
  const { id } = await neighbour.createTask();
  assert.deepEqual(
    linesOf((await neighbour.get('/tasks/export')).text).map((line) => line.id),
    [id],
  );
  for (const { request } of opened) request.destroy();
  await until('their connections are back', async () => (await exportingBackends()).length === 0);
  assert.equal(linesOf((await api.get('/tasks/export?status=new&customerId=1')).text).length, 0);
});

let big: { readonly key: string; readonly api: ApiClient; readonly organizationId: number } | undefined;

async function bigOrganization(): Promise<NonNullable<typeof big>> {
  if (big) return big;
  const made = await fixture.organization();
  const { id } = await made.api.createTask({ notes: BIG_NOTES });
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
      INSERT INTO tasks (organization_id, id, version, name, code, task_type, status, status_rank, time_to_serve, notes,
        customer_id, courier_type, channel_id, auto_assignment_status, tracking_token, created_at, updated_at)
      SELECT organization_id, id + n, 1, name, code || n, task_type, status, status_rank, time_to_serve, notes,
        customer_id, courier_type, channel_id, auto_assignment_status, tracking_token || n, created_at, updated_at
      FROM tasks, generate_series(1, ${BIG_TASKS - 1}::int) n
      WHERE organization_id = ${made.organizationId} AND id = ${id}`,
  );
  big = made;
  return made;
}

function open(key: string): Promise<{ readonly request: ClientRequest; readonly response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const url = `${fixture.gateway.baseUrl}/api/v1/tasks/export`;
    const request = get(url, { headers: { 'x-api-key': key }, agent: false }, (response) => {
      request.off('error', reject).on('error', () => {});
      resolve({ request, response });
    });
    request.on('error', reject);
  });
}

async function countLines(response: IncomingMessage): Promise<number> {
  let lines = 0;
  for await (const chunk of response) {
    for (let at = (chunk as Buffer).indexOf(0x0a); at !== -1; at = (chunk as Buffer).indexOf(0x0a, at + 1)) lines += 1;
  }
  return lines;
}

/** Backends in the middle of an export: of all lists, only exports keep a query open. */
function exportingBackends(): Promise<number[]> {
  return withSql(fixture.gateway.databaseUrl, async (sql) => {
    const rows = await sql<{ pid: number }[]>`
      SELECT pid FROM pg_stat_activity WHERE application_name = 'dispatch exports' AND state <> 'idle'
        AND datname = current_database()`;
    return rows.map(({ pid }) => pid);
  });
}

function untilExporting(): Promise<void> {
  return until('the export is under way', async () => (await exportingBackends()).length === 1);
}

function terminate(pid: number): Promise<unknown> {
  return withSql(fixture.gateway.databaseUrl, (sql) => sql`SELECT pg_terminate_backend(${pid})`);
}

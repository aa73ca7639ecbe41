import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeStoreFacts } from '../../../engine/launcher/store-facts.ts';
import { readConfig } from '../../../engine/runtime/config.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { VERBS } from '../../../gateway/admin-cli/parse-verb.ts';
import { type AdminRun, runAdmin } from '../../../gateway/admin-cli/run-admin.ts';
import { JOBS } from '../../../schema/jobs.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { seedDelivery } from '../../api/webhooks/seed-delivery.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { compiledProgram } from '../../support/runner/run-environment.ts';
import { SECRETS } from '../../support/secrets.ts';
import { seedAgent, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { reservePort } from '../../support/system/reserve-port.ts';
import { until } from '../../support/until.ts';

/** `npm run admin` against a gateway and its stores: every verb once, and the report of every kind of end. */
let gateway: TestGateway;
let api: ApiClient;
let environment: Record<string, string>;
let root: { readonly userId: number; readonly email: string };

before(async () => {
  gateway = await startTestGateway();
  api = createApiClient(gateway);
  const { databaseUrl, redisUrl, redisPrefix } = gateway.place;
  const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_PREFIX: redisPrefix };
  environment = { ...stores, ...SECRETS, ADMIN_URL: gateway.baseUrl };
  root = await seedUser(databaseUrl, 0, 'super_admin');
});
after(async () => {
  api?.close();
  await gateway?.stop();
});

const carriedOut = new Set<string>();

/** The typed password. */
let typed: string | undefined;
const readSecret = async () => typed ?? assert.fail('nothing was to be read from standard input');

async function run(...args: string[]): Promise<AdminRun> {
  const ended = await runAdmin(args, environment, readSecret);
  if (ended.exitCode === 0) carriedOut.add(args.slice(0, 2).join(' '));
  return ended;
}

/** Runs a command that has to succeed; its answer. */
async function done<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await run(...args, '--json');
  assert.deepEqual([exitCode, stderr], [0, ''], args.join(' '));
  return JSON.parse(stdout) as T;
}

interface Page {
  readonly items: readonly Record<string, unknown>[];
  readonly count: number;
}

const statusOf = async (token: string) =>
  (await api.get('/tasks?limit=1', { 'x-api-key': undefined, authorization: `Bearer ${token}` })).status;

test('an organization is made, shown, listed and changed', async () => {
  const made = await done('organizations', 'create', '--name', 'Acme', '--currency', 'USD', '--limits', '{"tasks":5}');
  const id = String(made['id']);
  assert.equal((await done('organizations', 'show', id))['currency'], 'USD');
  const { items } = await done<Page>('organizations', 'list', '--search', 'Acm');
  assert.deepEqual(
    items.map((item) => item['name']),
    ['Acme'],
  );
  const changed = await done('organizations', 'update', id, '--status', 'inactive', '--limits', '{"tasks":null}');
  assert.deepEqual([changed['status'], (changed['limits'] as Record<string, unknown>)['tasks']], ['inactive', null]);
});

test('a channel is made with a key that works, is regenerated, changed, shown and listed', async () => {
  const place = ['--organization', String(gateway.organizationId)];
  const made = await done('channels', 'create', ...place, '--name', 'Shop', '--rate-limit', '50');
  const id = String(made['id']);
  const keyOf = (record: Record<string, unknown>) => String(record['apiKey']);
  assert.equal((await api.get('/tasks?limit=1', { 'x-api-key': keyOf(made) })).status, 200);
  const again = await done('channels', 'regenerate-key', id, ...place);
  assert.equal((await api.get('/tasks?limit=1', { 'x-api-key': keyOf(made) })).status, 401);
  assert.equal((await api.get('/tasks?limit=1', { 'x-api-key': keyOf(again) })).status, 200);
  assert.equal((await done('channels', 'update', id, ...place, '--status', 'SUSPENDED'))['status'], 'SUSPENDED');
  assert.equal((await api.get('/tasks?limit=1', { 'x-api-key': keyOf(again) })).status, 403);
  assert.equal((await done('channels', 'show', id, ...place))['rateLimit'], 50);
  const { items } = await done<Page>('channels', 'list', ...place);
  assert.deepEqual(items.map((item) => item['name']).sort(), ['Shop', 'console', 'test']);
});

test('a webhook is shown, listed, tried, switched off and on, and sent again what it was sent', async () => {
  const { databaseUrl, organizationId } = gateway;
  const place = ['--organization', String(organizationId)];
  const hook = { url: 'https://1.1.1.1/hook', events: ['*'] };
  const webhookId = (await api.post<{ id: number }>('/webhooks', hook)).body.data.id;
  const id = String(webhookId);
  const shown = await done('webhooks', 'show', id, ...place);
  assert.deepEqual([shown['url'], shown['status']], [hook.url, 'active']);
  assert.equal((await done('webhooks', 'update', id, ...place, '--active', 'false'))['status'], 'inactive');
  const { items } = await done<Page>('webhooks', 'list', ...place, '--status', 'inactive');
  assert.deepEqual(
    items.map((item) => item['id']),
    [webhookId],
  );
  assert.equal((await done('webhooks', 'update', id, ...place, '--active', 'true'))['status'], 'active');
  assert.equal((await done('webhooks', 'test', id, ...place))['state'], 'pending');
  const deliveryId = await seedDelivery(databaseUrl, { organizationId, webhookId, sequence: null, body: '{}' });
  const deliveries = await done<Page>('webhooks', 'deliveries', id, ...place, '--state', 'succeeded', '--limit', '1');
  assert.deepEqual(
    deliveries.items.map((item) => item['id']),
    [deliveryId],
  );
  assert.equal((await done('webhooks', 'redeliver', `${deliveryId}`, ...place))['id'], deliveryId);
  const replayed = await done('webhooks', 'replay', id, ...place, '--from', '2026-01-01T00:00:00Z');
  assert.equal(typeof replayed['count'], 'number');
});

test('a user is made, verified, signed out, changed, shown and listed', async () => {
  const place = ['--organization', String(gateway.organizationId)];
  const email = 'grace@test.example';
  const fields = ['--email', email, '--name', 'Grace Hopper', '--role', 'dispatcher', '--password', 'correct horse'];
  const { id } = await done<{ id: number }>('users', 'create', ...place, ...fields);
  const login = () =>
    api.post<{ accessToken: string }>('/auth/login', { email, password: 'correct horse' }, { 'x-api-key': undefined });
  assert.equal((await login()).body.code, 'EMAIL_NOT_VERIFIED');
  assert.equal((await done('users', 'verify', '--email', email))['verified'], 'now');
  assert.equal((await done('users', 'verify', '--email', email.toUpperCase()))['verified'], 'before');
  const token = (await login()).body.data.accessToken;
  assert.equal(await statusOf(token), 200);
  assert.equal((await done('users', 'end-sessions', '--email', email))['sessionsEnded'], 1);
  assert.equal(await statusOf(token), 401);
  assert.equal((await done('users', 'update', `${id}`, ...place, '--active', 'false'))['isActive'], false);
  assert.equal((await done('users', 'show', `${id}`, ...place))['lastName'], 'Hopper');
  const { items } = await done<Page>('users', 'list', ...place);
  assert.ok(items.some((item) => item['email'] === email));
});

test('the audit log has each operation, under the super admin who did it', async () => {
  const place = ['--organization', String(gateway.organizationId)];
  const made = await done('channels', 'create', ...place, '--name', 'Audited');
  const filter = ['--record-type', 'channel', '--record-id', String(made['id'])];
  const { items } = await done<Page>('audit', 'list', ...place, ...filter);
  assert.deepEqual(
    items.map((item) => (item['actor'] as Record<string, unknown>)['userId']),
    [root.userId],
  );
});

test('an agent is made, put on duty, changed, shown and listed', async () => {
  const place = ['--organization', String(gateway.organizationId)];
  const email = 'amina@test.example';
  const fields = ['--email', email, '--name', 'Amina Diallo', '--phone', '+493012345678', '--type', 'employee'];
  const vehicle = ['--vehicle', '{"type":"van","maxPackages":9}'];
  const made = await done('agents', 'create', ...place, ...fields, ...vehicle, '--password', 'correct horse');
  const id = String(made['id']);
  const login = { email, password: 'correct horse' };
  assert.equal((await api.post('/auth/login', login, { 'x-api-key': undefined })).status, 200);
  assert.equal((await done('agents', 'duty', id, ...place, '--on-duty', 'true'))['onDuty'], true);
  const changed = await done('agents', 'update', id, ...place, '--name', 'Amina Ba', '--active', 'false');
  assert.deepEqual([changed['isActive'], changed['onDuty']], [false, false]);
  assert.deepEqual(await done('agents', 'show', id, ...place), changed);
  const { items } = await done<Page>('agents', 'list', ...place, '--search', 'amina ba', '--active', 'false');
  assert.deepEqual(items, [changed]);
  // The refusal names the command that does it.
  const refused = (await run('users', 'unlock', '--email', email)).stderr;
  assert.equal((await done(...refused.trim().split('use: ')[1]!.split(' ')))['isActive'], true);
});

test('agents are signed in for as long as was asked for', async () => {
  const { databaseUrl, organizationId } = gateway;
  const agents = [await seedAgent(databaseUrl, organizationId), await seedAgent(databaseUrl, organizationId)];
  const ids = agents.map(({ agentId }) => agentId);
  interface Issued {
    readonly agentId: number;
    readonly accessToken: string;
    readonly refreshToken: string;
    readonly expiresIn: number;
  }
  const place = ['agents', 'issue-tokens', '--organization', `${organizationId}`];
  const issued = await done<Issued[]>(...place, '--ids', ids.join(','), '--minutes', '43200');
  assert.deepEqual(
    issued.map(({ agentId, expiresIn }) => [agentId, expiresIn]),
    ids.map((id) => [id, 43_200 * 60]),
  );
  for (const { accessToken } of issued) assert.equal(await statusOf(accessToken), 200);
  const { refreshToken } = issued[0]!;
  const refreshed = await api.post('/auth/refresh', { refreshToken }, { 'x-api-key': undefined });
  assert.equal(refreshed.status, 200, refreshed.text);
  assert.equal((await done<Issued[]>(...place, '--count', '1')).length, 1);
  assert.equal((await run(...place, '--ids', '999000111')).exitCode, 1);
  for (const wrong of [
    ['--minutes', '14', '--count', '1'],
    ['--minutes', '43201', '--count', '1'],
    [],
    ['--count', '0'],
  ])
    assert.equal((await run(...place, ...wrong)).exitCode, 2, wrong.join(' '));
});

test('a super admin is made with a password that signs in, and once', async () => {
  const email = 'second.root@test.example';
  const { password } = await done<{ password: string }>('users', 'create-super-admin', '--email', email);
  const login = await api.post('/auth/login', { email, password }, { 'x-api-key': undefined });
  assert.equal(login.status, 200, login.text);
  for (const wrong of [['nobody'], ['x@test.example', '--password', 'short']])
    assert.equal((await run('users', 'create-super-admin', '--email', ...wrong)).exitCode, 2);
  const again = await run('users', 'create-super-admin', '--email', email.toUpperCase());
  assert.deepEqual([again.exitCode, again.stdout], [1, '']);
  assert.match(again.stderr, /USER_EMAIL_TAKEN/);
  const unclear = await run('organizations', 'list');
  assert.match(unclear.stderr, /say --as whom: .*second\.root@test\.example/);
  assert.equal((await run('organizations', 'list', '--as', root.email)).exitCode, 0);
  await withSql(gateway.databaseUrl, (sql) => sql`UPDATE users SET is_active = false WHERE email = ${email}`);
});

const login = (email: string, password: string) =>
  api.post<{ accessToken: string }>('/auth/login', { email, password }, { 'x-api-key': undefined });

test('a locked user is signed out everywhere and kept out until unlocked, and both are audited', async () => {
  const { databaseUrl, organizationId } = gateway;
  const { userId, email } = await seedUser(databaseUrl, organizationId, 'dispatcher', 'correct horse');
  const { accessToken } = (await login(email, 'correct horse')).body.data;
  assert.equal(await statusOf(accessToken), 200);
  const locked = await done('users', 'lock', '--email', email.toUpperCase());
  assert.deepEqual([locked['locked'], locked['sessionsEnded']], ['now', 1]);
  assert.equal(await statusOf(accessToken), 401);
  assert.equal((await login(email, 'correct horse')).status, 401);
  assert.equal((await done('users', 'lock', '--email', email))['locked'], 'before');
  // A login that ran beside the lock left this session.
  const late = await seedSession(databaseUrl, organizationId, userId);
  assert.equal(await statusOf(late), 403);
  assert.equal((await done('users', 'unlock', '--email', email))['unlocked'], 'now');
  assert.deepEqual([await statusOf(accessToken), await statusOf(late)], [401, 401], 'what has ended stays so');
  assert.equal((await login(email, 'correct horse')).status, 200);
  const place = ['--organization', String(organizationId), '--record-type', 'user', '--record-id', String(userId)];
  const { items } = await done<Page>('audit', 'list', ...place);
  assert.deepEqual(
    items.map(({ action, before, after }) => [action, before, after]),
    [
      ['user.unlocked', { isActive: false }, { isActive: true }],
      ['user.locked', { isActive: true }, { isActive: false }],
    ],
  );
});

test('super admins are locked and unlocked, too, but not the last one, nor two at the same time', async () => {
  const twin = await seedUser(gateway.databaseUrl, 0, 'super_admin');
  const token = await seedSession(gateway.databaseUrl, 0, twin.userId);
  const administers = async () =>
    (await api.get('/organizations', { 'x-api-key': undefined, authorization: `Bearer ${token}` })).status;
  assert.equal(await administers(), 200);
  const both = await Promise.all([root, twin].map(({ email }) => run('users', 'lock', '--email', email)));
  assert.deepEqual(both.map(({ exitCode }) => exitCode).sort(), [0, 1]);
  await done('users', 'unlock', '--email', both[0]!.exitCode === 0 ? root.email : twin.email);
  await done('users', 'lock', '--email', twin.email);
  assert.equal(await administers(), 401);
  const refused = await run('users', 'lock', '--email', root.email);
  assert.deepEqual([refused.exitCode, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^LAST_SUPER_ADMIN: /);
  assert.equal((await run('organizations', 'list')).exitCode, 0);
});

test("the platform's changes are printed for people and as JSON", async () => {
  const email = 'third.root@test.example';
  const { id } = await done<{ id: number }>('users', 'create-super-admin', '--email', email);
  await done('users', 'lock', '--email', email);
  const filter = ['--record-type', 'user', '--record-id', String(id)];
  const { items, count } = await done<Page>('audit', 'platform', ...filter);
  assert.deepEqual([items.map(({ action }) => action), count], [['user.locked', 'user.created'], 2]);
  const { stdout } = await run('audit', 'platform', ...filter, '--limit', '1');
  assert.match(stdout, /^at +action +record\.type .*\n\S+Z +user\.locked +user +\d+ +system .*\n1 of 2\n$/);
  const { items: signedIn } = await done<Page>('audit', 'platform', '--record-type', 'session');
  assert.ok(signedIn.some(({ action }) => action === 'session.issued'));
  assert.equal((await run('audit', 'platform', '--record-type', 'nonsense')).exitCode, 2);
});

test('a password is read from standard input, so that it stands on no command line', async () => {
  const email = 'quiet.root@test.example';
  typed = 'not on the line';
  const made = await done('users', 'create-super-admin', '--email', email, '--password-stdin');
  assert.equal(made['password'], undefined);
  assert.equal((await login(email, typed)).status, 200);
  await done('users', 'lock', '--email', email);
  const fields = ['--email', 'quiet@test.example', '--name', 'Quiet', '--role', 'dispatcher', '--password-stdin'];
  await done('users', 'create', '--organization', String(gateway.organizationId), ...fields);
  await done('users', 'verify', '--email', 'quiet@test.example');
  assert.equal((await login('quiet@test.example', typed)).status, 200);
  typed = 'short';
  assert.equal((await run('users', 'create-super-admin', '--email', 'x@test.example', '--password-stdin')).exitCode, 2);
  typed = undefined;
});

test('an organization is deleted by its name, and the command reports the deletion', async () => {
  const made = await done('organizations', 'create', '--name', 'Gone soon');
  const id = String(made['id']);
  const refused = await run('organizations', 'delete', id, '--confirm', 'Going');
  assert.equal(refused.exitCode, 1, refused.stderr);
  assert.equal((await done('organizations', 'delete', id, '--confirm', 'Gone soon'))['status'], 'deleting');
  const deletions = await done<Record<string, unknown>[]>('organizations', 'deletions');
  assert.deepEqual(
    deletions.map((each) => [each['organizationId'], each['requestedBy']]),
    [[Number(id), root.userId]],
  );
});

test('shards and queues are printed as they are in the stores', async () => {
  const shards = await done<Record<string, unknown>[]>('shards', 'list');
  assert.equal(shards.length, LIMITS.shards);
  assert.ok(shards.every((shard) => shard['gateway'] === gateway.place.gatewayId));
  assert.deepEqual(await scheduledQueues(), []);
  const releaser = createReleaser(() => {});
  const log = createLog('workers', 'silent');
  await startWorkers({ config: readConfig(environment), log, releaser });
  await until('the schedule is back', async () => (await scheduledQueues()).includes('partitions'));
  assert.ok((await scheduledQueues()).includes('partitions'));
  await releaser.stop();
});

async function scheduledQueues(): Promise<unknown[]> {
  const queues = await done<Record<string, unknown>[]>('queues', 'list');
  assert.equal(queues.length, Object.keys(JOBS).length);
  return queues.filter((each) => each['nextRunAt'] !== null).map((each) => each['queue']);
}

test('no session of the operator outlives its command', async () => {
  await done('organizations', 'list');
  const open = await withSql(
    gateway.databaseUrl,
    (sql) => sql`
    SELECT id FROM sessions WHERE organization_id = 0 AND user_id = ${root.userId} AND revoked_at IS NULL`,
  );
  assert.equal(open.length, 0);
});

test('a refusal is printed with its code, an unknown place with the setting to set', async () => {
  const unknown = await run('organizations', 'show', '999000111');
  assert.deepEqual(unknown, { exitCode: 1, stdout: '', stderr: '404: Organization with ID 999000111 not found\n' });
  const nowhere = await runAdmin(['shards', 'list'], { DATA_DIR: '/nonexistent' }, readSecret);
  assert.match(nowhere.stderr, /^set DATABASE_URL/);
  const closed = `http://127.0.0.1:${await reservePort()}`;
  const noGateway = await runAdmin(['organizations', 'list'], { ...environment, ADMIN_URL: closed }, readSecret);
  assert.deepEqual([noGateway.exitCode, noGateway.stderr], [1, `${closed} does not answer: ECONNREFUSED\n`]);
  const elsewhere = { ...environment, ADMIN_URL: 'http://gateway.example' };
  const inTheClear = await runAdmin(['organizations', 'list'], elsewhere, readSecret);
  assert.match(inTheClear.stderr, /over https:\/\/ only/);
  const noDatabase = await runAdmin(['shards', 'list'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' }, readSecret);
  assert.match(noDatabase.stderr, /^a store cannot be reached: /);
});

test('as a program it finds the stores that `npm start` has noted, and its exit codes are 0, 1 and 2', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-admin-'));
  try {
    const { databaseUrl, redisUrl, redisPrefix } = gateway.place;
    writeStoreFacts(join(directory, 'stores.json'), { databaseUrl, redisUrl, redisPrefix });
    const program = (...args: string[]) => runProgram(args, { DATA_DIR: directory, ADMIN_URL: gateway.baseUrl });
    const [listed, refused, unclear] = await Promise.all([
      program('organizations', 'list'),
      program('organizations', 'show', '999000111'),
      program('organizations', 'sell'),
    ]);
    const create = ['users', 'create-super-admin', '--password-stdin', '--email'];
    const settings = { DATA_DIR: directory };
    const read = await runProgram([...create, 'piped.root@test.example'], settings, 'from a pipe\nand no more\n');
    assert.equal(read.code, 0, read.stderr);
    assert.equal((await login('piped.root@test.example', 'from a pipe')).status, 200);
    assert.equal((await runProgram([...create, 'nobody@test.example'], settings)).code, 2, 'nothing to read');
    assert.deepEqual([listed.code, refused.code, unclear.code], [0, 1, 2], listed.stderr);
    assert.match(listed.stdout, /^id +name +status /);
    assert.match(unclear.stderr, /--help/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

function runProgram(args: readonly string[], settings: Record<string, string>, input = '') {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const program = compiledProgram('admin');
    const env = { ...program.env, ...settings };
    const child = execFile(process.execPath, [...program.args, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin!.end(input);
  });
}

test('every command has been carried out here, or in the file of its noun', () => {
  const others = VERBS.filter(({ noun }) => !['payments', 'secrets', 'history'].includes(noun));
  assert.deepEqual([...carriedOut].sort(), others.map(({ noun, verb }) => `${noun} ${verb}`).sort());
});

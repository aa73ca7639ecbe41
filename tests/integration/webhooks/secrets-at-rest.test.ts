import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConfigError, readConfig } from '../../../engine/runtime/config.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { runAdmin } from '../../../gateway/admin-cli/run-admin.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { SECRETS, secretBox } from '../../support/secrets.ts';
import { seedChannel, seedUser, withSql } from '../../support/seeds/seed.ts';
import { type SinkEndpoint, startWebhookSink, type WebhookSink } from '../../support/services/webhook-sink.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { startWorkersProcess, type WorkersProcess } from '../workers/workers-place.ts';

/** The life of webhook secrets in a running system whose processes log as much as they can. */
const settings = { WEBHOOK_ALLOW_PRIVATE: '1', LOG_LEVEL: 'trace' };
let gateway: TestGateway;
let workers: WorkersProcess;
let sink: WebhookSink;
let api: ApiClient;

before(async () => {
  sink = await startWebhookSink();
  gateway = await startTestGateway({ process: true, environment: settings });
  const { key } = await seedChannel(gateway.databaseUrl, gateway.organizationId, { role: 'org_admin' });
  api = createApiClient({ baseUrl: gateway.baseUrl, key });
  workers = await startWorkersProcess({ ...environment(), ...settings });
  await seedUser(gateway.databaseUrl, 0, 'super_admin');
});
after(async () => {
  api?.close();
  await workers?.stop();
  await gateway?.stop();
  await sink?.stop();
});

function environment() {
  const { databaseUrl, redisUrl, redisPrefix } = gateway.place;
  return { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_PREFIX: redisPrefix, ...SECRETS };
}

interface Secretive {
  readonly id: number;
  readonly secret: string;
}

async function register(endpoint: SinkEndpoint): Promise<Secretive> {
  const headers = { 'idempotency-key': endpoint.url };
  const made = await api.post<Secretive>('/webhooks', { url: endpoint.url, events: ['task.created'] }, headers);
  assert.equal(made.status, 201, made.text);
  endpoint.trust(made.body.data.secret);
  return made.body.data;
}

async function deliverOne(endpoint: SinkEndpoint): Promise<string | undefined> {
  const before = endpoint.arrivals.length;
  await api.createTask();
  await until('it has arrived', () => endpoint.arrivals.length > before);
  return endpoint.arrivals.at(-1)!.forgery;
}

async function admin(...args: string[]): Promise<string> {
  const ended = await runAdmin(args, { ...environment(), ADMIN_URL: gateway.baseUrl }, () => assert.fail());
  assert.equal(ended.exitCode, 0, ended.stderr);
  return ended.stdout;
}

/** Every row of every table as text, as a dump has it. */
function dump(): Promise<string> {
  return withSql(gateway.databaseUrl, async (sql) => {
    const tables = await sql<{ name: string }[]>`
      SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;
    assert.ok(tables.length > 40, 'every table is there');
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await sql.unsafe<{ text: string }[]>(`SELECT t::text AS text FROM ${name} t`);
      texts.push(...rows.map(({ text }) => `${name} ${text}`));
    }
    return texts.join('\n');
  });
}

/** A secret in the forms in which it could lie somewhere. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const asText = Buffer.from(secret).toString('hex');
  return [secret.slice('whsec_'.length), bytes.toString('base64url'), bytes.toString('hex'), asText];
}

test('no copy of the tables, no log and no output holds a secret, and deliveries are signed with both', async () => {
  const endpoint = sink.endpoint('orders');
  const { id, secret } = await register(endpoint);
  assert.equal(await deliverOne(endpoint), undefined);
  const rotated = await api.post<Secretive>(`/webhooks/${id}/rotate-secret`, {}, { 'idempotency-key': 'rotate' });
  assert.equal(rotated.status, 200, rotated.text);
  await api.patch(`/webhooks/${id}`, { description: 'changed' });
  // The worker knows the webhook as it was for some seconds: both secrets sign in the end.
  assert.equal(await deliverOne(endpoint), undefined, 'the old secret signs along');
  endpoint.trust(rotated.body.data.secret);
  await until('the new secret signs', async () => (await deliverOne(endpoint)) === undefined);
  assert.ok((await api.post(`/webhooks/${id}/test`, {})).status < 300);

  const paths = [
    '/webhooks',
    `/webhooks/${id}`,
    `/webhooks/${id}/deliveries`,
    '/audit-logs',
    '/events',
    '/tasks/export',
  ];
  const shown = await Promise.all(paths.map(async (path) => (await api.get(path)).text));
  assert.ok(shown[0]!.includes(endpoint.url) && shown[3]!.includes('webhook.secret_rotated'));
  const organization = ['--organization', `${gateway.organizationId}`];
  const printed = [
    await admin('webhooks', 'list', ...organization, '--json'),
    await admin('webhooks', 'deliveries', `${id}`, ...organization, '--json'),
    await admin('audit', 'list', ...organization, '--json'),
    await admin('secrets', 'list'),
    await admin('secrets', 'rotate'),
  ];
  const [{ vapid, internal }] = (await withSql(
    gateway.databaseUrl,
    (sql) => sql`
      SELECT (SELECT sealed_private_key FROM vapid_keys) AS vapid, sealed_secret AS internal FROM internal_secret`,
  )) as unknown as [{ vapid: string; internal: string }];
  const needles = [
    ...formsOf(secret),
    ...formsOf(rotated.body.data.secret),
    secretBox.open(vapid, 'web pushes'),
    secretBox.open(internal, 'internal commands'),
    SECRETS.SECRETS_KEY,
  ];
  const places = {
    'the tables': await dump(),
    'the log of the gateway': gateway.logLines.join('\n'),
    'the log of the workers': workers.logLines.join('\n'),
    'answers of the API': shown.join('\n'),
    'the output of npm run admin': printed.join('\n'),
  };
  for (const [place, text] of Object.entries(places)) {
    assert.ok(text.length > 200, place);
    for (const needle of needles) assert.ok(!text.includes(needle), `${place} must not hold ${needle}`);
  }

  // The same search finds a secret in clear.
  await withSql(
    gateway.databaseUrl,
    (sql) => sql`
    UPDATE webhooks SET secret = ${secret}, sealed_secret = NULL WHERE id = ${id}`,
  );
  assert.ok((await dump()).includes(needles[0]!));
  assert.match(await admin('secrets', 'rotate'), /^webhooks +1$/m);
  assert.ok(!(await dump()).includes(needles[0]!));
});

test('a webhook whose secret cannot be read gets nothing that is signed wrongly, and the log says why', async () => {
  const endpoint = sink.endpoint('unreadable');
  const { id } = await register(endpoint);
  assert.equal(await deliverOne(endpoint), undefined);
  const arrived = endpoint.arrivals.length;
  const of = `webhook ${id} of organization ${gateway.organizationId}`;
  const elsewhere = secretBox.seal('whsec_AAAA', 'webhook 1 of organization 1');
  await withSql(gateway.databaseUrl, (sql) => sql`UPDATE webhooks SET sealed_secret = ${elsewhere} WHERE id = ${id}`);
  await until('the log says it', async () => {
    await api.createTask();
    return workers.logLines.some((line) => line.includes(`the stored secret of ${of} was changed`));
  });
  const late = endpoint.arrivals.slice(arrived).filter(({ forgery }) => forgery !== undefined);
  assert.deepEqual(late, []);
  const mended = await api.post<Secretive>(`/webhooks/${id}/rotate-secret`, {});
  assert.equal(mended.status, 200, mended.text);
});

test('gateways and workers without the key, or with another one, refuse to start and say what to do', async () => {
  const { place } = gateway;
  const other = Buffer.alloc(32, 'other').toString('base64');
  const cases = [
    ['', /SECRETS_KEY is not set.*randomBytes\(32\)/],
    [other, new RegExp(`SECRETS_KEY is not the key of this database: it lacks ${secretBox.keyId}`)],
  ] as const;
  for (const [SECRETS_KEY, message] of cases) {
    const isClear = (error: unknown) => error instanceof ConfigError && message.test(error.message);
    const changed = { SECRETS_KEY, GATEWAY_ID: 'second' };
    await assert.rejects(startTestGateway({ place, environment: changed }), isClear);
    const releaser = createReleaser(() => {});
    const config = readConfig({ ...environment(), SECRETS_KEY });
    await assert.rejects(startWorkers({ config, log: createLog('workers', 'silent'), releaser }), isClear);
    await releaser.stop();
  }
});

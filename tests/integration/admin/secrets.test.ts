import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { requireSecretBox } from '../../../engine/runtime/config.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { createShardStore } from '../../../engine/store/cluster/shard-store.ts';
import { connectPostgres } from '../../../engine/store/postgres.ts';
import { openSecretBox } from '../../../engine/store/secrets/secret-key-store.ts';
import { VERBS } from '../../../gateway/admin-cli/parse-verb.ts';
import { runAdmin } from '../../../gateway/admin-cli/run-admin.ts';
import { seedOrganization, withSql } from '../../support/seeds/seed.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/stores.ts';

/** `npm run admin -- secrets`, each verb once, without any other process. */
const [OLD, NEW] = ['old', 'new'].map((text) => Buffer.alloc(32, text).toString('base64'));
let database: TestDatabase;
let directory: string;

before(async () => {
  database = await createMigratedDatabase();
  directory = mkdtempSync(join(tmpdir(), 'dispatch-secrets-'));
  const { organizationId } = await seedOrganization(database.url);
  await withSql(
    database.url,
    (sql) => sql`
    INSERT INTO webhooks (organization_id, id, version, url, events, concurrency, secret, is_active, active_since,
      start_sequence, created_at, updated_at)
    SELECT ${organizationId}, id, 1, 'https://example.com/' || id, '{*}', 1, 'whsec_' || id, true, now(), 0, now(), now()
    FROM generate_series(1, 3) AS id`,
  );
});
after(async () => {
  rmSync(directory, { recursive: true });
  await database?.drop();
});

const carriedOut = new Set<string>();

async function run(verb: string, keys: string, ...args: string[]) {
  const settings = { DATABASE_URL: database.url, DATA_DIR: directory, SECRETS_KEY: keys };
  const ended = await runAdmin(['secrets', verb, ...args], settings, () => assert.fail('nothing was to be typed'));
  if (ended.exitCode === 0) carriedOut.add(verb);
  return ended;
}

async function done<T>(verb: string, keys: string): Promise<T> {
  const { exitCode, stdout, stderr } = await run(verb, keys, '--json');
  assert.deepEqual([exitCode, stderr], [0, ''], verb);
  return JSON.parse(stdout) as T;
}

test('an installation in clear is encrypted, gets another key, and then needs the new one alone', async () => {
  const first = await done<{ key: string }>('rotate', OLD!);
  assert.deepEqual(first, { key: first.key, webhooks: 3, webPushKeys: 0, internalSecrets: 1, forgottenKeys: [] });
  assert.deepEqual(await done('rotate', OLD!), { ...first, webhooks: 0, internalSecrets: 0 });

  const refused = await run('rotate', NEW!);
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, new RegExp(`^SECRETS_KEY is not the key of this database: it lacks ${first.key}`));

  const second = await done<{ key: string }>('rotate', `${NEW},${OLD}`);
  const counts = { webhooks: 3, webPushKeys: 0, internalSecrets: 1 };
  assert.deepEqual(second, { key: second.key, ...counts, forgottenKeys: [first.key] });
  const listed = await run('list', NEW!);
  const lines = listed.stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    lines.map(([key, isGiven, , ...numbers]) => [key, isGiven, ...numbers]),
    [
      ['key', 'isGiven', 'webhooks', 'previousSecrets', 'webPushKeys', 'internalSecrets'],
      [second.key, 'true', '3', '0', '0', '1'],
      ['in clear', '–', '0', '0', '0', '0'],
    ],
  );
});

test('a key that no program has started with is refused while programs run, and nothing is encrypted under it', async () => {
  const third = Buffer.alloc(32, 'third').toString('base64');
  const keys = `${third},${NEW}`;
  const program = connectPostgres(database.url, { name: 'dispatch test', connections: 1, statementTimeoutMs: 5_000 });
  try {
    await program`SELECT 1`;
    const { keyId } = requireSecretBox({ secretsKeys: [Buffer.from(third, 'base64')] });
    const refused = await run('rotate', keys);
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, new RegExp(`started with ${keyId} as the first key .*\\(dispatch test\\)`));
    assert.match(refused.stderr, /Start every gateway and worker again with this key first/);
    const listed = await done<{ key: string }[]>('list', NEW!);
    assert.ok(!listed.some(({ key }) => key === keyId), 'nothing is noted');
    await done('rotate', NEW!);
    await openSecretBox(program, { secretsKeys: keys.split(',').map((key) => Buffer.from(key, 'base64')) });
    assert.equal((await done<{ webhooks: number }>('rotate', keys)).webhooks, 3);
  } finally {
    await program.end();
  }
  assert.equal((await done<{ webhooks: number }>('rotate', `${NEW},${third}`)).webhooks, 3, 'nothing runs');
});

test('a secret that running programs can read is not given up as lost', async () => {
  const keptState = () =>
    withSql(database.url, async (sql) => [
      ...(await sql`SELECT id, sealed_secret, is_active, version FROM webhooks ORDER BY id`),
      ...(await sql`SELECT id FROM secret_keys ORDER BY id`),
      ...(await sql`SELECT sealed_secret FROM internal_secret`),
    ]);
  const before = await keptState();
  // Workers have no lease; a gateway that Postgres cannot see for a moment has no connection.
  const program = connectPostgres(database.url, { name: 'dispatch test', connections: 1, statementTimeoutMs: 5_000 });
  try {
    await program`SELECT 1`;
    const refused = await run('replace-lost', OLD!);
    assert.equal(refused.exitCode, 1);
    assert.match(
      refused.stderr,
      /^Programs run on this database \(dispatch test\), and none starts without \w+: .*stop/,
    );
  } finally {
    await program.end();
  }
  assert.deepEqual(await keptState(), before);
  await withSql(database.url, async (sql) => {
    await createShardStore(sql).register('away', createRandomSource().uuid(), '127.0.0.1:1', 60_000);
    assert.match((await run('replace-lost', OLD!)).stderr, /\(gateway away\)/);
    assert.deepEqual(await keptState(), before);
    await sql`UPDATE gateways SET lease_expires_at = now()`;
  });
});

test('a key that is lost is given up, once', async () => {
  assert.deepEqual(
    (await done<{ webhookId: number }[]>('replace-lost', OLD!)).map(({ webhookId }) => webhookId),
    [1, 2, 3],
  );
  const again = await run('replace-lost', OLD!);
  assert.deepEqual([again.exitCode, again.stderr], [1, 'SECRETS_KEY lacks no key of this database\n']);
  await withSql(database.url, (sql) => openSecretBox(sql, { secretsKeys: [Buffer.from(OLD!, 'base64')] }));
});

test('the key that `npm start` keeps is found, and without any the message says what to do', async () => {
  const nowhere = await run('list', '');
  assert.equal(nowhere.exitCode, 1);
  assert.match(nowhere.stderr, /^SECRETS_KEY is not set\./);
  writeFileSync(join(directory, 'secrets.key'), `${OLD}\n`);
  assert.match((await run('list', '')).stdout, / true /);
});

test('every command on secrets has been carried out', () => {
  const verbs = VERBS.filter(({ noun }) => noun === 'secrets').map(({ verb }) => verb);
  assert.deepEqual([...carriedOut].sort(), verbs.sort());
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { ensureDemoOrganization } from '../../../engine/launcher/demo-organization.ts';
import { hashSecret } from '../../../engine/runtime/secrets.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { compiledProgram } from '../../support/runner/run-environment.ts';
import { SECRETS } from '../../support/secrets.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createMigratedDatabase, testRedis } from '../../support/stores.ts';
import { startLauncher, temporaryDirectory } from './launcher-run.ts';

/** The programs on databases of a newer release, and on copies of before. */

const PROGRAMS = ['migrate', 'gateway', 'workers', 'launcher', 'admin'] as const;
const TEXT =
  'A newer release has taken the database over: this one does not know its migrations (9998-a.sql, 9999-b.sql).';

function run(name: (typeof PROGRAMS)[number], settings: Record<string, string>) {
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    const { args, env } = compiledProgram(name);
    const verb = name === 'admin' ? ['history', 'renew'] : [];
    execFile(
      process.execPath,
      [...args, ...verb],
      { env: { ...env, ...settings }, timeout: 60_000 },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    );
  });
}

/** All that migrating changes. */
async function stateOf(sql: Sql) {
  return [
    [...(await sql`SELECT name, run_at FROM migrations ORDER BY name`)],
    [...(await sql`SELECT oid, xmin FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY oid`)],
    [...(await sql`SELECT history FROM log_history`)],
    [...(await sql`SELECT id FROM gateways`)],
  ];
}

test('no program starts on a database that a newer release has taken over, and nothing is changed', async (t) => {
  const database = await createMigratedDatabase();
  t.after(() => database.drop());
  const { url, prefix } = testRedis();
  const settings = { DATABASE_URL: database.url, REDIS_URL: url, REDIS_PREFIX: prefix, ...SECRETS, PORT: '0' };
  const dataDir = temporaryDirectory(t);
  await withSql(database.url, async (sql) => {
    await sql`INSERT INTO migrations (name) VALUES ('9999-b.sql'), ('9998-a.sql')`;
    // Functions of the newer release, too, and one that this release has never heard of.
    await sql`UPDATE migrations SET name = split_part(name, '@', 1) || '@newer' WHERE name LIKE 'ledger.sql@%'`;
    await sql`INSERT INTO migrations (name) VALUES ('later.sql@0123456789ab')`;
    const before = await stateOf(sql);
    for (const name of PROGRAMS) {
      const { code, output } = await run(name, { ...settings, ALLOW_INSECURE_HTTP: '1', DATA_DIR: dataDir });
      assert.equal(code, 1, `${name}: ${output}`);
      assert.equal(output.split(TEXT).length, 2, `${name}: ${output}`);
      assert.doesNotMatch(output, /\n +at /, `${name} shows no stack`);
      assert.deepEqual(await stateOf(sql), before, name);
    }
  });
});

test('the demo is found again under another name, and beside another channel of its name', async (t) => {
  const database = await createMigratedDatabase();
  t.after(() => database.drop());
  const place = { baseUrl: 'http://127.0.0.1:1' };
  const { organizationId, channelId } = await ensureDemoOrganization(database.url, place);
  await withSql(database.url, async (sql) => {
    await sql`UPDATE organizations SET name = 'Ours' WHERE organization_id = ${organizationId}`;
    await sql`UPDATE channels SET name = 'shop' WHERE id = ${channelId}`;
    await sql`
      INSERT INTO channels (organization_id, id, name, user_id, key_hash)
      SELECT organization_id, nextval('channel_ids'), 'demo', user_id, 'another' FROM channels WHERE id = ${channelId}`;
    const again = await ensureDemoOrganization(database.url, place);
    assert.deepEqual([again.organizationId, again.channelId], [organizationId, channelId]);
    await sql`UPDATE channels SET name = 'demo'`;
    const { apiKey } = await ensureDemoOrganization(database.url, place);
    const keyed = await sql`SELECT id FROM channels WHERE key_hash = decode(${hashSecret(apiKey)}, 'hex')`;
    assert.deepEqual([...keyed], [{ id: channelId }]);
  });
});

test('an option of `npm start` that there is not, or twice, is answered by those that there are', async (t) => {
  const { args, env } = compiledProgram('launcher');
  for (const options of [['--fresh'], ['--demo', '--demo']]) {
    const launcher = startLauncher(temporaryDirectory(t), {}, [], { args: [...args, ...options], env });
    assert.equal(await launcher.exit(), 1);
    assert.match(launcher.output(), /^Usage: npm start .*--demo.*--renew-history/);
  }
});

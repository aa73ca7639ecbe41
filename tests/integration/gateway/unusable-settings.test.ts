import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ProgramName } from '../../../engine/launcher/build/build-programs.mjs';
import { compiledProgram } from '../../support/runner/run-environment.ts';
import { SECRETS } from '../../support/secrets.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { withCertificateFiles } from '../../support/services/self-signed-certificate.ts';
import {
  createDatabase,
  createMigratedDatabase,
  createTestDatabase,
  randomName,
  type TestDatabase,
  testRedis,
} from '../../support/stores.ts';
import { until } from '../../support/until.ts';

/** The real programs, each with one setting that cannot be used: they end, and one line says which it is. */

let database: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), 'unusable-'));
before(async () => {
  database = await createMigratedDatabase();
});
after(async () => {
  rmSync(folder, { recursive: true });
  await database?.drop();
});

const PATIENCE_MS = 30_000;

type Settings = Readonly<Record<string, string>>;

interface End {
  readonly code: unknown;
  readonly output: string;
  /** The lines of the log, without those that only inform. */
  readonly complaints: readonly { readonly level: number; readonly msg: string; readonly err?: unknown }[];
}

/** Runs a program at working stores, with other settings beside; one that goes on is killed. */
function run(name: ProgramName, settings: Settings, args: readonly string[] = []): Promise<End> {
  const program = compiledProgram(name);
  const { url, prefix } = testRedis();
  const stores = { DATABASE_URL: database.url, REDIS_URL: url, REDIS_PREFIX: prefix };
  const env = { ...program.env, ...SECRETS, ...stores, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'info', ...settings };
  const command = [...program.args, ...args];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      command,
      { env, timeout: PATIENCE_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
        const complaints = lines.map((line) => JSON.parse(line)).filter(({ level }) => level > 30);
        resolve({ code: error ? error.code : 0, output: stdout + stderr, complaints });
      },
    );
  });
}

/** It ended with one fatal line that begins with the name, and tells neither a stack nor a password. */
function assertNamed({ code, complaints, output }: End, name: string): void {
  assert.equal(code, 1, output);
  assert.deepEqual([complaints.length, complaints[0]?.level, complaints[0]?.err], [1, 60, undefined], output);
  assert.match(complaints[0]!.msg, new RegExp(`^(The environment has settings.*\\n +)?${name}\\b`));
  assert.doesNotMatch(output, /hush|^ +at /m);
}

// unit/runtime/settings has the values; each program reads them in the same way.
for (const [program, name, value] of [
  ['gateway', 'DATABASE_URL', 'mysql://root:hush@127.0.0.1/dispatch'],
  ['gateway', 'TRUSTED_PROXIES', 'nonsense'],
  ['gateway', 'MAP_PMTILES', '/nowhere/none.pmtiles'],
  ['workers', 'REDIS_URL', 'http://:hush@127.0.0.1'],
  ['workers', 'FCM_SERVICE_ACCOUNT', '{"private_key": "hush"}'],
  ['migrate', 'DATABASE_URL', 'nonsense'],
] as const) {
  test(`${program} with ${name}=${value} ends and names it`, async () => {
    assertNamed(await run(program, { [name]: value }), name);
  });
}

test('the administrator program names an address that cannot be used', async () => {
  const { code, output } = await run('admin', { DATABASE_URL: 'mysql://root:hush@127.0.0.1/x' }, ['shards', 'list']);
  assert.equal(code, 1);
  assert.match(output, /^ {2}DATABASE_URL: must be a URL/m);
  assert.doesNotMatch(output, /hush|^ +at /m);
});

/** The address of the test's database with another part. */
function elsewhere(part: Partial<Pick<URL, 'pathname' | 'username' | 'password' | 'port' | 'search'>>): string {
  return Object.assign(new URL(database.url), part).href;
}

// Each program meets an address that is final; unusable-database.ts tells the reasons apart. Workers wait where no Postgres is.
for (const [place, part, programs] of [
  ['a database that is not there', { pathname: '/nothing' }, ['migrate', 'gateway', 'workers']],
  ['a role that is not there', { username: 'nobody', password: 'hush' }, ['workers']],
  ['another password', { password: 'hush' }, ['gateway']],
  ['a parameter that Postgres does not know', { search: '?sslrootcert=/ca.pem' }, ['migrate', 'gateway', 'workers']],
  ['a port where no Postgres is', { port: '1' }, ['migrate', 'gateway']],
] as const) {
  for (const program of programs)
    test(`${program} with DATABASE_URL of ${place} ends and names it`, async () => {
      assertNamed(await run(program, { DATABASE_URL: elsewhere(part) }), 'DATABASE_URL');
    });
}

test('the administrator program names the address of a database that is not there', async () => {
  const { code, output } = await run('admin', { DATABASE_URL: elsewhere({ pathname: '/nothing' }) }, [
    'shards',
    'list',
  ]);
  assert.equal(code, 1);
  assert.match(output, /^DATABASE_URL leads to no database that lets us in: database "nothing" does not exist\n$/);
});

const TURKISH = "ENCODING UTF8 LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C'";
for (const [options, said, programs] of [
  [
    "ENCODING LATIN1 LOCALE 'C'",
    "encoding LATIN1, .*ENCODING 'UTF8' TEMPLATE template0",
    ['migrate', 'gateway', 'workers'],
  ],
  ["ENCODING SQL_ASCII LOCALE 'C'", "encoding SQL_ASCII, .*ENCODING 'UTF8' TEMPLATE template0", ['migrate']],
  [TURKISH, "locale whose small letter of I is ı, .*ICU_LOCALE 'und' TEMPLATE template0", ['migrate']],
] as const) {
  test(`${programs.join(', ')} refuse a database with ${options} and say what to do, and migrating leaves it empty`, async () => {
    const refused = await createDatabase(database.url, randomName('test'), `template0 ${options}`);
    try {
      for (const program of programs) {
        const { code, complaints, output } = await run(program, { DATABASE_URL: refused.url });
        assert.equal(code, 1, output);
        assert.equal(complaints.length, 1, output);
        assert.match(complaints[0]!.msg, new RegExp(`^The database ${refused.name} has (the|a) ${said}`));
      }
      const tables = await withSql(
        refused.url,
        (sql) => sql`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
      );
      assert.equal(tables.length, 0);
    } finally {
      await refused.drop();
    }
  });
}

test('the administrator program says of each kind of command that the database lacks migrations', async () => {
  const empty = await createTestDatabase();
  try {
    for (const args of [
      ['organizations', 'list'],
      ['users', 'create-super-admin', '--email', 'a@test.example'],
    ]) {
      const settings = { DATABASE_URL: empty.url, ADMIN_URL: 'http://127.0.0.1:1' };
      const { code, output } = await run('admin', settings, args);
      assert.equal(code, 1, output);
      assert.match(output, /^The database lacks migrations \(.*\)\. Run `npm run migrate` first\.\n$/);
    }
  } finally {
    await empty.drop();
  }
});

const SECURE = { ALLOW_INSECURE_HTTP: '0' };

for (const adapter of ['uws', 'node']) {
  test(`a gateway (${adapter}) says why it cannot listen, and by which settings`, async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await until('the squatter', () => squatter.listening);
    const { port } = squatter.address() as { port: number };
    try {
      for (const [settings, name, reason] of [
        [{ HOST: '203.0.113.1' }, 'HOST, PORT', /this machine has no such address \(EADDRNOTAVAIL\)/],
        [{ PORT: `${port}` }, 'HOST, PORT', /the port is in use \(EADDRINUSE\)/],
      ] as const) {
        const end = await run('gateway', { HTTP_ADAPTER: adapter, ...SECURE, ...settings });
        assertNamed(end, name);
        assert.match(end.output, reason);
      }
    } finally {
      squatter.close();
    }
  });
}

test('a gateway names the INTERNAL_HOST that it cannot listen at', async () => {
  const end = await run('gateway', { ...SECURE, INTERNAL_HOST: 'nonsense.invalid' });
  assertNamed(end, 'INTERNAL_HOST');
  assert.match(end.output, /no such host|cannot be looked up/);
});

test('a gateway names the file that it cannot serve TLS with', async () => {
  await withCertificateFiles(async ({ certFile, keyFile }) => {
    const bad = join(folder, 'bad.pem');
    writeFileSync(bad, 'hush');
    for (const [cert, key, name] of [
      [bad, keyFile, 'TLS_CERT_FILE'],
      [join(folder, 'missing.pem'), keyFile, 'TLS_CERT_FILE'],
      [certFile, bad, 'TLS_KEY_FILE'],
    ] as const)
      assertNamed(await run('gateway', { ...SECURE, TLS_CERT_FILE: cert, TLS_KEY_FILE: key }), name);
  });
});

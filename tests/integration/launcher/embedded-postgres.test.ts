import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../engine/launcher/stores/embedded-postgres.ts';
import { findPostgresPrograms } from '../../../engine/launcher/stores/postgres-package.ts';
import { until } from '../../support/until.ts';
import { temporaryDirectory } from './launcher-run.ts';

/** Many of them run beside each other in tests. */
const settings = { shared_buffers: '16MB' };

/** One server for the tests that follow one another, in a folder closed to other users, after a start that was cut short. */
const directory = join(temporaryDirectory({ after }), 'postgres');
const unfinished = join(directory, 'data.unfinished');
mkdirSync(unfinished, { recursive: true });
writeFileSync(join(unfinished, 'PG_VERSION'), 'half of it');
let server: EmbeddedPostgres;
after(() => server?.stop());

test('a new server is durable, answers only its password and only on this machine, and takes settings', async () => {
  server = await start({ work_mem: '7MB' });
  for (const [name, value] of Object.entries({
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    server_encoding: 'UTF8',
    work_mem: '7MB',
  })) {
    assert.equal(await ask(server.url, (sql) => sql`SHOW ${sql.unsafe(name)}`), value, name);
  }
  const url = new URL(server.url);
  url.password = 'wrong';
  await assert.rejects(
    ask(url.href, (sql) => sql`SELECT 1`),
    { code: '28P01' },
  );
});

test('a first start that was cut short is made up for', () => {
  assert.equal(existsSync(unfinished), false);
});

// Only root may do this, and only root needs it: an ordinary user runs Postgres as itself.
if (process.getuid?.() === 0) {
  test('as root it runs as another user, in a folder closed to that user', () => {
    assert.equal(statSync(dirname(directory)).mode & 0o777, 0o700);
    const [, uid] = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
    assert.notEqual(uid, '0');
    assert.notEqual(uid, undefined);
  });
}

test('a backend keeps the memory that a large statement took, and does not ask for it again with each', async () => {
  const faults = await ask(server.url, async (sql) => {
    const [{ pid }] = await sql<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
    // Unprepared, so that it is worked out each time.
    const large = () => sql.unsafe("SELECT length(repeat('x', 4000000) || 'y')");
    await large();
    const before = pageFaultsOf(pid);
    for (let time = 0; time < 20; time++) await large();
    return [{ faults: pageFaultsOf(pid) - before }];
  });
  // 4 MB are a thousand pages, and it takes them twice.
  assert.ok((faults as number) < 5_000, `${faults} page faults`);
});

test('the data outlives a stop and a kill', async () => {
  await ask(server.url, (sql) => sql`CREATE TABLE marks AS SELECT 1 AS mark`);
  await server.stop();
  server = await start();
  await ask(server.url, (sql) => sql`INSERT INTO marks VALUES (2)`);
  server.kill();
  assert.equal(await server.ended, 'was ended by SIGKILL');
  server = await start();
  assert.equal(await ask(server.url, (sql) => sql`SELECT sum(mark)::int FROM marks`), 3);
});

test('a server left behind in the directory is stopped by the next start', async () => {
  const lines: string[] = [];
  const first = server;
  server = await start({}, (line) => lines.push(line));
  assert.equal(await first.ended, 'exited with code 0');
  assert.ok(lines.includes(`stopped a Postgres that an earlier start left behind (process ${first.pid})`));
  assert.equal(await ask(server.url, (sql) => sql`SELECT 1`), 1);
});

test('a process that merely bears the number in postmaster.pid is left alone', async (t) => {
  server.kill();
  await server.ended;
  const stranger = spawn('sleep', ['900']);
  t.after(() => stranger.kill());
  const pidFile = join(directory, 'data', 'postmaster.pid');
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(stranger.pid)));
  server = await start();
  assert.equal(stranger.exitCode ?? stranger.signalCode, null);
  await server.stop();
});

test('a start on a port that another process holds fails and says so', async (t) => {
  const squatter = createServer().listen(0, '127.0.0.1');
  t.after(() => squatter.close());
  await until('the squatter', () => squatter.listening);
  const { port } = squatter.address() as { port: number };
  await assert.rejects(startEmbeddedPostgres({ directory, port, settings }), /could not bind IPv4 address "127.0.0.1"/);
});

test('a start that is called off leaves nothing running', async () => {
  const signal = AbortSignal.abort();
  await assert.rejects(startEmbeddedPostgres({ directory, settings, signal }), /called off/);
  assert.equal(existsSync(join(directory, 'data', 'postmaster.pid')), false);
});

test('links that the install script was not allowed to make are made', (t) => {
  const root = temporaryDirectory(t);
  mkdirSync(join(root, 'native', 'lib'), { recursive: true });
  writeFileSync(join(root, 'native', 'lib', 'libpq.so.5.18'), 'a library');
  writeLinkList(root, 'native/lib/libpq.so.5');
  for (const time of ['first', 'second']) {
    findPostgresPrograms(root);
    assert.equal(readlinkSync(join(root, 'native', 'lib', 'libpq.so.5')), 'libpq.so.5.18', time);
  }
});

test('links that cannot be created are reported with the command that creates them', (t) => {
  const root = temporaryDirectory(t);
  mkdirSync(join(root, 'native'));
  writeLinkList(root, 'native/no-such-folder/libpq.so.5');
  assert.throws(() => findPostgresPrograms(root), /Postgres lacks .*libpq\.so\.5.*npm rebuild/s);
});

function writeLinkList(root: string, target: string): void {
  const links = [{ source: 'native/lib/libpq.so.5.18', target }];
  writeFileSync(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links));
}

function start(
  more: Record<string, string> = {},
  onLine: (line: string) => void = () => {},
): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ directory, settings: { ...settings, ...more }, onLine });
}

/** How often the process got a page of memory. */
function pageFaultsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const behindName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(behindName[7]);
}

/** The first value of the first row. */
async function ask(url: string, query: (sql: postgres.Sql) => PromiseLike<readonly postgres.Row[]>): Promise<unknown> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await query(sql);
    return row && Object.values(row)[0];
  } finally {
    await sql.end();
  }
}

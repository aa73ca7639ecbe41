import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { SECRETS } from '../../support/secrets.ts';
import { createTestDatabase, testRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { kill, type LauncherRun, processesOf, type Stores, startLauncher, temporaryDirectory } from './launcher-run.ts';

/** The tests that share it are starts one after the other, each on what the one before has left. */
const dataDir = temporaryDirectory({ after });
const marks: number[] = [];

test('a start brings everything up, says how to use it, and SIGTERM leaves no process behind', async () => {
  // Without what this run has translated: by tsx, as anywhere else.
  const run = startLauncher(dataDir, { NODE_OPTIONS: '' });
  const baseUrl = await run.ready();
  await until('the line of the workers', () => run.output().includes('workers  | workers are up'));

  const factsFile = join(dataDir, 'demo.json');
  const facts = JSON.parse(readFileSync(factsFile, 'utf8'));
  assert.equal(statSync(factsFile).mode & 0o777, 0o600);
  const storesFile = join(dataDir, 'stores.json');
  assert.equal(statSync(storesFile).mode & 0o777, 0o600);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(storesFile, 'utf8'))), [
    'databaseUrl',
    'redisUrl',
    'redisPrefix',
  ]);
  const keyFile = join(dataDir, 'secrets.key');
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);
  assert.match(readFileSync(keyFile, 'utf8'), /^[A-Za-z0-9+/]{43}=\n$/);
  assert.equal(facts.baseUrl, baseUrl);
  assert.equal(facts.apiKey, 'dk_live_1');
  assert.match(run.output(), /^gateway {2}\| \[[\d:.]+\] INFO: listening$/m);
  assert.match(run.output(), new RegExp(`^curl -sS ${baseUrl}/api/v1/tasks`, 'm'));
  assert.ok(processesOf(dataDir).length >= 5, 'the launcher, two stores, the gateway and the workers');

  assert.equal(await run.exit('SIGTERM'), 0);
  assert.deepEqual(processesOf(dataDir), []);
  const order = ['gateway  |', 'launcher | SIGTERM', 'shutting down', 'launcher | everything is stopped'];
  const places = order.map((text) => run.output().lastIndexOf(text));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});

test('a signal in the middle of the start calls it off and leaves no process behind', async (t) => {
  const dataDir = temporaryDirectory(t);
  const run = startLauncher(dataDir);
  await until('the first line', () => run.output().includes('starting on'));
  assert.equal(await run.exit('SIGINT'), 0);
  assert.deepEqual(processesOf(dataDir), []);
  assert.doesNotMatch(run.output(), /Ready at/);
});

test('a used port is refused before anything is started', async (t) => {
  const dataDir = temporaryDirectory(t);
  const squatter = createServer().listen(0, '127.0.0.1');
  t.after(() => squatter.close());
  await until('the squatter', () => squatter.listening);
  const address = squatter.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const run = startLauncher(dataDir, { PORT: String(port) });
  assert.equal(await run.exit(), 1);
  assert.match(run.output(), new RegExp(`Port ${port} on 127.0.0.1 is already in use.*PORT=`));
  assert.equal(existsSync(join(dataDir, 'postgres')), false);
});

/** The launcher that one test leaves to the next. */
let running: LauncherRun;
let stores: Stores;

test('a second start on the same DATA_DIR is refused by name, and the first goes on', async () => {
  running = startLauncher(dataDir);
  stores = await running.stores();
  const second = startLauncher(dataDir);
  assert.equal(await second.exit(), 1);
  assert.ok(
    second.output().includes(`Another instance (process ${running.process.pid}) is using DATA_DIR ${dataDir}.`),
  );
  assert.equal((await running.stores()).pid, stores.pid);
});

test('a gateway and stores that are killed come back where they were', async () => {
  const before = stores;
  await leaveMark(before);
  kill(Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]));
  kill(Number(readFileSync(join(dataDir, 'redis/redis.pid'), 'utf8')));
  kill(before.pid);
  for (const name of ['postgres', 'redis', 'gateway']) {
    await until(`${name} to be back`, () => running.output().includes(`launcher | ${name} is back`));
  }
  const after = await running.stores();
  assert.notEqual(after.pid, before.pid);
  assert.equal(after.databaseUrl, before.databaseUrl);
  await assertMarks(after);
});

test('after kill -9 of the launcher alone the next start has the data of the first', async () => {
  await leaveMark(stores);
  await running.exit('SIGKILL');

  running = startLauncher(dataDir, { npm_lifecycle_event: 'start' }, ['sh', '-c', '"$@" & wait', 'sh']);
  const after = await running.stores();
  await assertMarks(after);
  assert.equal(after.secretsKey, stores.secretsKey, 'so that what is encrypted can be read');
  assert.match(running.output(), /dk_live_1\b/, 'the key of the first start is kept');
  assert.doesNotMatch(running.output(), /history of the event logs/, 'nobody asked for another one');
});

test('under npm, a launcher whose parent was killed outright stops everything', async () => {
  await running.exit('SIGKILL');
  assert.match(running.output(), /npm is gone: stopping everything/);
  assert.deepEqual(processesOf(dataDir), []);
});

test('after kill -9 of every process the next start has the data of the first', async () => {
  const first = startLauncher(dataDir);
  await leaveMark(await first.stores());
  for (const pid of processesOf(dataDir)) kill(pid);
  await first.exit();

  running = startLauncher(dataDir, { STAND_IN_KEY: 'dk_live_2' });
  await assertMarks(await running.stores());
});

test('a key in demo.json that the gateway does not know is replaced by a new one', async () => {
  assert.equal(JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')).apiKey, 'dk_live_2');
  assert.equal(await running.exit('SIGTERM'), 0);
  assert.deepEqual(processesOf(dataDir), []);
});

test('a gateway that cannot start ends the start with its last words and status 1', async () => {
  const run = startLauncher(dataDir, { STAND_IN_GATEWAY_FAILS: '1' });
  assert.equal(await run.exit(), 1);
  assert.match(run.output(), /gateway exited with code 3 before it was ready\. Its last words:\nno gateway today/);
  assert.deepEqual(processesOf(dataDir), []);
});

test('stores and a key that the environment names are used, and none is made', async (t) => {
  const dataDir = temporaryDirectory(t);
  const database = await createTestDatabase();
  t.after(database.drop);
  const given = { databaseUrl: database.url, redisUrl: testRedis().url, secretsKey: SECRETS.SECRETS_KEY };
  const run = startLauncher(dataDir, { DATABASE_URL: given.databaseUrl, REDIS_URL: given.redisUrl, ...SECRETS });
  const { databaseUrl, redisUrl, secretsKey } = await run.stores();
  assert.deepEqual({ databaseUrl, redisUrl, secretsKey }, given);
  for (const name of ['postgres', 'redis', 'secrets.key']) assert.equal(existsSync(join(dataDir, name)), false, name);
  await run.exit('SIGTERM');
});

test('a key of another form is reported with its variable, and without its value', async (t) => {
  const run = startLauncher(temporaryDirectory(t), { SECRETS_KEY: 'too short' });
  assert.equal(await run.exit(), 1);
  assert.match(run.output(), /SECRETS_KEY: must be 32 bytes in base64/);
  assert.doesNotMatch(run.output(), /too short/);
});

test('a missing database is reported with its variable', async (t) => {
  const run = startLauncher(temporaryDirectory(t), {
    DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/nothing',
    REDIS_URL: testRedis().url,
  });
  assert.equal(await run.exit(), 1);
  assert.match(run.output(), /DATABASE_URL leads to no database that lets us in/);
});

async function leaveMark({ databaseUrl, redisUrl }: Stores): Promise<void> {
  const mark = marks.length;
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql`CREATE TABLE IF NOT EXISTS marks (mark integer)`;
  await sql`INSERT INTO marks VALUES (${mark})`;
  await sql.end();
  const redis = new Redis(redisUrl);
  await redis.rpush('marks', mark);
  redis.disconnect();
  marks.push(mark);
}

async function assertMarks({ databaseUrl, redisUrl }: Stores): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 });
  const rows = await sql<{ mark: number }[]>`SELECT mark FROM marks ORDER BY mark`;
  await sql.end();
  assert.deepEqual(
    rows.map(({ mark }) => mark),
    marks,
  );
  const redis = new Redis(redisUrl);
  assert.deepEqual((await redis.lrange('marks', 0, -1)).map(Number), marks);
  redis.disconnect();
}

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../../engine/launcher/stores/embedded-postgres.ts';
import { systemScheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { currentHistory, knownHistory } from '../../../engine/store/cluster/platform-store.ts';
import { createShardStore } from '../../../engine/store/cluster/shard-store.ts';
import { watchHistory } from '../../../engine/store/cluster/watch-history.ts';
import { migrate } from '../../../engine/store/migrate.ts';
import { connectPostgres } from '../../../engine/store/postgres.ts';
import { runAdmin } from '../../../gateway/admin-cli/run-admin.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { seedOrganization, withSql } from '../../support/seeds/seed.ts';
import { createDatabase, createMigratedDatabase, randomName, testRedis } from '../../support/stores.ts';
import { startTestGateway, type TestGateway, type TestPlace } from '../../support/system/gateway.ts';
import { reservePort } from '../../support/system/reserve-port.ts';
import { until } from '../../support/until.ts';

/** Databases that were restored from a backup, and `npm run admin -- history renew`. */

const random = createRandomSource();
const historyAt = (databaseUrl: string) => withSql(databaseUrl, (sql) => currentHistory(sql, random));

async function placeAt(databaseUrl: string): Promise<TestPlace> {
  const { url, prefix } = testRedis();
  const seeded = await seedOrganization(databaseUrl);
  const stores = { databaseUrl, redisUrl: url, redisPrefix: prefix, gatewayId: randomName('gateway') };
  return { ...seeded, ...stores, drop: async () => {} };
}

async function migratedPlace(context: TestContext): Promise<TestPlace> {
  const database = await createMigratedDatabase();
  context.after(() => database.drop());
  return placeAt(database.url);
}

/** Asks a gateway that starts at the place, and stops after that. */
async function ask<T>(place: TestPlace, body: (gateway: TestGateway, api: ApiClient) => Promise<T>): Promise<T> {
  const gateway = await startTestGateway({ place });
  const api = createApiClient(gateway);
  try {
    return await body(gateway, api);
  } finally {
    api.close();
    await gateway.stop();
  }
}

/** Creates tasks; where the log then ends. */
function fillLog(place: TestPlace, tasks: number): Promise<string> {
  return ask(place, async ({ baseUrl }, api) => {
    for (let made = 0; made < tasks; made++) await api.createTask();
    const stream = await openEventStream(baseUrl, place);
    const { position } = (await stream.next()).data;
    stream.close();
    return position;
  });
}

/** The first message that a client gets that was at `lastEventId`. */
function resume(place: TestPlace, lastEventId: string) {
  return ask(place, async ({ baseUrl }, api) => {
    const stream = await openEventStream(baseUrl, { ...place, lastEventId });
    const { history } = (await stream.next()).data;
    await api.createTask();
    const { event, data, id } = await stream.next();
    stream.close();
    return { history, event, reason: data.reason, id };
  });
}

/** A program that works with this history, and how often it has heard of another one. It looks often. */
function watch(t: TestContext, databaseUrl: string, history: string): { readonly heard: number } {
  const program = { heard: 0 };
  const sql = connectPostgres(databaseUrl, { name: 'test', connections: 1, statementTimeoutMs: 5_000 });
  const scheduler = { ...systemScheduler, every: (_ms: number, task: () => void) => systemScheduler.every(50, task) };
  const onOther = () => {
    program.heard += 1;
  };
  const stop = watchHistory({ sql, random, scheduler, log: createLog('test', 'silent'), history, onOther });
  t.after(() => {
    stop();
    return sql.end({ timeout: 1 });
  });
  return program;
}

function renew({ databaseUrl }: TestPlace) {
  const settings = { DATABASE_URL: databaseUrl, DATA_DIR: '/nonexistent' };
  return runAdmin(['history', 'renew', '--json'], settings, () => assert.fail('nothing was to be typed'));
}

test('a program hears that another one has renewed the history, and nothing before', async (t) => {
  const { databaseUrl } = await migratedPlace(t);
  const program = watch(t, databaseUrl, await historyAt(databaseUrl));
  await delay(500);
  assert.equal(program.heard, 0);
  await withSql(databaseUrl, (sql) => sql`UPDATE log_history SET history = 'renewed'`);
  await until('it hears of that', () => program.heard > 0);
});

test('a promotion gives another history before its checkpoint is written, and the same one after it', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'dispatch-standby-'));
  chmodSync(root, 0o755);
  const [directory, standby] = [join(root, 'postgres'), join(root, 'standby')];
  const port = await reservePort();
  const settings = { shared_buffers: '64MB', wal_keep_size: '1GB' };
  const start = (at: string) => startEmbeddedPostgres({ directory: at, port, settings });
  let server = await start(directory);
  t.after(async () => {
    await server.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  await migrate(server.url);
  const before = await historyAt(server.url);
  await server.stop();
  execFileSync('cp', ['-a', directory, standby]);
  server = await start(directory);
  // The checkpoint of the promotion is spread over minutes when there is something to write.
  await withSql(server.url, (sql) => sql`CREATE TABLE written AS SELECT FROM generate_series(1, 100000)`);
  const program = watch(t, server.url, before);
  await delay(500);
  await server.stop();
  execFileSync('cp', ['-a', join(directory, 'data', 'pg_wal'), join(standby, 'data')]);
  writeFileSync(join(standby, 'data', 'standby.signal'), '');
  server = await start(standby);
  await delay(500);
  assert.equal(program.heard, 0, 'a standby is asked again');

  await withSql(server.url, async (sql) => {
    await sql`SELECT pg_promote()`;
    await until('a program that ran all the time renews it', () => program.heard > 0);
    const after = await knownHistory(sql);
    const [noted] = await sql`SELECT timeline_id FROM pg_control_checkpoint()`;
    assert.deepEqual(noted, { timelineId: 1 }, 'the checkpoint is yet to come');
    assert.notEqual(after, before);
    await sql`CHECKPOINT`;
    const [now] = await sql`SELECT timeline_id FROM pg_control_checkpoint()`;
    assert.deepEqual(now, { timelineId: 2 });
    assert.equal(await currentHistory(sql, random), after);
  });
  assert.equal(program.heard, 1);
});

test('a database that is restored beside its origin gets another history, and the origin keeps its own', async (t) => {
  const place = await migratedPlace(t);
  const position = await fillLog(place, 3);
  const origin = new URL(place.databaseUrl);
  const server = new URL('/postgres', origin).href;
  const copy = await createDatabase(server, randomName('test'), origin.pathname.slice(1));
  t.after(() => copy.drop());

  const restored = { ...place, databaseUrl: copy.url, redisPrefix: testRedis().prefix };
  const heard = await resume(restored, position);
  assert.deepEqual([heard.event, heard.reason], ['stream.resync', 'history_changed']);
  const [before] = position.split('-');
  assert.notEqual(heard.history, before);
  assert.equal(await historyAt(copy.url), heard.history, 'and keeps it from then on');

  const resumed = await resume(place, position);
  assert.deepEqual([resumed.history, resumed.event, resumed.id], [before, 'task.created', `${before}-4`]);
});

test('a restore in place, which makes the tables again, gives another history', async (t) => {
  const { databaseUrl } = await migratedPlace(t);
  const before = await historyAt(databaseUrl);
  assert.equal(await historyAt(databaseUrl), before);
  await withSql(databaseUrl, (sql) =>
    // As pg_restore --clean does with each table.
    sql.unsafe(`
      CREATE TABLE kept AS SELECT * FROM log_history;
      CREATE TABLE log_again (LIKE log_history INCLUDING ALL);
      DROP TABLE log_history;
      ALTER TABLE log_again RENAME TO log_history;
      INSERT INTO log_history SELECT * FROM kept;
      DROP TABLE kept`),
  );
  const after = await historyAt(databaseUrl);
  assert.notEqual(after, before);
  assert.equal(await historyAt(databaseUrl), after);
});

test('the history of the release before stays, and is marked', async (t) => {
  const { databaseUrl } = await migratedPlace(t);
  const before = await historyAt(databaseUrl);
  await withSql(databaseUrl, async (sql) => {
    await sql`UPDATE log_history SET database_oid = NULL, table_oid = NULL`;
    assert.equal(await currentHistory(sql, random), before);
    const [row] = await sql<{ isMarked: boolean }[]>`
      SELECT (database_oid, table_oid) = (d.oid, 'log_history'::regclass::oid) AS is_marked
      FROM log_history, pg_database d WHERE d.datname = current_database()`;
    assert.ok(row!.isMarked);
    // Each part of the mark counts.
    for (const part of ['database_oid', 'table_oid', 'timeline', 'system_identifier']) {
      const known = await currentHistory(sql, random);
      await sql.unsafe(`UPDATE log_history SET ${part} = 99`);
      assert.notEqual(await currentHistory(sql, random), known, part);
    }
  });
});

test('after a copy of the whole data was put back the verb makes streams resynchronize', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'dispatch-copy-'));
  chmodSync(root, 0o755);
  const [directory, copy] = [join(root, 'postgres'), join(root, 'copy')];
  const port = await reservePort();
  const start = () => startEmbeddedPostgres({ directory, port, settings: { shared_buffers: '64MB' } });
  let server = await start();
  t.after(async () => {
    await server.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  await migrate(server.url);
  const place = await placeAt(server.url);
  await fillLog(place, 1);
  await server.stop();
  execFileSync('cp', ['-a', directory, copy]);
  server = await start();
  const position = await fillLog(place, 2);
  const [before, sequence] = position.split('-');
  await server.stop();
  rmSync(directory, { recursive: true });
  execFileSync('cp', ['-a', copy, directory]);
  server = await start();

  const renewed = await renew(place);
  assert.deepEqual([renewed.exitCode, renewed.stderr], [0, '']);
  const { history, before: noted } = JSON.parse(renewed.stdout);
  assert.equal(noted, before);
  // The log is as long again as the client knows it, with other events.
  assert.equal((await fillLog(place, 2)).split('-')[1], sequence);
  const heard = await resume(place, position);
  assert.deepEqual([heard.event, heard.reason, heard.history], ['stream.resync', 'history_changed', history]);
});

test('the verb changes nothing while a program runs that knows the old history', async (t) => {
  const place = await migratedPlace(t);
  await ask(place, async () => {
    const before = await historyAt(place.databaseUrl);
    const refused = await renew(place);
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, new RegExp(`^Programs run on this database.*gateway ${place.gatewayId}.*stop every`));
    assert.equal(await historyAt(place.databaseUrl), before);
  });
  assert.equal((await renew(place)).exitCode, 0);

  // A gateway that was killed leaves its lease, workers have none.
  for (const leave of ['lease', 'connection']) {
    const known = await historyAt(place.databaseUrl);
    await withSql(place.databaseUrl, async (sql) => {
      if (leave === 'lease') await createShardStore(sql).register('killed', random.uuid(), '127.0.0.1:1', 60_000);
      else await sql`SET application_name = 'dispatch workers'`;
      const { exitCode, stderr } = await renew(place);
      assert.equal(exitCode, 1, leave);
      assert.match(stderr, leave === 'lease' ? /\(gateway killed\)/ : /\(dispatch workers\)/);
      assert.equal(await currentHistory(sql, random), known);
      await sql`UPDATE gateways SET lease_expires_at = now()`;
      await sql`SET application_name = 'test'`;
    });
    assert.equal((await renew(place)).exitCode, 0);
  }
});

test('a gateway that was out of reach while the history was renewed ends, and so does one that was starting', async (t) => {
  const place = await migratedPlace(t);
  await withSql(place.databaseUrl, async (sql) => {
    await currentHistory(sql, random);
    const [store, incarnation] = [createShardStore(sql), random.uuid()];
    await store.register('paused', incarnation, '127.0.0.1:1', 0);
    assert.equal((await renew(place)).exitCode, 0);
    assert.equal(await store.renew('paused', incarnation, 10_000), false);
  });
  await withSql(place.databaseUrl, (sql) =>
    // Between the gateway's reading of the history and its announcement.
    sql.unsafe(`
      CREATE FUNCTION renew() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN UPDATE log_history SET history = 'renewed'; RETURN NULL; END $$;
      CREATE TRIGGER renewed AFTER INSERT ON gateways EXECUTE FUNCTION renew()`),
  );
  await assert.rejects(fillLog(place, 0), /was renewed while this gateway started/);
  assert.equal((await resume(place, 'renewed-0')).history, 'renewed');
});

test('a database without a history gets one, and one without migrations is refused', async (t) => {
  const place = await migratedPlace(t);
  const { history, before } = JSON.parse((await renew(place)).stdout);
  assert.deepEqual([before, await historyAt(place.databaseUrl)], [null, history]);
  await withSql(place.databaseUrl, (sql) => sql`DELETE FROM migrations WHERE name LIKE '0041%'`);
  assert.match((await renew(place)).stderr, /^The database lacks migrations/);
});

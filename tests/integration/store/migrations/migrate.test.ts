import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMigrated, migrate } from '../../../../engine/store/migrate.ts';
import type { Sql } from '../../../../engine/store/postgres.ts';
import { withSql } from '../../../support/seeds/seed.ts';
import { createMigratedDatabase } from '../../../support/stores.ts';

/** A statement that runs beside a migration of functions. */

/** Notes of files with other texts, as a release before would leave, so that every file runs again. */
const FORGET = `UPDATE migrations SET name = split_part(name, '@', 1) || '@before' WHERE name LIKE '%@%'`;

async function onMigratedDatabase(look: (sql: Sql, url: string) => Promise<void>): Promise<void> {
  const database = await createMigratedDatabase();
  try {
    await withSql(database.url, (sql) => look(sql, database.url));
  } finally {
    await database.drop();
  }
}

test('of each file of functions the text that ran last is noted, and no other', async () => {
  await onMigratedDatabase(async (sql, url) => {
    const namesNow = async () => (await sql<{ name: string }[]>`SELECT name FROM migrations`).map(({ name }) => name);
    const before = await namesNow();
    await sql.unsafe(FORGET);
    const ran = await migrate(url);
    assert.deepEqual(ran.sort(), before.filter((name) => name.includes('@')).sort());
    assert.deepEqual((await namesNow()).sort(), before.sort());
    assert.deepEqual(await migrate(url), []);
  });
});

test('files of functions change together or not at all', async () => {
  await onMigratedDatabase(async (sql, url) => {
    await sql.unsafe(FORGET);
    // The last of them cannot be replaced: it has another return type here.
    await sql`DROP FUNCTION task_parts(bigint, json)`;
    await sql`CREATE FUNCTION task_parts(bigint, json) RETURNS int LANGUAGE sql AS 'SELECT 1'`;
    const versions = () =>
      sql`SELECT proname, oid, xmin FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 2`;
    const before = await versions();
    await assert.rejects(migrate(url), /cannot change return type/);
    assert.deepEqual(await versions(), before);
    await sql`DROP FUNCTION task_parts(bigint, json)`;
    assert.ok((await migrate(url)).length > 1);
  });
});

test('a commit on its way while functions change finds what it calls', async () => {
  await onMigratedDatabase(async (sql, url) => {
    // The functions that the release before calls in commit_group.
    const called = [
      ...[
        'lines_of(text, text, anyarray)',
        'write_customers(customer_line[], int)',
        'write_tasks(task_line[], int, int)',
      ],
      ...['write_task_lists(task_line[], json, int[])', 'write_packages(package_line[], int)'],
      ...['write_warehouses(warehouse_line[], int)', 'write_agents(agent_line[], int)'],
      ...['write_assignment_requests(request_line[], int)', 'write_payments(payment_line[], int)'],
      ...['write_organizations(json, int)', 'write_ledger(json, json, int, int)', 'assert_written(text, bigint, int)'],
    ];
    await sql`CREATE FUNCTION write_tasks(json, int, int) RETURNS int LANGUAGE sql AS 'SELECT 1'`;
    await sql.unsafe(FORGET);
    await migrate(url);
    for (const name of called) {
      const [found] = await sql`SELECT to_regprocedure(${name}) IS NOT NULL AS there`;
      assert.ok(found!['there'], name);
    }
    const [json] = await sql`SELECT to_regprocedure('write_tasks(json, int, int)') AS form`;
    assert.equal(json!['form'], null, 'what nobody calls any more is gone');
  });
});

test('migrations of early databases whose files have gone are not those of a newer release', async () => {
  await onMigratedDatabase(async (sql, url) => {
    await sql`INSERT INTO migrations (name) VALUES ('0002-commit-group.sql'), ('0027-session-pairs.sql')`;
    await checkMigrated(sql);
    assert.deepEqual(await migrate(url), []);
    await sql`INSERT INTO migrations (name) VALUES ('0002-another.sql')`;
    await assert.rejects(checkMigrated(sql), /newer release .*\(0002-another\.sql\)/);
    await assert.rejects(migrate(url), /newer release .*\(0002-another\.sql\)/);
  });
});

test('functions and triggers that a return to the release before left behind are no obstacle to its next upgrade', async () => {
  await onMigratedDatabase(async (sql, url) => {
    // pg_restore --clean drops what the dump has: `users` with its trigger, and not the function of the newer release.
    await sql`DELETE FROM migrations WHERE name = '0042-links-of-inactive-users.sql'`;
    assert.deepEqual(await migrate(url), ['0042-links-of-inactive-users.sql']);
  });
});

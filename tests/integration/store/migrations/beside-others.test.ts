import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { connectPostgres, type Sql } from '../../../../engine/store/postgres.ts';
import { compiledProgram } from '../../../support/runner/run-environment.ts';
import { withSql } from '../../../support/seeds/seed.ts';
import { createMigratedDatabase } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

/** `npm run migrate` on a database that others use: a transaction that has read `tasks` stands in the way. */

/** It replaces indexes of `tasks`, for which nobody may read the table, and runs a second time without harm. */
const STEP = '0038-list-indexes.sql';

interface Stand {
  readonly sql: Sql;
  /** Ends the transaction that stands in the way. */
  free(): Promise<unknown>;
  /** The program's backends in Postgres, or those that wait for a lock. */
  countBackends(onlyWaiting?: boolean): Promise<number>;
  readonly program: { readonly output: () => string; readonly ended: Promise<unknown[]>; kill(): void };
}

const READING = 'BEGIN; SELECT count(*) FROM tasks';
/** As another migration holds it. */
const MIGRATING = 'SELECT pg_advisory_lock(7206316)';

async function beside(statements: string, look: (stand: Stand) => Promise<void>): Promise<void> {
  const database = await createMigratedDatabase();
  const reader = connectPostgres(database.url, { name: 'slow report', connections: 1, statementTimeoutMs: 60_000 });
  try {
    await withSql(database.url, async (sql) => {
      await sql`DELETE FROM migrations WHERE name = ${STEP}`;
      await reader.unsafe(statements).simple();
      const { args, env } = compiledProgram('migrate');
      const child = spawn(process.execPath, args, { env: { ...env, DATABASE_URL: database.url } });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
      const ended = once(child, 'exit');
      const countBackends = async (onlyWaiting = false) => {
        const [row] = await sql<{ count: number }[]>`SELECT count(*)::int FROM pg_stat_activity
          WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
          AND application_name <> 'slow report' AND (NOT ${onlyWaiting} OR wait_event_type = 'Lock')`;
        return row!.count;
      };
      const program = { output: () => output, ended, kill: () => void child.kill('SIGTERM') };
      try {
        await look({ sql, free: () => reader.unsafe('COMMIT'), countBackends, program });
      } finally {
        child.kill('SIGKILL');
        await ended;
      }
    });
  } finally {
    await reader.end({ timeout: 5 });
    await database.drop();
  }
}

test('a migration that must wait names the process in its way, lets reads go on, and runs when it can', async () => {
  await beside(READING, async ({ sql, free, countBackends, program }) => {
    await until('it waits', async () => (await countBackends(true)) > 0);
    await sql`SELECT count(*) FROM tasks`;
    await until('it tells', () =>
      /waits for process \d+ of Postgres \(slow report, idle in transaction/.test(program.output()),
    );
    await until('it announces the next try', () => program.output().includes(`${STEP} got no lock in time`));
    await sql`SELECT count(*) FROM tasks`;
    await free();
    assert.deepEqual(await program.ended, [0, null], program.output());
    const [row] = await sql`SELECT count(*)::int AS count FROM migrations WHERE name = ${STEP}`;
    assert.equal(row!['count'], 1);
  });
});

for (const [way, statements] of [
  ['a reader', READING],
  ['another migration', MIGRATING],
] as const)
  test(`a migration that is ended while it waits for ${way} leaves nothing behind in Postgres`, async () => {
    await beside(statements, async ({ sql, countBackends, program }) => {
      await until('it waits', async () => (await countBackends(true)) > 0);
      program.kill();
      assert.deepEqual(await program.ended, [1, null], program.output());
      assert.match(program.output(), /ended before everything was migrated/);
      await until('its backends are gone', async () => (await countBackends()) === 0);
      const [row] = await sql`SELECT count(*)::int AS count FROM migrations WHERE name = ${STEP}`;
      assert.equal(row!['count'], 0);
    });
  });

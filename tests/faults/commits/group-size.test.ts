import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '../../../engine/store/postgres.ts';
import { Journal } from '../../support/journal.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createTestPlace, startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { openBareClient } from '../support/bare-client.ts';
import { assertKeptPromises } from '../support/final-rows.ts';

const CONNECTIONS = 256;
const TASKS = 2_560;
const CREATES_PER_COMMIT = 50;

test('a lone create is one commit, and 256 connections share one among more than 50', async () => {
  const place = await createTestPlace();
  const { databaseUrl } = place;
  await withSql(databaseUrl, countStatements);
  const gateway = await startTestGateway({ place, process: true });
  const journal = new Journal();
  try {
    // This passes the first load of the organization, its ids and its key.
    await createTasks(gateway, journal, 'warm', 1, 1);
    assert.equal(await commitsOf(databaseUrl, () => createTasks(gateway, journal, 'lone', 1, 1)), 1);
    const commits = await commitsOf(databaseUrl, () => createTasks(gateway, journal, 'burst', CONNECTIONS, TASKS));
    assert.ok(commits < TASKS / CREATES_PER_COMMIT, `${TASKS} creates took ${commits} commits`);
    await assertKeptPromises(journal, databaseUrl);
  } finally {
    await gateway.stop();
    await place.drop();
  }
});

/** The sessions that start from now on. */
async function countStatements(sql: Sql): Promise<void> {
  await sql`CREATE EXTENSION pg_stat_statements`;
  const [database] = await sql<{ name: string }[]>`SELECT current_database() AS name`;
  await sql`ALTER DATABASE ${sql(database!.name)} SET pg_stat_statements.track = 'top'`;
}

async function createTasks(
  gateway: TestGateway,
  journal: Journal,
  name: string,
  connections: number,
  tasks: number,
): Promise<void> {
  const { organizationId } = gateway;
  let next = 0;
  const clients = Array.from({ length: connections }, () => openBareClient(gateway));
  const run = async (client: (typeof clients)[number]) => {
    for (let number = next++; number < tasks; number = next++) {
      const key = `${name}-${number}`;
      journal.sent({ key, organizationId, kind: 'create' });
      const outcome = await client.create(key);
      assert.equal(outcome.kind, 'acknowledged', JSON.stringify(outcome));
      journal.heard(key, outcome);
    }
  };
  try {
    await Promise.all(clients.map(run));
  } finally {
    for (const client of clients) client.close();
  }
}

/** Counts how often `work` made Postgres run commit_group, by the statistics of Postgres. */
async function commitsOf(databaseUrl: string, work: () => Promise<void>): Promise<number> {
  const count = () =>
    withSql(databaseUrl, async (sql) => {
      const [row] = await sql<{ calls: number }[]>`
        SELECT coalesce(sum(calls), 0)::bigint AS calls FROM pg_stat_statements s
        JOIN pg_database d ON d.oid = s.dbid AND d.datname = current_database()
        WHERE query LIKE 'SELECT commit_group(%'`;
      return row!.calls;
    });
  const before = await count();
  await work();
  return (await count()) - before;
}

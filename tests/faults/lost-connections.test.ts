import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';
import { withSql } from '../support/seed.ts';
import { createMigratedDatabase } from '../support/stores.ts';
import { backendsOf, terminate } from './backends.ts';

const NAME = 'pool under test';
const WIDE = 9_000;
/** It goes on for so long, and until so many have come. */
const FEWEST_ANSWERS = 100;
const RANDOM_MS = 3_000;
/**
 * Reconnecting takes milliseconds; a connection that lost its way waits for its connect_timeout of 5 s. Comes on top of
 * what the machine takes for an answer on a connection that nobody cuts.
 */
const ANSWER_MS = 4_500;

async function withPool(connections: number, body: (sql: Sql, databaseUrl: string) => Promise<void>): Promise<void> {
  const database = await createMigratedDatabase();
  const sql = connectPostgres(database.url, { name: NAME, connections, statementTimeoutMs: 10_000 });
  try {
    await body(sql, database.url);
  } finally {
    await sql.end({ timeout: 1 });
    await database.drop();
  }
}

test('a connection lost amid the rows of an answer leaves none of them in the next answer', async () => {
  await withPool(1, async (sql, databaseUrl) => {
    // Three rows are wide enough to be sent at once; the fourth is long in coming.
    const cut = sql`
      SELECT i, repeat('x', ${WIDE}::int) AS wide, CASE WHEN i > 3 THEN pg_sleep(9) END AS slow
      FROM generate_series(1, 5) i`.execute();
    cut.catch(() => {});
    while (!(await backendsOf(databaseUrl, NAME)).some(({ isActive }) => isActive)) await delay(10);
    await delay(300);
    await terminate(databaseUrl, NAME);
    await assert.rejects(cut);
    const rows = await sql`SELECT 7 AS seven`;
    assert.equal(rows.length, 1, `one row was asked for: ${JSON.stringify(rows)}`);
    assert.equal(rows[0]?.['seven'], 7);
  });
});

test('connections lost at random give each query its own answer or an error, and soon', async () => {
  await withPool(2, async (sql, databaseUrl) => {
    const end = performance.now() + RANDOM_MS;
    const wrong: string[] = [];
    let [answers, slowestMs, slowestCalmMs] = [0, 0, 0];
    const isOver = () => performance.now() > end && answers > FEWEST_ANSWERS;
    const ask = async (mark: number) => {
      while (!isOver()) {
        const wanted = 1 + Math.floor(Math.random() * 300);
        const sentAt = performance.now();
        try {
          const rows = await sql<{ i: number; mark: number }[]>`
            SELECT i, ${mark}::int AS mark, repeat('x', 3000) AS wide FROM generate_series(1, ${wanted}::int) i`;
          answers += 1;
          const isOwn = rows.length === wanted && rows[0]?.mark === mark && rows.at(-1)?.i === wanted;
          if (!isOwn)
            wrong.push(`${rows.length} rows instead of ${wanted}, the first ${rows[0] ? 'there' : 'missing'}`);
        } catch {
          // Lost with its connection, and told so.
        }
        slowestMs = Math.max(slowestMs, performance.now() - sentAt);
      }
    };
    const kill = async () => {
      for (; !isOver(); await delay(Math.random() * 30)) await terminate(databaseUrl, NAME);
    };
    const askCalmly = async (calm: Sql) => {
      for (; !isOver(); await delay(5)) {
        const sentAt = performance.now();
        await calm`SELECT 1`;
        slowestCalmMs = Math.max(slowestCalmMs, performance.now() - sentAt);
      }
    };
    await withSql(databaseUrl, (calm) => Promise.all([ask(1), ask(2), ask(3), kill(), askCalmly(calm)]));
    assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} of ${answers} answers were wrong`);
    const late = `an answer took ${Math.round(slowestMs)} ms, beside one of ${Math.round(slowestCalmMs)} ms`;
    assert.ok(slowestMs < ANSWER_MS + slowestCalmMs, late);
  });
});

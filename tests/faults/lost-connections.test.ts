import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { seededNumbers } from '../../bench/scenarios/seeded-numbers.ts';
import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';
import { withSql } from '../support/seeds/seed.ts';
import { startTcpProxy } from '../support/services/tcp-proxy.ts';
import { createMigratedDatabase } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { terminate } from './support/backends.ts';

const NAME = 'pool under test';
const WIDE = 9_000;
/** The test goes on for this long and until this many have come. */
const FEWEST_ANSWERS = 100;
const RANDOM_MS = 3_000;
/**
 * Reconnecting takes milliseconds; a connection that lost its way waits for its connect_timeout of 5 s. This comes on
 * top of the time that the machine needs to connect and answer where no test cuts anything.
 */
const ANSWER_MS = 4_500;

async function withDatabase(body: (databaseUrl: string) => Promise<void>): Promise<void> {
  const database = await createMigratedDatabase();
  try {
    await body(database.url);
  } finally {
    await database.drop();
  }
}

async function withPool(url: string, connections: number, body: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = connectPostgres(url, { name: NAME, connections, statementTimeoutMs: 60_000 });
  try {
    await body(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

test('a connection lost among the rows of an answer leaves none of them in the next answer', async () => {
  await withDatabase(async (databaseUrl) => {
    const proxy = await startTcpProxy(databaseUrl);
    try {
      await withPool(proxy.url, 1, async (sql) => {
        // Three rows are wide enough to be sent at once; the fourth takes long.
        const cut = sql`
          SELECT i, repeat('x', ${WIDE}::int) AS wide, CASE WHEN i > 3 THEN pg_sleep(30) END AS slow
          FROM generate_series(1, 5) i`.execute();
        cut.catch(() => {});
        await until('a row has come', () => proxy.connections(NAME).some(({ sentDown }) => sentDown > WIDE));
        await terminate(databaseUrl, NAME);
        await assert.rejects(cut);
        const rows = await sql`SELECT 7 AS seven`;
        assert.equal(rows.length, 1, `one row was asked for: ${JSON.stringify(rows)}`);
        assert.equal(rows[0]?.['seven'], 7);
      });
    } finally {
      await proxy.stop();
    }
  });
});

test('connections lost at random give each query its own answer or an error, and soon', async () => {
  await withDatabase((databaseUrl) =>
    withPool(databaseUrl, 2, async (sql) => {
      const draw = seededNumbers(1);
      const end = performance.now() + RANDOM_MS;
      const wrong: string[] = [];
      let [answers, lost, slowestMs, slowestCalmMs] = [0, 0, 0, 0];
      const isOver = () => performance.now() > end && answers > FEWEST_ANSWERS;
      const ask = async (mark: number) => {
        while (!isOver()) {
          const wanted = 1 + draw(300);
          const sentAt = performance.now();
          try {
            const rows = await sql<{ i: number; mark: number }[]>`
              SELECT i, ${mark}::int AS mark, repeat('x', 3000) AS wide FROM generate_series(1, ${wanted}::int) i`;
            answers += 1;
            const isOwn = rows.length === wanted && rows[0]?.mark === mark && rows.at(-1)?.i === wanted;
            if (!isOwn)
              wrong.push(`${rows.length} rows instead of ${wanted}, the first ${rows[0] ? 'there' : 'missing'}`);
          } catch {
            // The connection was lost, and the query got an error.
            lost += 1;
          }
          slowestMs = Math.max(slowestMs, performance.now() - sentAt);
        }
      };
      const kill = async () => {
        for (; !isOver(); await delay(draw(30))) await terminate(databaseUrl, NAME);
      };
      const askCalmly = async () => {
        for (; !isOver(); await delay(5)) {
          const sentAt = performance.now();
          await withSql(databaseUrl, (calm) => calm`SELECT 1`);
          slowestCalmMs = Math.max(slowestCalmMs, performance.now() - sentAt);
        }
      };
      await Promise.all([ask(1), ask(2), ask(3), kill(), askCalmly()]);
      assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} of ${answers} answers were wrong`);
      assert.ok(lost > 0, 'no query lost its connection');
      const late = `an answer took ${Math.round(slowestMs)} ms, beside one of ${Math.round(slowestCalmMs)} ms`;
      assert.ok(slowestMs < ANSWER_MS + slowestCalmMs, late);
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDatabase } from '../../../support/system/use-database.ts';

/** Tables that commits append to: autovacuum looks at them when they have doubled, not with every tenth. */

const { sql } = useDatabase();

const DOUBLED = ['autovacuum_analyze_scale_factor=1', 'autovacuum_vacuum_insert_scale_factor=1'];
const OF_BODIES = 'toast_tuple_target=8160';
/** A partitioned table has those of its partitions. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  locations: DOUBLED,
  packages: DOUBLED,
  task_history: DOUBLED,
  audit_records: DOUBLED,
  events: [...DOUBLED, OF_BODIES],
  idempotency_records: [...DOUBLED, OF_BODIES],
  agent_trail: DOUBLED,
  webhook_deliveries: [OF_BODIES],
  // Room beside a task for the row that its next step writes.
  tasks: ['fillfactor=70'],
};

/** The settings of each table; of a partitioned one those that all of its partitions have. */
async function settings(): Promise<Record<string, { options: string[]; tables: number }>> {
  const rows = await sql<{ name: string; options: string[]; tables: number }[]>`
    SELECT name, json_agg(DISTINCT option) FILTER (WHERE option IS NOT NULL) AS options, count(DISTINCT oid)::int AS tables
    FROM (
      SELECT coalesce(i.inhparent, c.oid)::regclass::text AS name, c.oid, unnest(coalesce(c.reloptions, '{NULL}')) AS option
      FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
      WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace) o
    WHERE name = ANY(${`{${Object.keys(EXPECTED).join()}}`}::text[])
    GROUP BY name`;
  return Object.fromEntries(rows.map(({ name, options, tables }) => [name, { options: options ?? [], tables }]));
}

/** Partitions with other settings than the rest of their table. */
async function odd(): Promise<readonly unknown[]> {
  return sql`
    SELECT i.inhparent::regclass::text AS parent
    FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relkind = 'r'
    GROUP BY 1 HAVING count(DISTINCT (SELECT array_agg(o ORDER BY o) FROM unnest(c.reloptions) o)) > 1`;
}

test('tables that are appended to have them, partitions that were there and new ones alike', async () => {
  const before = await settings();
  const optionsOf = (found: Awaited<ReturnType<typeof settings>>) =>
    Object.fromEntries(Object.entries(found).map(([name, { options }]) => [name, options.toSorted()]));
  const expected = Object.fromEntries(Object.entries(EXPECTED).map(([name, options]) => [name, options.toSorted()]));
  assert.deepEqual(optionsOf(before), expected);
  const partitioned = ['events', 'idempotency_records', 'agent_trail', 'webhook_deliveries'];
  for (const table of partitioned) await sql`SELECT ensure_daily_partitions(${table}::regclass, 3, 30)`;
  const after = await settings();
  assert.deepEqual(optionsOf(after), expected);
  for (const table of partitioned) assert.ok(after[table]!.tables > before[table]!.tables, table);
  assert.deepEqual([...(await odd())], []);
});

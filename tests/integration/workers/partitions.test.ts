import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { createMaintenanceStore, type DailyTable } from '../../../engine/store/cluster/maintenance-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createPartitionProcessor } from '../../../workers/maintenance/upkeep-processors.ts';
import { until } from '../../support/until.ts';
import { createWorkersPlace, type WorkersPlace } from './workers-place.ts';

const RETENTION_DAYS = 30;
const log = createLog('workers', 'silent');

let place: WorkersPlace;
before(async () => {
  place = await createWorkersPlace(0);
});
after(() => place?.drop());

test('partitions beyond retention go, younger ones stay, missing ones are made', async () => {
  const { sql } = place;
  const keep = keepOf(sql);
  // The database may be a copy of one that was made yesterday.
  await keep();
  const before = await partitions(sql);
  const [old, youngest] = [await makePartition(sql, RETENTION_DAYS + 2), await makePartition(sql, RETENTION_DAYS)];
  const newest = await partitionName(sql, -LIMITS.partitionDaysAhead);
  await sql`DROP TABLE ${sql(newest)}`;
  await keep();
  const left = await partitions(sql);
  assert.ok(!left.includes(old), `${old} is still there`);
  assert.deepEqual(left, [youngest, ...before], `${newest} was made, and no other`);
});

test('several processes that keep the partitions at once do not get in each other’s way', async () => {
  const { sql } = place;
  const keep = keepOf(sql);
  await keep();
  const before = await partitions(sql);
  for (const daysAgo of [40, 41, 42]) await makePartition(sql, daysAgo);
  for (const daysAhead of [5, 6, 7]) await sql`DROP TABLE ${sql(await partitionName(sql, -daysAhead))}`;
  const keepAsJob = () => until('partitions are kept', () => keep().then(() => true, isToBeTriedAgain));
  await Promise.all([keepAsJob(), keepAsJob(), keepAsJob(), keepAsJob()]);
  assert.deepEqual(await partitions(sql), before);
});

test('a partition in use is left for later rather than let commits wait behind it', async () => {
  const { sql } = place;
  const old = await makePartition(sql, 40);
  const store = createMaintenanceStore(sql);
  await sql.begin(async (reader) => {
    await reader`SELECT count(*) FROM events`;
    const startedAt = performance.now();
    await assert.rejects(store.dropPartitions('events', RETENTION_DAYS), { code: '55P03' });
    assert.ok(performance.now() - startedAt < 10_000);
  });
  assert.ok((await partitions(sql)).includes(old));
  assert.equal(await store.dropPartitions('events', RETENTION_DAYS), 1);
  const [row] = await sql<{ lockTimeout: string }[]>`SELECT current_setting('lock_timeout') AS lock_timeout`;
  assert.equal(row!.lockTimeout, '0', 'the bound on waiting ended with its statement');
});

test('many partitions go a few at a time, so that commits do not wait for the others', async () => {
  const { sql } = place;
  const store = createMaintenanceStore(sql);
  await keepOf(sql)();
  const before = await partitions(sql);
  const old: string[] = [];
  for (let daysAgo = 64; daysAgo >= 40; daysAgo -= 1) old.push(await makePartition(sql, daysAgo));
  assert.equal(await store.dropPartitions('events', RETENTION_DAYS), 10);
  assert.deepEqual(await partitions(sql), [...old.slice(10), ...before]);
  await keepOf(sql)();
  assert.deepEqual(await partitions(sql), before);
});

test('trails have partitions for points that come late, and lose those beyond their own retention', async () => {
  const { sql } = place;
  const days = LIMITS.trailRetentionDays;
  const old = await makePartition(sql, days + 2, 'agent_trail');
  const youngest = await makePartition(sql, days, 'agent_trail');
  const latest = await partitionName(sql, LIMITS.trailPastMs / 86_400_000, 'agent_trail');
  await sql`DROP TABLE ${sql(latest)}`;
  await keepOf(sql, 10_000)();
  const left = await partitions(sql, 'agent_trail');
  assert.ok(!left.includes(old), `${old} is still there`);
  assert.ok(left.includes(youngest), `${youngest} is gone`);
  assert.ok(left.includes(latest), `${latest} was not made`);
});

function keepOf(sql: Sql, eventRetentionDays = RETENTION_DAYS): () => Promise<void> {
  const keep = createPartitionProcessor(createMaintenanceStore(sql), eventRetentionDays, log);
  return () => keep({}, new AbortController().signal);
}

/** A job that gave up on a lock, having changed nothing, runs again; any other failure is one. */
function isToBeTriedAgain(error: { readonly code?: string }): boolean {
  if (error.code !== '55P03') throw error;
  return false;
}

async function makePartition(sql: Sql, daysAgo: number, table: DailyTable = 'events'): Promise<string> {
  const name = await partitionName(sql, daysAgo, table);
  const [day] = await sql<{ from: string; to: string }[]>`
    SELECT (current_date - ${daysAgo}::int)::text AS from, (current_date - ${daysAgo}::int + 1)::text AS to`;
  await sql.unsafe(`CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM ('${day!.from}') TO ('${day!.to}')`);
  return name;
}

async function partitionName(sql: Sql, daysAgo: number, table: DailyTable = 'events'): Promise<string> {
  const [row] = await sql<{ name: string }[]>`
    SELECT ${table}::text || '_' || to_char(current_date - ${daysAgo}::int, 'YYYYMMDD') AS name`;
  return row!.name;
}

/** By their names, and so by their days. */
async function partitions(sql: Sql, table: DailyTable = 'events'): Promise<string[]> {
  const rows = await sql<
    { name: string }[]
  >`SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = ${table}::regclass ORDER BY 1`;
  return rows.map(({ name }) => name);
}

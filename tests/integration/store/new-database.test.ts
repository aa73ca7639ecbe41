import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noNeeds } from '../../../engine/org/decide/needed-records.ts';
import { STAMPED_TASK } from '../../../engine/org/lists/read-texts.ts';
import { createOrgStore, forActors } from '../../../engine/store/actor/actor-store.ts';
import { connectPostgres, type Sql, textArray } from '../../../engine/store/postgres.ts';
import { SHOWN_TASK } from '../../../engine/store/rows/record-tables.ts';
import type { PageRequest } from '../../../engine/store/task-lists/task-list-request.ts';
import { forPages, readListedTasks, readPage } from '../../../engine/store/task-lists/task-list-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { ALL_TASK_TYPES, type ShownTask, TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { createMigratedDatabase } from '../../support/stores.ts';
import { useDatabase } from '../../support/system/use-database.ts';
import { taskRecord, writeTasks } from './task-writer.ts';

/** Lists of what was written a moment ago: nothing has told the planner yet how much there is. */

const TASKS = 1_100;
/** So many that reading an index of them from end to end shows. */
const MANY = 4_000;
const SHOWN_TABLES = ['tasks', 'packages', 'customers', 'locations'];
const ONE_CONNECTION = { name: 'test', connections: 1, statementTimeoutMs: 30_000 };

let organizationId: number;

const { url, sql, connect } = useDatabase(ONE_CONNECTION, async () => {
  ({ organizationId } = await seedOrganization(url));
  const tasks = Array.from({ length: TASKS }, (_, index) =>
    taskRecord({
      organizationId,
      id: index + 1,
      status: TASK_STATUSES[index % TASK_STATUSES.length]!,
      taskType: ALL_TASK_TYPES[index % ALL_TASK_TYPES.length]!,
      customerId: 1 + (index % 50),
      agentId: 1 + (index % 10),
    }),
  );
  await writeTasks(sql, tasks);
});
const pages = connect({ name: 'test pages' }, forPages(url));

const NEWEST: PageRequest = { filter: {}, sortBy: 'createdAt', sortOrder: 'DESC', take: 21, skip: 0, after: undefined };

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows that all parts of a plan came by. */
function rowsOf(node: PlanNode): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), own);
}

/** How many rows Postgres looks at for a page. */
async function lookedAt(request: Partial<PageRequest>): Promise<number> {
  let rows = 0;
  const explaining = {
    unsafe: (text: string, values: never[]) => ({
      values: () => ({
        async forEach() {
          const [row] = await pages.unsafe(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values).values();
          const [[{ Plan }]] = row as unknown as [[{ Plan: PlanNode }]];
          rows = rowsOf(Plan);
        },
      }),
    }),
  } as unknown as Sql;
  const connections = { prepared: explaining, planned: explaining };
  await readPage(connections, organizationId, { ...NEWEST, ...request }, undefined, SHOWN_TASK);
  return rows;
}

test('a page of a new database reads its tasks one by one, of settled tasks and of moving ones', async () => {
  const requests: Record<string, Partial<PageRequest>> = {
    newest: {},
    'changed last': { sortBy: 'updatedAt' },
    'open board': { filter: { status: ['new', 'assigned', 'in_transit'] } },
    'a type': { filter: { taskType: ['delivery'] }, sortOrder: 'ASC' },
    customer: { filter: { customerId: 1 } },
    agent: { filter: { agentId: [1], status: ['assigned', 'accepted'] } },
  };
  for (const isMoving of [false, true]) {
    if (isMoving) await sql`UPDATE tasks SET moving_while_open = true`;
    for (const [name, request] of Object.entries(requests)) {
      const rows = await lookedAt(request);
      const what = `${name}${isMoving ? ', moving' : ''}`;
      assert.ok(rows > 20 && rows < 4 * TASKS, `${what}: ${rows} rows for 20 of ${TASKS} tasks`);
    }
  }
});

/**
 * Blocks of tables and indexes that were looked at so far for tasks and what belongs to them. Not rows: an index that has a
 * column, but not first, is read from end to end for the one entry that it counts.
 */
async function blocksRead(connection: Sql): Promise<number> {
  await connection`SELECT pg_stat_force_next_flush()`;
  const [row] = await connection<{ blocks: number }[]>`
    SELECT sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8 AS blocks
    FROM pg_statio_user_tables WHERE relname = ANY(${textArray(SHOWN_TABLES)}::text[])`;
  return row!.blocks;
}

/** Autovacuum reads blocks of its own, which would count as well, and would tell the planner how much there is. */
async function keepAutovacuumAway(connection: Sql): Promise<void> {
  for (const table of SHOWN_TABLES) await connection.unsafe(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
}

/** The parts of a job, which one task in ten is. */
function partsOf(id: number): readonly number[] {
  return id % 10 === 0 ? [id - 1, id - 2] : [];
}

/** Tasks with customers, places and packages of the same ids. */
async function writeWholeTasks(connection: Sql, organizationId: number, from: number, to: number): Promise<void> {
  if (to < from) return;
  const ids = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const tasks = ids.map((id) => {
    const childIds = partsOf(id).length > 0 ? partsOf(id) : null;
    return taskRecord({ organizationId, id, customerId: id, locationId: id, pickupLocationId: id, childIds });
  });
  await writeTasks(connection, tasks);
  await connection`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, created_at, updated_at)
    SELECT ${organizationId}, id, 1, id, 'individual', 'A', 'B', now() + id * interval '1 s', now()
    FROM generate_series(${from}::int, ${to}::int) id`;
  await connection`
    INSERT INTO locations (organization_id, id, address, latitude, longitude)
    SELECT ${organizationId}, id, 'here', 1, 1 FROM generate_series(${from}::int, ${to}::int) id`;
  await writePackages(connection, organizationId, from, to);
}

/** A package of each task. */
async function writePackages(connection: Sql, organizationId: number, from: number, to: number): Promise<void> {
  await connection`
    INSERT INTO packages (organization_id, id, version, task_id, name, description, quantity, is_fragile, status, created_at,
      updated_at)
    SELECT ${organizationId}, id, 1, id, 'box', 'box', 1, false, 'pending', now(), now()
    FROM generate_series(${from}::int, ${to}::int) id`;
}

for (const early of [0, 20, 500]) {
  test(`a page that was planned when there were ${early} tasks reads its tasks one by one, and what belongs to them`, async () => {
    const young = await createMigratedDatabase();
    const connection = connectPostgres(forPages(young.url), { ...ONE_CONNECTION, name: 'test young pages' });
    try {
      await keepAutovacuumAway(connection);
      const { organizationId } = await seedOrganization(young.url);
      const take = LIMITS.pageSize;
      const connections = { prepared: connection, planned: connection };
      const newest = { ...NEWEST, take };
      const readTasks = () => readPage(connections, organizationId, newest, undefined, SHOWN_TASK);
      const readStamps = () => readPage(connections, organizationId, newest, undefined, STAMPED_TASK);
      const readSome = () => readListedTasks(connections, organizationId, [MANY, MANY - 1], SHOWN_TASK);
      await writeWholeTasks(connection, organizationId, 1, early);
      await readTasks();
      await readStamps();
      await readSome();
      await writeWholeTasks(connection, organizationId, early + 1, MANY);
      const before = await blocksRead(connection);
      const { items } = await readTasks();
      const read = (await blocksRead(connection)) - before;
      const shown = Array.from({ length: take }, (_, index) => MANY - index).map((id) => [id, ...partsOf(id)]);
      const idsOf = ({ task, customer, location, packages }: ShownTask) => {
        const belongings = [customer?.id, location?.id, ...packages.map((parcel) => parcel.id)];
        assert.deepEqual(
          belongings,
          belongings.map(() => task.id),
        );
        assert.equal(belongings.length, 3);
        return task.id;
      };
      assert.deepEqual(
        items.map((item) => [item, ...item.children].map(idsOf)),
        shown,
      );
      // For each task: itself, the customer, two places and a package, each by two or three blocks of an index and one of the table.
      const tasks = shown.flat().length;
      assert.ok(read >= tasks * 5 * 2 && read < tasks * 5 * 4, `${read} blocks for ${tasks} of ${MANY} tasks`);
      await readStamps();
      const stamped = (await blocksRead(connection)) - before - read;
      // For each task: itself and the customer.
      assert.ok(stamped >= tasks * 2 * 2 && stamped < tasks * 2 * 4, `${stamped} blocks for ${tasks} stamps`);
      assert.equal((await readSome()).length, 2);
      const some = (await blocksRead(connection)) - before - read - stamped;
      // One of them is a job of two parts.
      assert.ok(some < 4 * 7 * 4, `${some} blocks for two tasks`);
    } finally {
      await connection.end({ timeout: 5 });
      await young.drop();
    }
  });
}

/** Rows that were read so far of tasks and packages, by whichever way. */
async function rowsRead(connection: Sql): Promise<number> {
  await connection`SELECT pg_stat_force_next_flush()`;
  const [row] = await connection<{ rows: number }[]>`
    SELECT sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0))::float8 + (
      SELECT sum(idx_tup_read)::float8 FROM pg_stat_user_indexes WHERE relname = ANY('{tasks,packages}'::text[])) AS rows
    FROM pg_stat_user_tables s WHERE relname = ANY('{tasks,packages}'::text[])`;
  return row!.rows;
}

for (const early of [0, 20]) {
  const when = early === 0 ? 'there were any' : 'there were more than a few';
  test(`an actor's search by name reads no other tasks, planned before ${when}`, async () => {
    const young = await createMigratedDatabase();
    const actors = connectPostgres(forActors(young.url), { ...ONE_CONNECTION, name: 'test actors' });
    try {
      await keepAutovacuumAway(actors);
      const { organizationId } = await seedOrganization(young.url);
      const store = createOrgStore(actors);
      const find = async (code: string, packageId: number) => {
        const needs = { ...noNeeds(), codes: new Set([code]), packageIds: new Set([packageId]) };
        const { tasks } = await store.fetchRecords(organizationId, needs);
        return tasks.map(({ task }) => task.id).sort();
      };
      const write = async (from: number, to: number) => {
        const ids = Array.from({ length: to - from }, (_, index) => from + index);
        if (ids.length === 0) return;
        await writeTasks(
          actors,
          ids.map((id) => taskRecord({ organizationId, id })),
        );
        await writePackages(actors, organizationId, from, to - 1);
      };
      await write(1, early + 1);
      if (early > 0) await actors`ANALYZE tasks, packages`;
      // As often as it takes until Postgres keeps the plan.
      for (let time = 0; time < 10; time++) await find('CODE-1', 1);
      await write(early + 1, TASKS);
      const before = await rowsRead(actors);
      for (let time = 0; time < 10; time++) assert.deepEqual(await find('CODE-700', 800), [700, 800]);
      const read = (await rowsRead(actors)) - before;
      assert.ok(read >= 10 * 2 * 2 && read < TASKS / 2, `${read} rows for ten times two of ${TASKS} tasks`);
    } finally {
      await actors.end({ timeout: 5 });
      await young.drop();
    }
  });
}

test('a new task is written into at most five indexes, beside the partial ones that it is not in', async () => {
  const indexes = await sql<{ indexname: string }[]>`
    SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND tablename = 'tasks'
      AND indexdef !~ ${NOT_OF_NEW_TASKS}`;
  assert.ok(indexes.length > 1 && indexes.length <= 5, indexes.map(({ indexname }) => indexname).join(', '));
});

/** The conditions of indexes that hold for no new task, which is a moving one. */
const NOT_OF_NEW_TASKS = String.raw`WHERE \(+(${[
  '(rated_at|previous_task_id|completed_at|outcome|delayed_at|settled_rank|settled_agent_id|settled_deadline_at) IS NOT NULL',
  'settled_(rank|search) [<>]',
  `courier_type = 'external'`,
  String.raw`settled_agent_id IS NULL\) AND \(courier_id IS NULL\) AND \(settled_rank >= 2`,
].join('|')})`;

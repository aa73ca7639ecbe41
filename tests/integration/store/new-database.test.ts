import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { noNeeds } from '../../../engine/org/needs.ts';
import { createOrgStore, forActors } from '../../../engine/store/org-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import type { PageRequest } from '../../../engine/store/task-list-request.ts';
import { forPages, readTaskPage } from '../../../engine/store/task-list-store.ts';
import { ALL_TASK_TYPES, TASK_STATUSES } from '../../../schema/task.ts';
import { seedOrganization } from '../../support/seed.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/stores.ts';
import { taskRecord, writeTasks } from './task-writer.ts';

/** Lists of what was written a moment ago: nothing has told the planner yet how much there is. */

const TASKS = 1_100;
const ONE_CONNECTION = { name: 'test', connections: 1, statementTimeoutMs: 30_000 };

let database: TestDatabase;
let sql: Sql;
let pages: Sql;
let organizationId: number;

before(async () => {
  database = await createMigratedDatabase();
  sql = connectPostgres(database.url, ONE_CONNECTION);
  pages = connectPostgres(forPages(database.url), { ...ONE_CONNECTION, name: 'test pages' });
  ({ organizationId } = await seedOrganization(database.url));
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
after(async () => {
  await pages.end({ timeout: 5 });
  await sql.end({ timeout: 5 });
  await database.drop();
});

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
      values: async () => {
        const [row] = await pages.unsafe(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values).values();
        const [[{ Plan }]] = row as unknown as [[{ Plan: PlanNode }]];
        rows = rowsOf(Plan);
        return [];
      },
    }),
  } as unknown as Sql;
  await readTaskPage(
    { prepared: explaining, planned: explaining },
    organizationId,
    { ...NEWEST, ...request },
    undefined,
  );
  return rows;
}

test('a page of a new database reads its tasks one by one', async () => {
  const requests: Record<string, Partial<PageRequest>> = {
    newest: {},
    'changed last': { sortBy: 'updatedAt' },
    'open board': { filter: { status: ['new', 'assigned', 'in_transit'] } },
    'a type': { filter: { taskType: ['delivery'] }, sortOrder: 'ASC' },
    customer: { filter: { customerId: 1 } },
    agent: { filter: { agentId: [1], status: ['assigned', 'accepted'] } },
  };
  for (const [name, request] of Object.entries(requests)) {
    const rows = await lookedAt(request);
    assert.ok(rows > 20 && rows < 4 * TASKS, `${name}: ${rows} rows for 20 of ${TASKS} tasks`);
  }
});

for (const early of [0, 20]) {
  const when = early === 0 ? 'there were any' : 'there were more than a few';
  test(`what an actor looks for by name is found without looking at other tasks, planned before ${when}`, async () => {
    const young = await createMigratedDatabase();
    const actors = connectPostgres(forActors(young.url), { ...ONE_CONNECTION, name: 'test actors' });
    try {
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
        await actors`
          INSERT INTO packages (organization_id, id, version, task_id, name, description, quantity, is_fragile, status, created_at,
            updated_at)
          SELECT ${organizationId}, id, 1, id, 'box', 'box', 1, false, 'pending', now(), now()
          FROM generate_series(${from}::int, ${to - 1}::int) id`;
      };
      await write(1, early + 1);
      if (early > 0) await actors`ANALYZE tasks, packages`;
      // As often as it takes until Postgres keeps the plan.
      for (let time = 0; time < 10; time++) await find('CODE-1', 1);
      await write(early + 1, TASKS);
      const rowsRead = async () => {
        await actors`SELECT pg_stat_force_next_flush()`;
        const [row] = await actors<{ rows: number }[]>`
          SELECT sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0))::float8 + (
            SELECT sum(idx_tup_read)::float8 FROM pg_stat_user_indexes WHERE relname IN ('tasks', 'packages')) AS rows
          FROM pg_stat_user_tables s WHERE relname IN ('tasks', 'packages')`;
        return row!.rows;
      };
      const before = await rowsRead();
      for (let time = 0; time < 10; time++) assert.deepEqual(await find('CODE-700', 800), [700, 800]);
      const read = (await rowsRead()) - before;
      assert.ok(read >= 10 * 2 * 2 && read < TASKS / 2, `${read} rows for ten times two of ${TASKS} tasks`);
    } finally {
      await actors.end({ timeout: 5 });
      await young.drop();
    }
  });
}

test('a task that is written keeps at most eight indexes', async () => {
  const indexes = await sql`SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND tablename = 'tasks'`;
  assert.ok(indexes.length > 1 && indexes.length <= 8, indexes.map(({ indexname }) => indexname).join(', '));
});

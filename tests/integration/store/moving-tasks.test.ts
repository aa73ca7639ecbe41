import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';
import { listTasksAnew, taskRecord, writeTasks } from './task-writer.ts';

/** Open tasks whose changing keys stand in no index. */

const TASKS = 40;

const { url, sql } = useDatabase();

const minute = (count: number) => new Date(Date.UTC(2030, 0, 1) + count * 60_000).toISOString();

/** The steps of a task that is assigned by a search, each with all that it changes. */
const STEPS: readonly Partial<TaskRecord>[] = [
  { status: 'awaiting_assignment', autoAssignmentStatus: 'searching', awaitingSince: minute(1), deadlineAt: minute(2) },
  { status: 'assigned', autoAssignmentStatus: 'assigned', agentId: 7, assignedAt: minute(2), deadlineAt: minute(90) },
  { status: 'accepted', acceptedAt: minute(3), etaAt: minute(30) },
  { status: 'in_transit', startedAt: minute(4), etaAt: minute(31) },
  { arrivedAt: minute(5) },
];

async function makeTasks(areMoving: boolean): Promise<TaskRecord[]> {
  const { organizationId } = await seedOrganization(url);
  const tasks = Array.from({ length: TASKS }, (_, index) =>
    taskRecord({ organizationId, id: index + 1, courierId: null, movingWhileOpen: areMoving }),
  );
  await writeTasks(sql, tasks);
  return tasks;
}

/** Each task in a commit of its own: of many beside each other, a page has room for the steps of a few. */
async function step(tasks: readonly TaskRecord[], fields: Partial<TaskRecord>, at: number): Promise<TaskRecord[]> {
  const stepped: TaskRecord[] = [];
  for (const task of tasks) {
    const changed = { ...task, ...fields, version: task.version + 1, updatedAt: minute(at) };
    await listTasksAnew(sql, [task], [changed]);
    stepped.push(changed);
  }
  return stepped;
}

/** Values of all columns that an index of tasks has, as keys, beside them or in its condition: a HOT update leaves them the same. */
async function indexedValues({ organizationId }: TaskRecord): Promise<readonly unknown[]> {
  const columns = await sql<{ name: string }[]>`
    SELECT DISTINCT a.attname AS name FROM pg_index i
    JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid AND d.refobjid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
    WHERE i.indrelid = 'tasks'::regclass ORDER BY 1`;
  const names = columns.map(({ name }) => name);
  for (const name of ['settled_rank', 'settled_at', 'settled_deadline_at', 'due_at', 'code'])
    assert.ok(names.includes(name), name);
  const rows = await sql`SELECT ${sql(names)} FROM tasks WHERE organization_id = ${organizationId} ORDER BY id`;
  return [...rows];
}

/** How many updates of tasks there were, and how many of them wrote no entry of an index. */
async function updatesOfTasks(): Promise<{ all: number; hot: number }> {
  await sql`SELECT pg_stat_force_next_flush()`;
  const [row] = await sql<{ all: number; hot: number }[]>`
    SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'tasks'`;
  return row!;
}

for (const [kind, areMoving] of [
  ['moving', true],
  ['settled', false],
] as const) {
  test(`the steps of ${kind} tasks ${areMoving ? 'change nothing' : 'change what'} an index has`, async () => {
    let tasks = await makeTasks(areMoving);
    const [values, updates] = [await indexedValues(tasks[0]!), await updatesOfTasks()];
    for (const [index, fields] of STEPS.entries()) tasks = await step(tasks, fields, index + 1);
    const now = await updatesOfTasks();
    const [all, hot] = [now.all - updates.all, now.hot - updates.hot];
    assert.equal(all, TASKS * STEPS.length);
    if (areMoving) {
      assert.deepEqual(await indexedValues(tasks[0]!), values);
      // Not every one: a page that another process looks at makes no room.
      assert.ok(hot > all / 2, `${hot} of ${all} wrote no entry`);
    } else {
      assert.notDeepEqual(await indexedValues(tasks[0]!), values);
      assert.equal(hot, 0);
    }
  });
}

test('a task that ends is settled, with its keys, and stays so', async () => {
  const made = await makeTasks(true);
  const keysOf = async ({ organizationId, id }: TaskRecord) => {
    const [row] = await sql<Record<string, unknown>[]>`
      SELECT settled_rank AS rank, settled_at AS at, settled_agent_id AS agent, settled_search AS search
      FROM tasks WHERE organization_id = ${organizationId} AND id = ${id}`;
    return Object.values(row!);
  };
  const [taken] = await step(
    made.slice(0, 1),
    { status: 'in_transit', agentId: 7, autoAssignmentStatus: 'assigned' },
    1,
  );
  assert.deepEqual(await keysOf(taken!), [null, null, null, null]);
  const [ended] = await step([taken!], { status: 'completed', outcome: 'succeeded', completedAt: minute(2) }, 2);
  assert.deepEqual(await keysOf(ended!), [5, minute(2), 7, 'assigned']);
  const [rated] = await step(
    [ended!],
    { rating: { score: 5, comment: null, at: minute(3) } as TaskRecord['rating'] },
    3,
  );
  assert.deepEqual(await keysOf(rated!), [5, minute(3), 7, 'assigned']);
});

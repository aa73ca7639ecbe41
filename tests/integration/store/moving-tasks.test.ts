import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';
import { listTasksAnew, taskRecord, writeTasks } from './task-writer.ts';

/** Open tasks whose changing keys stand in no index. */

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

async function makeTask(areMoving: boolean): Promise<TaskRecord> {
  const { organizationId } = await seedOrganization(url);
  const task = taskRecord({ organizationId, id: 1, courierId: null, movingWhileOpen: areMoving });
  await writeTasks(sql, [task]);
  return task;
}

async function step(task: TaskRecord, fields: Partial<TaskRecord>, at: number): Promise<TaskRecord> {
  const changed = { ...task, ...fields, version: task.version + 1, updatedAt: minute(at) };
  await listTasksAnew(sql, [task], [changed]);
  return changed;
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

/**
 * The moving task comes first: the empty first page of the table has room for all its versions. On a full page, an
 * update is HOT only if old versions may go, and any reader of the database can prevent that.
 */
for (const [kind, areMoving] of [
  ['moving', true],
  ['settled', false],
] as const) {
  test(`the steps of a ${kind} task ${areMoving ? 'change nothing' : 'change what'} an index has`, async () => {
    let task = await makeTask(areMoving);
    const [values, updates] = [await indexedValues(task), await updatesOfTasks()];
    for (const [index, fields] of STEPS.entries()) task = await step(task, fields, index + 1);
    const now = await updatesOfTasks();
    assert.equal(now.all - updates.all, STEPS.length);
    assert.equal(now.hot - updates.hot, areMoving ? STEPS.length : 0);
    if (areMoving) assert.deepEqual(await indexedValues(task), values);
    else assert.notDeepEqual(await indexedValues(task), values);
  });
}

test('a task that ends is settled, with its keys, and stays so', async () => {
  const made = await makeTask(true);
  const keysOf = async ({ organizationId, id }: TaskRecord) => {
    const [row] = await sql<Record<string, unknown>[]>`
      SELECT settled_rank AS rank, settled_at AS at, settled_agent_id AS agent, settled_search AS search
      FROM tasks WHERE organization_id = ${organizationId} AND id = ${id}`;
    return Object.values(row!);
  };
  const taken = await step(made, { status: 'in_transit', agentId: 7, autoAssignmentStatus: 'assigned' }, 1);
  assert.deepEqual(await keysOf(taken), [null, null, null, null]);
  const ended = await step(taken, { status: 'completed', outcome: 'succeeded', completedAt: minute(2) }, 2);
  assert.deepEqual(await keysOf(ended), [5, minute(2), 7, 'assigned']);
  const rated = await step(ended, { rating: { score: 5, comment: null, at: minute(3) } as TaskRecord['rating'] }, 3);
  assert.deepEqual(await keysOf(rated), [5, minute(3), 7, 'assigned']);
});

import assert from 'node:assert/strict';
import type { Sql } from '../../../../engine/store/postgres.ts';
import { BUNDLE } from '../../../../engine/store/rows/record-tables.ts';
import { encodeTask } from '../../../../engine/views/task-view.ts';
import { beforeTaskChanges, type TaskChanges } from '../../../../schema/tasks/task-changes.ts';
import type { TaskView } from '../../../../schema/tasks/task-view.ts';

/**
 * Fails when a task, with the changes of all its steps taken back, is not what its creation told: no change may be
 * missing from the history. The organization's tasks must have been written by its actor alone.
 */
export async function assertHistoryTellsAll(sql: Sql, organizationId: number): Promise<number> {
  const steps = await sql<{ taskId: number; changes: TaskChanges | null; body: string }[]>`
    SELECT s.task_id, s.changes, e.body FROM task_history s
    JOIN events e ON e.organization_id = s.organization_id AND e.sequence = s.sequence
    WHERE s.organization_id = ${organizationId} ORDER BY s.sequence DESC`;
  const rows = await sql`
    SELECT ${sql.unsafe(BUNDLE.list)} FROM tasks t WHERE t.organization_id = ${organizationId}`.values();
  for (const bundle of rows.map(BUNDLE.ofRow)) {
    const own = steps.filter(({ taskId }) => taskId === bundle.task.id);
    const created = own.pop()!;
    assert.equal(created.changes, null, 'a creation has no list of changes');
    let facts: Parameters<typeof beforeTaskChanges>[0] = bundle;
    for (const { changes } of own) if (changes) facts = beforeTaskChanges(facts, changes);
    const woundBack = JSON.parse(encodeTask({ ...bundle, ...facts })) as TaskView;
    const told = (JSON.parse(created.body) as { data: { task: TaskView } }).data.task;
    assert.deepEqual(ownFieldsOf(woundBack), ownFieldsOf(told), `task ${bundle.task.id} as it was made`);
  }
  return steps.filter(({ changes }) => changes).length;
}

/** Without what belongs to others, the search, which the audit log leaves out, and the time of the last change. */
function ownFieldsOf(task: TaskView) {
  const { customer, agent, location, pickupLocation, children, search, updatedAt, packages, ...own } = task;
  const sorted = packages.map(({ updatedAt: _, ...item }) => item).sort((a, b) => a.id - b.id);
  return { ...own, packages: sorted };
}

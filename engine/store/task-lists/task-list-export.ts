import { LIMITS } from '../../../schema/limits.ts';
import type { TaskSort } from '../../../schema/tasks/list-tasks.ts';
import type { ShownTask } from '../../../schema/tasks/task.ts';
import type { TaskFilter } from '../../../schema/tasks/task-filter.ts';
import type { Sql } from '../postgres.ts';
import { SHOWN_TASK } from '../rows/record-tables.ts';
import { conditionsOf, Parameters } from './task-list-conditions.ts';
import { sortKeyOf } from './task-list-request.ts';

/** Receives a batch; the next one is read once it resolves. False ends the export. */
export type TakeTasks = (batch: readonly ShownTask[]) => Promise<boolean>;

const NEVER = new Promise<never>(() => {});

/**
 * Hands over all tasks of a list, of one snapshot, a batch at a time. Ids are sorted first and the rest is looked up
 * for each in turn, so that neither side holds more than a batch of whole tasks. Resolves when every task was handed
 * over or no more were wanted. Rejects when Postgres fails or ends it after LIMITS.exportDeadlineMs, at any point.
 */
export async function exportTasks(
  sql: Sql,
  organizationId: number,
  filter: TaskFilter,
  sort: TaskSort,
  take: TakeTasks,
): Promise<void> {
  const { sortOrder } = sort;
  const parameters = new Parameters(organizationId);
  const text = `SELECT b.* FROM (
      SELECT t.id, ${sortKeyOf(sort)} AS key FROM tasks t
      WHERE t.organization_id = $1::bigint AND ${conditionsOf(filter, parameters, 'seek')}
      ORDER BY key ${sortOrder}, t.id ${sortOrder}) p
    CROSS JOIN LATERAL (
      SELECT ${SHOWN_TASK.list} FROM tasks t WHERE t.organization_id = $1::bigint AND t.id = p.id OFFSET 0) b
    ORDER BY p.key ${sortOrder}, p.id ${sortOrder}`;
  let hasFailed = false;
  let taken = Promise.resolve(true);
  const onBatch = async (rows: readonly (readonly unknown[])[]) => {
    taken = take(rows.map(SHOWN_TASK.ofRow));
    const wantsMore = await taken;
    // The client would send the next answer over the connection that replaces the failed one.
    if (hasFailed) await NEVER;
    return wantsMore ? undefined : sql.CLOSE;
  };
  try {
    // Not as an iterator: that ends as if every row were read when the connection is lost between two batches.
    await sql.unsafe(text, parameters.values).values().cursor(LIMITS.exportBatchTasks, onBatch);
  } catch (error) {
    hasFailed = true;
    throw error;
  }
  // The last batch is not waited for by the client.
  await taken;
}

import { LIMITS } from '../../../schema/limits.ts';
import type { TaskSort } from '../../../schema/tasks/list-tasks.ts';
import type { ShownTask } from '../../../schema/tasks/task.ts';
import type { TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { Parameters } from '../parameters.ts';
import type { Sql } from '../postgres.ts';
import { SHOWN_TASK } from '../rows/record-tables.ts';
import { allOf, sourcesOf } from './listed-tasks.ts';
import { conditionsOf } from './task-list-conditions.ts';
import { sortKeyOf } from './task-list-request.ts';

/** Takes an export. */
export interface ExportSink {
  /** Comes first, also of an empty list: the sequence of the organization's log at which the tasks are true. */
  begin(sequence: number): void;
  /** Receives a batch; the next one is read once it resolves. False ends the export. */
  take(batch: readonly ShownTask[]): Promise<boolean>;
}

const NEVER = new Promise<never>(() => {});

/**
 * Hands over all tasks of a list, of one snapshot and with its place in the log, a batch at a time. Ids are sorted first and the rest is looked up
 * for each in turn, so that neither side holds more than a batch of whole tasks. Resolves when every task was handed
 * over or no more were wanted. Rejects when Postgres fails or ends it after LIMITS.exportDeadlineMs, at any point.
 */
export async function exportTasks(
  sql: Sql,
  organizationId: number,
  filter: TaskFilter,
  sort: TaskSort,
  sink: ExportSink,
): Promise<void> {
  const { sortOrder } = sort;
  const parameters = new Parameters(organizationId);
  const matching = allOf(sourcesOf(filter), `t.id, ${sortKeyOf(sort)} AS key`, (isAtHand) =>
    conditionsOf(filter, parameters, isAtHand ? 'probe' : 'seek'),
  );
  // The first row is the place in the log alone: one statement is one snapshot, and a list may be empty.
  const text = `SELECT h.last_sequence, none.* FROM organization_heads h
      LEFT JOIN LATERAL (SELECT ${SHOWN_TASK.list} FROM tasks t WHERE t.organization_id = $1::bigint AND false) none ON true
      WHERE h.organization_id = $1::bigint
    UNION ALL SELECT * FROM (SELECT NULL::bigint, b.* FROM (
      ${matching}
      ORDER BY key ${sortOrder}, id ${sortOrder}) p
    CROSS JOIN LATERAL (
      SELECT ${SHOWN_TASK.list} FROM tasks t WHERE t.organization_id = $1::bigint AND t.id = p.id OFFSET 0) b
    ORDER BY p.key ${sortOrder}, p.id ${sortOrder}) listed`;
  let hasFailed = false;
  let taken = Promise.resolve(true);
  const onBatch = async (rows: readonly (readonly unknown[])[]) => {
    const tasks = rows.filter(([sequence]) => sequence === null).map(SHOWN_TASK.ofRow);
    if (tasks.length < rows.length) sink.begin(rows[0]![0] as number);
    taken = tasks.length > 0 ? sink.take(tasks) : Promise.resolve(true);
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

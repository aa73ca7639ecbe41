import { LIMITS } from '../../../schema/limits.ts';
import type { ShownTask } from '../../../schema/tasks/task.ts';
import { numberArray, type Sql } from '../postgres.ts';
import { SHOWN_TASK, TASK_STAMP, type TaskColumns } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';
import { planPage } from './task-list-plan.ts';
import type { PageRequest } from './task-list-request.ts';

export interface TaskPage<Item> {
  readonly items: readonly Item[];
  /** Exact number of matching tasks in the same snapshot; null when the way to the page does not give it. */
  readonly count: number | null;
  /** Sequence of the organization's log at which page and count were true. */
  readonly sequence: number;
  /** `items` may be incomplete: the list must be gathered. */
  readonly mayFallShort: boolean;
}

/** A task and the marks of all rows that it shows: see TASK_STAMP. */
export interface StampedTask {
  readonly id: number;
  readonly stamp: string;
}

const STAMP: TaskColumns<StampedTask> = {
  list: `t.id, ${TASK_STAMP}`,
  ofRow: (row) => ({ id: row.at(-2) as number, stamp: row.at(-1) as string }),
};

/** For the planner, which cannot know how few tasks a page has. */
const MOST_TASKS = LIMITS.pageSize + 1;

type Row = readonly [sequence: number, count: number | null, place: number | null, ...task: unknown[]];
type PlacedRow = Row & { readonly 2: number };

/** Connections for pages. */
export interface PageConnections {
  /** Connections whose plans are made once, for all values: making one takes longer than reading a page. */
  readonly prepared: Sql;
  /** Connections whose plans are made for the values of each statement. */
  readonly planned: Sql;
}

/** The address of a database with the settings of `PageConnections.prepared`. */
export function forPages(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('plan_cache_mode', 'force_generic_plan');
  // Pages are in memory or on disks without heads: otherwise a small table would be read whole for each task of a page.
  url.searchParams.set('random_page_cost', '1.1');
  // One at a time on each connection: otherwise a page waits behind a slow one while another connection is free.
  url.searchParams.set('max_pipeline', '0');
  return url.href;
}

type ReadPage<Item> = (
  connections: PageConnections,
  organizationId: number,
  request: PageRequest,
  matching: number | undefined,
) => Promise<TaskPage<Item>>;

/**
 * Reads a stretch of a list. Lists run on Postgres: every acknowledged change is there, and one statement is one
 * snapshot. `matching` is the known number of matches; undefined counts them.
 */
export const readTaskPage: ReadPage<ShownTask> = readerOf(SHOWN_TASK);

/** The same, of each task its stamp alone: half the work for Postgres. */
export const readStampedPage: ReadPage<StampedTask> = readerOf(STAMP);

function readerOf<Item>(columns: TaskColumns<Item>): ReadPage<Item> {
  return async (connections, organizationId, request, matching) => {
    const { ctes, count, parameters, mayFallShort, isReusable } = planPage(organizationId, request, matching);
    // Sorted by their places at the end: a sort of whole tasks would copy them once more.
    const text = `WITH ${ctes.join(', ')}
      SELECT h.last_sequence, ${count}, b.*
      FROM organization_heads h LEFT JOIN (
        SELECT p.place, found.* FROM (SELECT id, row_number() OVER () AS place FROM page LIMIT ${MOST_TASKS}) p
        CROSS JOIN LATERAL (${oneTask(columns.list)}) found) b ON true
      WHERE h.organization_id = $1::bigint`;
    const sql = isReusable ? connections.prepared : connections.planned;
    const ask = () => sql.unsafe(text, parameters.values, { prepare: isReusable }).values();
    const rows = await retried(ask, LIMITS.readDeadlineMs, 'listing tasks');
    const [first] = rows as unknown as Row[];
    if (!first) return { items: [], count: 0, sequence: 0, mayFallShort };
    const [sequence, matched, firstPlace] = first;
    const found = firstPlace === null ? [] : (rows as unknown as PlacedRow[]).sort((a, b) => a[2] - b[2]);
    return { items: found.map(columns.ofRow), count: matched, sequence, mayFallShort };
  };
}

/** Tasks by their ids as they are now, each with its stamp. */
export async function readStampedTasks(
  { prepared }: PageConnections,
  organizationId: number,
  ids: readonly number[],
): Promise<{ readonly stamp: string; readonly shown: ShownTask }[]> {
  const text = `SELECT found.* FROM unnest($2::bigint[]) p (id)
    CROSS JOIN LATERAL (${oneTask(`${TASK_STAMP}, ${SHOWN_TASK.list}`)}) found`;
  const ask = () => prepared.unsafe(text, [organizationId, numberArray(ids)], { prepare: true }).values();
  const rows = await retried(ask, LIMITS.readDeadlineMs, 'reading tasks of a page');
  return rows.map((row) => ({ stamp: row[0] as string, shown: SHOWN_TASK.ofRow(row) }));
}

/**
 * Columns of the task that `p` names. One by one: as a join, a planner without statistics reads all tasks for each one.
 * And between an id and itself, in its order: a plan made while there were few tasks takes any index, and is kept.
 */
function oneTask(list: string): string {
  return `SELECT ${list} FROM tasks t WHERE t.organization_id = $1::bigint AND t.id BETWEEN p.id AND p.id
    ORDER BY t.id LIMIT 1`;
}

import { LIMITS } from '../../../schema/limits.ts';
import { numberArray, type Sql, withSettings } from '../postgres.ts';
import type { TaskColumns } from '../rows/record-tables.ts';
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

/** For the planner, which cannot know how few tasks a page has. */
const MOST_TASKS = LIMITS.pageSize + 1;

type Row = readonly [sequence: number, count: number | null, place: number | null, ...task: unknown[]];

/** One row of a page: the task at a place of it, or no place in a page without tasks. */
interface PlacedItem<Item> {
  readonly sequence: number;
  readonly matched: number | null;
  readonly place: number | null;
  readonly item: Item | undefined;
}

/** Reads when it is the organization's turn; may reject without having read. */
export type InTurn = <T>(organizationId: number, read: () => Promise<T>) => Promise<T>;

/** Connections for pages. */
export interface PageConnections {
  /** Connections whose plans are made once, for all values: making one takes longer than reading a page. */
  readonly prepared: Sql;
  /** Connections whose plans are made for the values of each statement. */
  readonly planned: Sql;
  /** The turns of `planned`, whose statements may take long; without it they wait in the order of asking. */
  readonly inTurn?: InTurn | undefined;
}

/** The address of a database with the settings of `PageConnections.prepared`. */
export function forPages(databaseUrl: string): string {
  return withSettings(databaseUrl, {
    plan_cache_mode: 'force_generic_plan',
    // Pages are in memory or on disks without heads: otherwise a small table would be read whole for each task of a page.
    random_page_cost: '1.1',
    // One at a time on each connection: otherwise a page waits behind a slow one while another connection is free.
    max_pipeline: '0',
  });
}

/**
 * Reads a stretch of a list. Lists run on Postgres: every acknowledged change is there, and one statement is one
 * snapshot. `matching` is the known number of matches; undefined counts them. `columns` make an item of each task; what
 * they throw is thrown once all rows have come.
 */
export async function readPage<Item>(
  connections: PageConnections,
  organizationId: number,
  request: PageRequest,
  matching: number | undefined,
  columns: TaskColumns<Item>,
): Promise<TaskPage<Item>> {
  const { ctes, count, parameters, mayFallShort, isReusable } = planPage(organizationId, request, matching);
  // Sorted by their places at the end: a sort of whole tasks would copy them once more.
  const text = `WITH ${ctes.join(', ')}
    SELECT h.last_sequence, ${count}, b.*
    FROM organization_heads h LEFT JOIN (
      SELECT p.place, found.* FROM (SELECT id, row_number() OVER () AS place FROM page LIMIT ${MOST_TASKS}) p
      CROSS JOIN LATERAL (${oneTask(columns.list)}) found) b ON true
    WHERE h.organization_id = $1::bigint`;
  const sql = isReusable ? connections.prepared : connections.planned;
  const ask = () =>
    eachRow(sql.unsafe(text, parameters.values, { prepare: isReusable }), (row): PlacedItem<Item> => {
      const [sequence, matched, place] = row as Row;
      return { sequence, matched, place, item: place === null ? undefined : columns.ofRow(row) };
    });
  const read = () => retried(ask, LIMITS.readDeadlineMs, 'listing tasks');
  const { inTurn } = connections;
  const rows = await (inTurn && !isReusable ? inTurn(organizationId, read) : read());
  const [first] = rows;
  if (!first) return { items: [], count: 0, sequence: 0, mayFallShort };
  const found = rows.filter(({ place }) => place !== null).sort((a, b) => a.place! - b.place!);
  return { items: found.map(({ item }) => item!), count: first.matched, sequence: first.sequence, mayFallShort };
}

/** Tasks by their ids as they are now, those first that Postgres finds first. */
export async function readListedTasks<Item>(
  { prepared }: PageConnections,
  organizationId: number,
  ids: readonly number[],
  columns: TaskColumns<Item>,
): Promise<Item[]> {
  const text = `SELECT found.* FROM unnest($2::bigint[]) p (id)
    CROSS JOIN LATERAL (${oneTask(columns.list)}) found`;
  const ask = () =>
    eachRow(prepared.unsafe(text, [organizationId, numberArray(ids)], { prepare: true }), columns.ofRow);
  return retried(ask, LIMITS.readDeadlineMs, 'reading tasks of a page');
}

/**
 * Makes an item of each row when it comes, so that other work goes on between the rows of a large answer. Throws the
 * first error of `itemOf` at the end: the connection takes the other rows first.
 */
async function eachRow<Item>(
  query: { values(): { forEach(take: (row: unknown[]) => void): Promise<unknown> } },
  itemOf: (row: readonly unknown[]) => Item,
): Promise<Item[]> {
  const items: Item[] = [];
  let failure: { readonly error: unknown } | undefined;
  await query.values().forEach((row) => {
    if (failure) return;
    try {
      items.push(itemOf(row));
    } catch (error) {
      failure = { error };
    }
  });
  if (failure) throw failure.error;
  return items;
}

/**
 * Columns of the task that `p` names. One by one: as a join, a planner without statistics reads all tasks for each one.
 * And between an id and itself, in its order: a plan made while there were few tasks takes any index, and is kept.
 */
function oneTask(list: string): string {
  return `SELECT ${list} FROM tasks t WHERE t.organization_id = $1::bigint AND t.id BETWEEN p.id AND p.id
    ORDER BY t.id LIMIT 1`;
}

import { LIMITS } from '../../schema/limits.ts';
import type { TaskBundle } from '../../schema/task.ts';
import type { Sql } from './postgres.ts';
import { read } from './read.ts';
import { planPage } from './task-list-plan.ts';
import type { PageRequest } from './task-list-request.ts';
import { BUNDLE_COLUMNS, BUNDLE_JOINS, type BundleRow, shownBundleOfRow } from './task-rows.ts';

export interface TaskPage {
  readonly items: readonly TaskBundle[];
  /** Exact number of matching tasks in the same snapshot; null when the way to the page did not tell. */
  readonly count: number | null;
  /** Sequence of the organization's log at which page and count were true. */
  readonly sequence: number;
  /** There may be more than `items` tells: what was asked for has to be gathered. */
  readonly mayFallShort: boolean;
}

const SORT_COLUMNS = { createdAt: 'created_at', updatedAt: 'updated_at', status: 'status_rank' } as const;
/** For the planner, which cannot know how few tasks a page has. */
const MOST_TASKS = LIMITS.pageSize + 1;

/** Connections for pages. */
export interface PageConnections {
  /** Whose plans are made once, whatever the values: making one takes longer than reading a page. */
  readonly prepared: Sql;
  /** Whose plans are made for the values of each statement. */
  readonly planned: Sql;
}

/** The address of a database with the setting of `PageConnections.prepared`. */
export function keepingPlans(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('plan_cache_mode', 'force_generic_plan');
  return url.href;
}

/**
 * Reads a stretch of a list. Lists run on Postgres: what was acknowledged is there, and one statement is one snapshot.
 * `matching` is how many tasks are known to match the filter; undefined makes it count them.
 */
export async function readTaskPage(
  connections: PageConnections,
  organizationId: number,
  request: PageRequest,
  matching: number | undefined,
): Promise<TaskPage> {
  const { ctes, count, parameters, mayFallShort, isReusable } = planPage(organizationId, request, matching);
  const column = SORT_COLUMNS[request.sortBy];
  const text = `WITH ${ctes.join(', ')}
    SELECT h.last_sequence AS page_sequence, ${count} AS page_count, b.*
    FROM organization_heads h LEFT JOIN (
      SELECT ${BUNDLE_COLUMNS} FROM (SELECT id FROM page LIMIT ${MOST_TASKS}) p
      JOIN tasks t ON t.organization_id = $1::bigint AND t.id = p.id ${BUNDLE_JOINS}) b ON true
    WHERE h.organization_id = $1::bigint
    ORDER BY b.${column} ${request.sortOrder}, b.id ${request.sortOrder}`;
  type Row = BundleRow & { readonly pageCount: number | null; readonly pageSequence: number };
  const sql = isReusable ? connections.prepared : connections.planned;
  const ask = () => sql.unsafe<Row[]>(text, parameters.values, { prepare: isReusable });
  const rows = await read(ask, LIMITS.readDeadlineMs, 'listing tasks');
  const first = rows[0];
  return {
    items: first?.id == null ? [] : rows.map(shownBundleOfRow),
    count: first === undefined ? 0 : first.pageCount,
    sequence: first?.pageSequence ?? 0,
    mayFallShort,
  };
}

import { LIMITS } from '../../schema/limits.ts';
import type { TaskBundle } from '../../schema/task.ts';
import type { Sql } from './postgres.ts';
import { read } from './read.ts';
import { planPage } from './task-list-plan.ts';
import type { PageRequest } from './task-list-request.ts';
import { BUNDLE_COLUMNS, bundleOfRow } from './task-rows.ts';

export interface TaskPage {
  readonly items: readonly TaskBundle[];
  /** Exact number of matching tasks in the same snapshot; null when the way to the page did not tell. */
  readonly count: number | null;
  /** Sequence of the organization's log at which page and count were true. */
  readonly sequence: number;
  /** There may be more than `items` tells: what was asked for has to be gathered. */
  readonly mayFallShort: boolean;
}

/** For the planner, which cannot know how few tasks a page has. */
const MOST_TASKS = LIMITS.pageSize + 1;

/** Connections for pages. */
export interface PageConnections {
  /** Whose plans are made once, whatever the values: making one takes longer than reading a page. */
  readonly prepared: Sql;
  /** Whose plans are made for the values of each statement. */
  readonly planned: Sql;
}

/** The address of a database with the settings of `PageConnections.prepared`. */
export function forPages(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('plan_cache_mode', 'force_generic_plan');
  // Pages are in memory or on disks without heads: else a small table would be read whole for each task of a page.
  url.searchParams.set('random_page_cost', '1.1');
  // One at a time on each connection: else a page waits behind a slow one while another connection is free.
  url.searchParams.set('max_pipeline', '0');
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
  const { sortOrder } = request;
  const { ctes, count, parameters, mayFallShort, isReusable } = planPage(organizationId, request, matching);
  const text = `WITH ${ctes.join(', ')}
    SELECT h.last_sequence, ${count}, b.*
    FROM organization_heads h LEFT JOIN (
      SELECT p.key, found.* FROM (SELECT id, key FROM page LIMIT ${MOST_TASKS}) p
      -- One by one: as a join, a planner without statistics reads all tasks for each one of the page.
      CROSS JOIN LATERAL (
        SELECT ${BUNDLE_COLUMNS} FROM tasks t WHERE t.organization_id = $1::bigint AND t.id = p.id LIMIT 1) found) b ON true
    WHERE h.organization_id = $1::bigint
    ORDER BY b.key ${sortOrder}, b.id ${sortOrder}`;
  const sql = isReusable ? connections.prepared : connections.planned;
  const ask = () => sql.unsafe(text, parameters.values, { prepare: isReusable }).values();
  const rows = await read(ask, LIMITS.readDeadlineMs, 'listing tasks');
  const [first] = rows as unknown as [sequence: number, count: number | null, firstKey: unknown][];
  if (!first) return { items: [], count: 0, sequence: 0, mayFallShort };
  const [sequence, matched, firstKey] = first;
  return { items: firstKey === null ? [] : rows.map(bundleOfRow), count: matched, sequence, mayFallShort };
}

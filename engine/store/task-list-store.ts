import { LIMITS } from '../../schema/limits.ts';
import type { ListTasksQuery } from '../../schema/list-tasks.ts';
import type { TaskBundle } from '../../schema/task.ts';
import { type Fragment, numberArray, type Sql, textArray } from './postgres.ts';
import { read } from './read.ts';
import { BUNDLE_COLUMNS, BUNDLE_JOINS, type BundleRow, bundleOfRow } from './task-rows.ts';

export interface TaskPage {
  readonly items: readonly TaskBundle[];
  /** Exact number of matching tasks, of the same snapshot as the items. */
  readonly count: number;
  /** Sequence of the organization's log at which the page was true. */
  readonly sequence: number;
}

const SORT_COLUMNS = { createdAt: 'created_at', updatedAt: 'updated_at', status: 'status_rank' } as const;

/** Lists run on Postgres: what was acknowledged is there, and one statement is one snapshot. */
export async function listTasks(sql: Sql, organizationId: number, query: ListTasksQuery): Promise<TaskPage> {
  const matching = matchingTasks(sql, organizationId, query);
  const order = sql.unsafe(`${SORT_COLUMNS[query.sortBy]} ${query.sortOrder}, id ${query.sortOrder}`);
  const statement = () => sql<(BundleRow & { pageCount: number; pageSequence: number })[]>`
    WITH page AS MATERIALIZED (
      SELECT t.* FROM tasks t WHERE ${matching}
      ORDER BY ${order} LIMIT ${query.limit} OFFSET ${(query.page - 1) * query.limit})
    SELECT h.last_sequence AS page_sequence, (SELECT count(*) FROM tasks t WHERE ${matching}) AS page_count, b.*
    FROM organization_heads h LEFT JOIN (
      SELECT ${sql.unsafe(BUNDLE_COLUMNS)} FROM page t ${sql.unsafe(BUNDLE_JOINS)}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY ${sql.unsafe(`b.${SORT_COLUMNS[query.sortBy]} ${query.sortOrder}, b.id ${query.sortOrder}`)}`;
  const rows = await read(statement, LIMITS.readDeadlineMs, 'listing tasks');
  const first = rows[0];
  return {
    items: first?.id == null ? [] : rows.map(({ pageCount: _c, pageSequence: _s, ...row }) => bundleOfRow(row)),
    count: first?.pageCount ?? 0,
    sequence: first?.pageSequence ?? 0,
  };
}

function matchingTasks(sql: Sql, organizationId: number, query: ListTasksQuery): Fragment {
  const conditions: Fragment[] = [sql`t.organization_id = ${organizationId}`];
  if (query.status) conditions.push(sql`t.status = ANY(${textArray(query.status)}::text[])`);
  if (query.taskType) conditions.push(sql`t.task_type = ANY(${textArray(query.taskType)}::text[])`);
  if (query.agentId) conditions.push(sql`t.agent_id = ANY(${numberArray(query.agentId)}::bigint[])`);
  if (query.customerId) conditions.push(sql`t.customer_id = ${query.customerId}`);
  if (query.channelId) conditions.push(sql`t.channel_id = ${query.channelId}`);
  if (query.locationId) conditions.push(sql`t.location_id = ${query.locationId}`);
  if (query.timeToServe) conditions.push(sql`t.time_to_serve = ${query.timeToServe}`);
  if (query.scheduledFrom) conditions.push(sql`t.scheduled_at >= ${query.scheduledFrom}::timestamptz`);
  if (query.scheduledTo) conditions.push(sql`t.scheduled_at <= ${query.scheduledTo}::timestamptz`);
  return conditions.reduce((all, condition) => sql`${all} AND ${condition}`);
}

import { LIMITS } from '../../../schema/limits.ts';
import { formatRatingCursor, type ListedRating, type ListRatingsQuery } from '../../../schema/tasks/rating.ts';
import { type Fragment, numberArray, type Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

export interface RatingPage {
  readonly items: ListedRating[];
  /** Exact number of matching ratings, of the same snapshot as the items. */
  readonly count: number;
  readonly nextCursor: string | null;
  /** Sequence of the organization's log at which the page was true. */
  readonly sequence: number;
}

type Row = { readonly sequence: number; readonly count: number } & (ListedRating | { readonly taskId: null });

/** A page of ratings, newest first. `agentIds`: of any of these agents; of all tasks when it is undefined. */
export async function listRatings(
  sql: Sql,
  organizationId: number,
  { page, limit, cursor, from, to }: Omit<ListRatingsQuery, 'agentId'>,
  agentIds: readonly number[] | undefined,
): Promise<RatingPage> {
  const skip = ((page ?? 1) - 1) * limit;
  const rated = sql`t.rated_at IS NOT NULL
    ${from === undefined ? sql`` : sql`AND t.rated_at >= ${from}`} ${to === undefined ? sql`` : sql`AND t.rated_at <= ${to}`}`;
  const behind = cursor ? sql`AND (t.rated_at, t.id) < (${cursor.ratedAt}, ${cursor.taskId})` : sql``;
  const newest = (condition: Fragment, most: number) => sql`
    SELECT t.id, t.agent_id, t.customer_id, t.rating, t.rated_at FROM tasks t
    WHERE t.organization_id = ${organizationId} AND ${rated} ${behind} ${condition}
    ORDER BY t.rated_at DESC, t.id DESC LIMIT ${most}`;
  const ids = numberArray(new Set(agentIds));
  // Only a task that has ended has a rating, so it is settled.
  // Each agent's part of the index is read from its newest end on, and no farther than the page reaches.
  const found = agentIds
    ? sql`SELECT n.* FROM unnest(${ids}::bigint[]) a (id)
        CROSS JOIN LATERAL (${newest(sql`AND t.settled_agent_id = a.id`, skip + limit + 1)}) n`
    : newest(sql``, skip + limit + 1);
  const ofAgents = agentIds ? sql`AND t.settled_agent_id = ANY(${ids}::bigint[])` : sql``;
  const query = () => sql<Row[]>`
    SELECT h.last_sequence AS sequence,
      (SELECT count(*) FROM tasks t WHERE t.organization_id = ${organizationId} AND ${rated} ${ofAgents}) AS count,
      b.id AS task_id, b.agent_id, b.customer_id, (b.rating ->> 'score')::integer AS score,
      b.rating ->> 'comment' AS comment, b.rated_at
    FROM organization_heads h LEFT JOIN (
      SELECT * FROM (${found}) f ORDER BY rated_at DESC, id DESC LIMIT ${limit + 1} OFFSET ${skip}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.rated_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing ratings');
  const items = rows.flatMap((row) => (row.taskId === null ? [] : [row])).slice(0, limit);
  return {
    items,
    count: rows[0]?.count ?? 0,
    nextCursor: rows.length > limit ? formatRatingCursor(items.at(-1)!) : null,
    sequence: rows[0]?.sequence ?? 0,
  };
}

import { LIMITS } from '../../../schema/limits.ts';
import type { ListedRating, ListRatingsQuery } from '../../../schema/tasks/rating.ts';
import { type Listed, type ListPage, listPart, listPlace, pageOf } from '../list-page.ts';
import { type Fragment, numberArray, type Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

const BY_RATING = { column: 'rated_at', type: 'text' } as const;

/** A page of ratings, newest first. `agentIds`: of any of these agents; of all tasks when it is undefined. */
export async function listRatings(
  sql: Sql,
  organizationId: number,
  { part, from, to }: Omit<ListRatingsQuery, 'agentId'>,
  agentIds: readonly number[] | undefined,
): Promise<ListPage<ListedRating>> {
  const rated = sql`t.rated_at IS NOT NULL
    ${from === undefined ? sql`` : sql`AND t.rated_at >= ${from}`} ${to === undefined ? sql`` : sql`AND t.rated_at <= ${to}`}`;
  const reach = { ...part, limit: part.skip + part.limit, skip: 0 };
  const newest = (condition: Fragment) => sql`
    SELECT t.id, t.agent_id, t.customer_id, t.rating, t.rated_at FROM tasks t
    WHERE t.organization_id = ${organizationId} AND ${rated} ${condition} ${listPart(sql, reach, 't', BY_RATING)}`;
  const ids = numberArray(new Set(agentIds));
  // Only a task that has ended has a rating, so it is settled.
  // Each agent's part of the index is read from its newest end on, and no farther than the page reaches.
  const found = agentIds
    ? sql`SELECT n.* FROM unnest(${ids}::bigint[]) a (id)
        CROSS JOIN LATERAL (${newest(sql`AND t.settled_agent_id = a.id`)}) n`
    : newest(sql``);
  const ofAgents = agentIds ? sql`AND t.settled_agent_id = ANY(${ids}::bigint[])` : sql``;
  const query = () => sql<Listed<ListedRating>[]>`
    SELECT h.last_sequence AS sequence,
      (SELECT count(*) FROM tasks t WHERE t.organization_id = ${organizationId} AND ${rated} ${ofAgents}) AS count,
      b.id AS task_id, b.agent_id, b.customer_id, (b.rating ->> 'score')::integer AS score,
      b.rating ->> 'comment' AS comment, b.rated_at, ${sql.unsafe(listPlace(BY_RATING))}
    FROM organization_heads h LEFT JOIN (
      SELECT * FROM (${found}) f WHERE true ${listPart(sql, part, 'f', BY_RATING)}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.rated_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing ratings');
  return pageOf(rows, part, (rating) => rating);
}

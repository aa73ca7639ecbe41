import { onlyAgentOf } from '../../engine/domain/tasks/task-machine.ts';
import { countTrail, readTrail, type TrailPage } from '../../engine/store/positions/trail-store.ts';
import { notFound, refusal } from '../../schema/errors.ts';
import { formatTrailCursor, type TrailQuery, trailPageView, trailQuery } from '../../schema/fleet/trail.ts';
import type { Administration } from '../administration/open-administration.ts';
import { type ApiRoute, apiRoute, may, type Page } from '../route.ts';

/** Where agents were; an agent sees its own trail. Source: docs/contract.md §4. */
export function trailRoutes({ reads, clock }: Pick<Administration, 'reads' | 'clock'>): ApiRoute[] {
  const readRoute: ApiRoute = apiRoute({
    method: 'GET',
    path: '/agents/:id/trail',
    me: true,
    guard: may('locations:read'),
    query: { schema: trailQuery(clock.now), lists: new Set() },
    summary: 'Read where an agent was, at most a point a second, oldest first; by default of the last 24 hours',
    success: { status: 200, data: trailPageView },
    refusals: ['404', '503 OVERLOADED'],
    async handle({ identity: { organizationId, caller }, params, query }) {
      const agentId = params.id;
      const span = query;
      const cursor = span.after;
      const ownId = onlyAgentOf(caller);
      if (ownId !== null && ownId !== agentId) return { refusal: notFound('Agent', agentId) };
      if (cursor && cursor.agentId !== agentId) return { refusal: OTHER_AGENTS_CURSOR };
      const found = await reads.run(organizationId, async (sql) => {
        const page = await readTrail(sql, organizationId, agentId, { ...span, after: cursor?.after });
        if (!page) return undefined;
        const isAll = !cursor && !page.hasMore;
        const count = isAll
          ? page.items.length
          : (cursor?.count ?? (await countTrail(sql, organizationId, agentId, span)));
        return partsOf(agentId, span, page, count);
      });
      return found ? { status: 200, message: 'Trail', ...found } : { refusal: notFound('Agent', agentId) };
    },
  });
  return [readRoute];
}

const OTHER_AGENTS_CURSOR = refusal('VALIDATION_FAILED', undefined, {
  violations: ['cursor must be the nextCursor of a trail of this agent with the same from and to'],
});

function partsOf(agentId: number, { from, to }: TrailQuery, { items, hasMore }: TrailPage, count: number): Page {
  const after = items.at(-1)?.recordedAt;
  const nextCursor = hasMore && after ? formatTrailCursor({ agentId, from, to, after, count }) : null;
  return { data: JSON.stringify({ items, count }), nextCursor };
}

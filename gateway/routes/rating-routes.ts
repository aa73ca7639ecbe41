import { onlyAgentOf } from '../../engine/domain/tasks/task-machine.ts';
import type { Engine } from '../../engine/org/start-engine.ts';
import { listRatings } from '../../engine/store/records/rating-store.ts';
import { encodeListedRating } from '../../engine/views/rating-view.ts';
import { listRatingsQuery, ratingPageView } from '../../schema/tasks/rating.ts';
import { pageAnswer } from '../page-answer.ts';
import type { Reads } from '../reads.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** The ratings of tasks. Source: docs/contract.md §7 "Ratings". */
export function ratingRoutes(engine: Engine, reads: Reads): ApiRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/ratings',
      guard: may('tasks:read'),
      query: { schema: listRatingsQuery, lists: new Set(['agentId']) },
      summary: 'List what customers say of their tasks, newest first; an agent sees the ratings of its own tasks',
      success: { status: 200, data: ratingPageView },
      refusals: [],
      async handle({ identity: { organizationId, caller }, query: { agentId = [], ...query } }) {
        const asked = agentId.length === 0 ? undefined : agentId;
        const own = onlyAgentOf(caller);
        const agentIds = own === null ? asked : [own].filter((id) => asked?.includes(id) ?? true);
        const page = await reads.run(organizationId, (sql) => listRatings(sql, organizationId, query, agentIds));
        return pageAnswer(engine.history, 'Ratings', page, encodeListedRating);
      },
    }),
  ];
}

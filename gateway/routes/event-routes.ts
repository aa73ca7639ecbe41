import type { Engine } from '../../engine/org/start-engine.ts';
import { refusal } from '../../schema/errors.ts';
import { eventPageView } from '../../schema/event-views.ts';
import { formatPosition, listEventsQuery } from '../../schema/events.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** Reads the event log. Source: docs/contract.md §6. */
export function eventRoutes(engine: Engine): ApiRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/events',
      guard: may('events'),
      query: { schema: listEventsQuery, lists: new Set(['types']) },
      summary: 'Read the event log after a sequence',
      success: { status: 200, data: eventPageView },
      refusals: ['410 EVENTS_EXPIRED', '503 OVERLOADED'],
      async handle({ identity, query }) {
        const wanted = query;
        const { events, lastSequence, keptAfter, upTo } = await engine.readLog(identity.organizationId, wanted);
        if (keptAfter > wanted.after) return { refusal: refusal('EVENTS_EXPIRED', undefined, { keptAfter }) };
        // The log was restored: a caller that waits here would miss the events that get these sequences again.
        if (wanted.after > lastSequence) {
          const { keptAfter } = await engine.readLog(identity.organizationId, { after: 0, limit: 1 });
          const message = `The log ends at ${lastSequence}, before this sequence`;
          return { refusal: refusal('EVENTS_EXPIRED', message, { keptAfter }) };
        }
        // Without an item a page is the end.
        if (events.length === 0 && upTo < lastSequence) {
          const message = `No event of these types was found up to ${upTo} of ${lastSequence}; try again, and the search goes on there`;
          return { refusal: refusal('OVERLOADED', message) };
        }
        const items = events.map(({ body }) => body).join(',');
        return {
          status: 200,
          message: 'Events',
          data: `{"items":[${items}],"count":${events.length},"nextAfter":${upTo}}`,
          position: formatPosition(engine.history, lastSequence),
        };
      },
    }),
  ];
}

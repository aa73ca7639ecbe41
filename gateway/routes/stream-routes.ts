import { refusalBody } from '../../engine/views/error-body.ts';
import { notFound, refusal } from '../../schema/errors.ts';
import { type StreamEventsQuery, streamEventsQuery } from '../../schema/events.ts';
import { may, type RawRoute } from '../route.ts';
import type { StreamHub } from '../sse/stream-hub.ts';

/** Live event streams. Source: decisions.md §6 "Streams". */
export function streamRoutes(hub: StreamHub): RawRoute[] {
  return [
    {
      kind: 'raw',
      method: 'GET',
      path: '/realtime/organizations/:organizationId/events',
      place: 'api',
      bare: true,
      guard: may('events'),
      query: { schema: streamEventsQuery, lists: new Set(['types', 'taskIds', 'agentIds']) },
      summary: 'Watch the organization: server-sent events, resumed by Last-Event-ID',
      answers: 'text/event-stream',
      handle({ identity, params, query, replyHeaders }, reply, incoming) {
        const { organizationId } = identity;
        const wanted = query as StreamEventsQuery;
        const refuse = (why: ReturnType<typeof refusal>) => {
          const { status, body } = refusalBody(why);
          const retry = status === 503 ? ([['Retry-After', '1']] as const) : [];
          reply.send(status, [['Content-Type', 'application/json; charset=utf-8'], ...replyHeaders, ...retry], body);
        };
        if (params['organizationId'] !== organizationId)
          return refuse(notFound('Organization', params['organizationId']!));
        if (!hub.hasRoom(organizationId, wanted)) return refuse(refusal('OVERLOADED'));
        const lastEventId = incoming.header('last-event-id') ?? wanted.lastEventId;
        hub.open(identity, reply, { query: wanted, lastEventId, replyHeaders });
      },
    },
  ];
}

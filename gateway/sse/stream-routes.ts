import { refusalBody } from '../../engine/views/parts/error-body.ts';
import { notFound, type Refusal, refusal } from '../../schema/errors.ts';
import { STREAM_EVENTS } from '../../schema/event-views.ts';
import { type StreamEventsQuery, streamEventsQuery, streamTokenView } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import { STREAM_MESSAGES } from '../../schema/stream-views.ts';
import type { Access } from '../guards/open-access.ts';
import type { Header, IncomingRequest, Reply } from '../http/port.ts';
import { type ApiRoute, apiRoute, may, type ParsedRequest, type RawRoute, type Route, rawRoute } from '../route.ts';
import type { Hearer } from './event-filter.ts';
import type { StreamHub } from './stream-hub.ts';

type Tokens = Access['streamTokens'];

/** Live event streams. Source: docs/contract.md §6 "Streams". */
export function streamRoutes(hub: StreamHub, tokens: Tokens): Route[] {
  return [watchOrganization(hub), watchOwn(hub), issueToken(tokens)];
}

const STREAM = {
  method: 'GET',
  place: 'api',
  bare: true,
  query: { schema: streamEventsQuery, lists: new Set(['types', 'taskIds', 'agentIds']) },
  takesStreamToken: true,
  answers: 'text/event-stream',
  messages: new Map([...STREAM_MESSAGES, ...STREAM_EVENTS]),
  refusals: ['404', '429 RATE_LIMITED', '503 OVERLOADED'],
} as const;

function watchOrganization(hub: StreamHub): RawRoute {
  return rawRoute({
    ...STREAM,
    path: '/realtime/organizations/:organizationId/events',
    guard: may('events'),
    summary: 'Watch the organization: server-sent events, resumed by Last-Event-ID',
    handle(request, reply, incoming) {
      const { organizationId } = request.params;
      if (organizationId !== request.identity.organizationId)
        return refuse(request, reply, notFound('Organization', organizationId));
      open(hub, request, reply, incoming, request.query);
    },
  });
}

function watchOwn(hub: StreamHub): RawRoute {
  return rawRoute({
    ...STREAM,
    path: '/realtime/me/events',
    guard: may('events:own'),
    summary:
      'Watch what the caller may read: an agent its own tasks, requests, duty, position and cash, anyone else the organization',
    handle(request, reply, incoming) {
      const { role, caller } = request.identity;
      const { query } = request;
      if (role !== 'agent') return open(hub, request, reply, incoming, query);
      const { agentId } = caller;
      if (agentId === null) return refuse(request, reply, notFound('Agent', 'me'));
      const agentIds = query.agentIds && !query.agentIds.includes(agentId) ? [] : [agentId];
      open(hub, request, reply, incoming, { ...query, agentIds, hearer: { agentId } });
    },
  });
}

function open(
  hub: StreamHub,
  request: ParsedRequest,
  reply: Reply,
  incoming: IncomingRequest,
  query: StreamEventsQuery & Hearer,
): void {
  const { identity, replyHeaders } = request;
  const full = hub.refusalOf(identity);
  if (full) return refuse(request, reply, full);
  const lastEventId = incoming.header('last-event-id') || query.lastEventId;
  hub.open(identity, reply, { query, lastEventId, replyHeaders });
}

function refuse({ replyHeaders }: ParsedRequest, reply: Reply, why: Refusal): void {
  const { status, body } = refusalBody(why);
  const seconds = why.details?.['retryAfterSeconds'] ?? 1;
  const retry: Header[] = status === 429 || status === 503 ? [['Retry-After', `${seconds}`]] : [];
  reply.send(status, [['Content-Type', 'application/json; charset=utf-8'], ...replyHeaders, ...retry], body);
}

function issueToken(tokens: Tokens): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/realtime/token',
    guard: may('events:own'),
    keepsNothing: true,
    summary: 'Get a credential that opens one stream as `?token=`, for browsers; `expiresIn` counts seconds',
    success: { status: 201, data: streamTokenView },
    refusals: ['503 UNAVAILABLE'],
    async handle({ identity: { credentialHash, organizationId, role, sessionId } }) {
      // Those of super admins belong to no organization, whichever they name.
      const session =
        sessionId === null ? null : { organizationId: role === 'super_admin' ? 0 : organizationId, id: sessionId };
      const token = await tokens.issue({ credentialHash, organizationId, session }).catch(() => undefined);
      // The connection's own error event has told why.
      if (token === undefined) return { refusal: refusal('UNAVAILABLE') };
      const data = JSON.stringify({ token, expiresIn: LIMITS.streamTokenMs / 1_000 });
      return { status: 201, message: 'Token made', data };
    },
  });
}

import type { Engine } from '../../engine/org/start-engine.ts';
import { notFound, refusal } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import {
  currentPositionsQuery,
  devicePointsInput,
  heartbeatInput,
  heartbeatView,
  ownPointsInput,
  positionListView,
  type Tally,
  tallyView,
} from '../../schema/fleet/position.ts';
import { readDevicePoints, readOwnPoints } from '../../schema/fleet/read-points.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ApiRoute, apiRoute, may, type RouteAnswer } from '../route.ts';

const NOT_OWNER: RouteAnswer = { refusal: refusal('NOT_OWNER') };

/** The positions of agents. Source: docs/contract.md §4. */
export function locationRoutes(engine: Engine): ApiRoute[] {
  const routes = [takeOwnPoints(engine), takeDevicePoints(engine), hearAgent(engine), listCurrent(engine)];
  return routes.map((route) => onlyAtOwner(engine, route));
}

/** Only the process that owns the organization knows the positions of its agents. */
function onlyAtOwner({ holdsPositionsOf }: Engine, route: ApiRoute): ApiRoute {
  return {
    ...route,
    handle: (request) =>
      holdsPositionsOf(request.identity.organizationId) ? route.handle(request) : Promise.resolve(NOT_OWNER),
  };
}

function takeOwnPoints({ positions }: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/agents/me/locations',
    guard: { kind: 'permission', permission: 'locations:own', mayLag: true },
    keepsNothing: true,
    body: { schema: ownPointsInput, quick: readOwnPoints, maxBytes: LIMITS.bodyBytes },
    summary: "Send the caller's own positions, in any order; answered from memory",
    success: { status: 202, data: tallyView },
    refusals: ['404', '429 RATE_LIMITED'],
    async handle({ identity: { organizationId, caller }, body }) {
      if (caller.agentId === null) return { refusal: notFound('Agent', 'me') };
      const tally = positions.takeOwn(organizationId, caller.agentId, body.points);
      return tally ? taken(tally) : { refusal: refusal('RATE_LIMITED', 'Too many positions; send them later') };
    },
  });
}

function takeDevicePoints({ positions }: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/agents/locations',
    guard: { kind: 'permission', permission: 'locations:write', mayLag: true },
    keepsNothing: true,
    body: { schema: devicePointsInput, quick: readDevicePoints, maxBytes: LIMITS.bodyBytes },
    summary: 'Send positions of many agents, as a trusted device gateway does; those of unknown agents are rejected',
    success: { status: 202, data: tallyView },
    refusals: [],
    async handle({ identity: { organizationId }, body }) {
      return taken(await positions.takeMany(organizationId, body.points));
    },
  });
}

function taken({ accepted, stale, rejected }: Tally): RouteAnswer {
  const data = `{"accepted":${accepted},"stale":${stale},"rejected":${rejected}}`;
  return { status: 202, message: 'Positions taken', data };
}

function hearAgent({ positions }: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/agents/me/heartbeat',
    guard: { kind: 'permission', permission: 'locations:own', mayLag: true },
    keepsNothing: true,
    body: { schema: heartbeatInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Say that the caller is still where it was: its position does not become stale',
    success: { status: 200, data: heartbeatView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, body }) {
      if (caller.agentId === null) return { refusal: notFound('Agent', 'me') };
      const { battery = null } = body;
      const heard = positions.hear(organizationId, caller.agentId, battery);
      return { status: 200, message: 'Heard', data: JSON.stringify(heard) };
    },
  });
}

function listCurrent({ positions, feed, history }: Engine): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/agents/locations/current',
    bare: true,
    guard: may('locations:read'),
    query: { schema: currentPositionsQuery, lists: new Set(['agentIds']) },
    etag: true,
    summary: 'Where agents are now; agents see themselves only',
    success: { status: 200, data: positionListView },
    refusals: [],
    async handle({ identity: { organizationId, caller }, query }) {
      const { bbox, agentIds } = query;
      const own = caller.role === 'agent' ? [caller.agentId ?? 0] : undefined;
      const wanted = own && agentIds ? own.filter((id) => agentIds.includes(id)) : (own ?? agentIds);
      const sequence = await feed.lastSequence(organizationId);
      const { items } = await positions.current(organizationId, { bbox, agentIds: wanted });
      const data = `{"items":[${items.join(',')}],"count":${items.length}}`;
      return { status: 200, message: 'Positions', data, position: formatPosition(history, sequence) };
    },
  });
}

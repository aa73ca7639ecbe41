import type { Route } from '../route.ts';

/**
 * Lists the headers that each route uses. Where a header leads to a refusal, the route's known refusals show that it
 * uses the header. tests/api/openapi/openapi-headers.test.ts asks every route whether that is so.
 */
export function takesIfMatch(route: Route): boolean {
  return mayRefuse(route, '412 PRECONDITION_FAILED');
}

export function takesIdempotencyKey(route: Route): boolean {
  return mayRefuse(route, '422 IDEMPOTENCY_KEY_REUSED');
}

export function showsEtag(route: Route): boolean {
  return route.etag === true;
}

export function takesIfNoneMatch(route: Route): boolean {
  return showsEtag(route) && route.method === 'GET';
}

export function takesRange(route: Route): boolean {
  return route.kind === 'raw' && route.ranges === true;
}

/** Such a stream takes the position in its query too, for browsers. */
export function takesLastEventId({ query }: Route): boolean {
  return query !== undefined && 'lastEventId' in query.schema.entries;
}

/** A super admin uses it to name the organization that the route is about. */
export function takesOrganization({ guard }: Route): boolean {
  return guard.kind === 'caller' || needsOrganization(guard);
}

/** A super admin must use it. */
export function needsOrganization(guard: Route['guard']): boolean {
  return guard.kind === 'permission' && guard.scope !== 'platform';
}

function mayRefuse({ refusals = [] }: Route, refusal: string): boolean {
  return refusals.includes(refusal);
}

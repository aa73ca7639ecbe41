import type { Route } from '../route.ts';

/**
 * Which headers a route goes by. Where a refusal follows from a header, the refusal that the route is known to give says
 * that it takes the header; tests/api/openapi/openapi-headers.test.ts asks every route whether that is so.
 */
export function takesIfMatch(route: Route): boolean {
  return mayRefuse(route, '412 PRECONDITION_FAILED');
}

export function takesIdempotencyKey(route: Route): boolean {
  return mayRefuse(route, '422 IDEMPOTENCY_KEY_REUSED');
}

export function showsEtag(route: Route): boolean {
  return route.kind === 'api' && route.etag === true;
}

export function takesIfNoneMatch(route: Route): boolean {
  return showsEtag(route) && route.method === 'GET';
}

/** Super admins name the organization that the route is about. */
export function takesOrganization({ guard }: Route): boolean {
  return guard.kind === 'permission' && guard.scope !== 'platform';
}

function mayRefuse({ refusals = [] }: Route, refusal: string): boolean {
  return refusals.includes(refusal);
}

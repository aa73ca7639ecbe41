import type { Administration } from '../administration/open-administration.ts';
import type { ApiRoute } from '../route.ts';

export function organizationRoutes(_parts: Administration): ApiRoute[] {
  return [];
}

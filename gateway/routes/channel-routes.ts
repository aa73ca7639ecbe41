import type { Administration } from '../administration/open-administration.ts';
import type { ApiRoute } from '../route.ts';

export function channelRoutes(_parts: Administration): ApiRoute[] {
  return [];
}

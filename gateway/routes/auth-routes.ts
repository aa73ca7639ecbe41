import type { Accounts } from '../accounts/open-accounts.ts';
import type { ApiRoute } from '../route.ts';

export function authRoutes(_parts: Accounts): ApiRoute[] {
  return [];
}

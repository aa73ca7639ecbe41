import type { Access, AccessOptions } from '../guards/open-access.ts';

/** Signing in, and what goes with it. */
export type Accounts = Record<string, never>;

export function openAccounts(_options: AccessOptions, _access: Access): Accounts {
  return {};
}

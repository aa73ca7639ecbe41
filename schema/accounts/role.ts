import { named } from '../fields/named.ts';

/** Roles of users (docs/contract.md §2); a channel acts in that of its user. */
export const ROLES = named('Role', ['integration', 'dispatcher', 'org_admin', 'agent', 'super_admin'] as const);
export type Role = (typeof ROLES)[number];

/** `system` is the engine itself: timers, assignment, providers. */
export const CALLER_ROLES = [...ROLES, 'system'] as const;
export type CallerRole = (typeof CALLER_ROLES)[number];

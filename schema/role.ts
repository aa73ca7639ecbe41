/** Roles of decisions.md §2. `system` is the engine itself: timers, assignment, providers. */
export const CALLER_ROLES = ['integration', 'dispatcher', 'org_admin', 'agent', 'super_admin', 'system'] as const;
export type CallerRole = (typeof CALLER_ROLES)[number];

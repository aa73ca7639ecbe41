import type { Role } from './role.ts';

/** `own`: records of the caller's own only, others are 404 to it. */
type Grant = 'all' | 'own';
/** A super admin may do everything, so that it has no column. */
type Row = Readonly<Partial<Record<Exclude<Role, 'super_admin'>, Grant>>>;

const STAFF: Row = { integration: 'all', dispatcher: 'all', org_admin: 'all' };

/** The table of docs/contract.md §2: a row for each kind of route. */
export const PERMISSIONS = {
  'tasks:create': STAFF,
  'tasks:read': { ...STAFF, agent: 'own' },
  'tasks:change': STAFF,
  /** Statuses of tasks and of packages. */
  'tasks:step': { ...STAFF, agent: 'own' },
  'tasks:assign': STAFF,
  /** The exceptions of a day: to amend an open task, to give it to another agent, and to attempt a failed one again. */
  'tasks:exceptions': { dispatcher: 'all', org_admin: 'all' },
  /** Assignment requests; a dispatcher answers for an agent. */
  'requests:read': { ...STAFF, agent: 'own' },
  'requests:answer': { dispatcher: 'all', org_admin: 'all', agent: 'own' },
  'agents:read': { ...STAFF, agent: 'own' },
  'agents:change': { dispatcher: 'all', org_admin: 'all' },
  'agents:duty': { dispatcher: 'all', org_admin: 'all', agent: 'own' },
  /** Where agents are and were. */
  'locations:read': { ...STAFF, agent: 'own' },
  /** The positions of many agents, for a device gateway whose channel has the flag as well. */
  'locations:write': { integration: 'all' },
  'locations:own': { agent: 'own' },
  customers: STAFF,
  warehouses: STAFF,
  events: STAFF,
  /** The stream of what the caller may read, and the one-use tokens that open streams. */
  'events:own': { ...STAFF, agent: 'own' },
  /** The webhooks that a channel's key made; every webhook for an administrator. */
  webhooks: { integration: 'own', org_admin: 'all' },
  /** How webhooks fare: their state, and the log of their deliveries. */
  'webhooks:read': { integration: 'own', dispatcher: 'all', org_admin: 'all' },
  /** The notices to couriers and customers, and the settings for them: to read. */
  notifications: STAFF,
  'payments:read': STAFF,
  /** Online and from wallets. */
  'payments:make': STAFF,
  /** Agents take cash for their own tasks. */
  'payments:cash': { ...STAFF, agent: 'own' },
  'payments:refund': { dispatcher: 'all', org_admin: 'all' },
  'wallets:top-up': { dispatcher: 'all', org_admin: 'all' },
  /** The cash that agents have collected. */
  'agents:cash': { ...STAFF, agent: 'own' },
  users: { org_admin: 'all' },
  channels: { org_admin: 'all' },
  /** The caller's own organization; an agent reads its name, currency and time zone alone. */
  'organization:read': { ...STAFF, agent: 'own' },
  /** The same: to change, with its settings. */
  organization: { org_admin: 'all' },
  audit: { org_admin: 'all' },
  /** All organizations: super admins alone. */
  organizations: {},
} as const satisfies Record<string, Row>;

export type Permission = keyof typeof PERMISSIONS;

/** A caller, as far as its permissions go. */
export interface Permitted {
  readonly role: Role;
  /** Whether the channel may stream positions: a key does so only where an administrator has said so. */
  readonly locationsWrite: boolean;
}

/** The permissions that a caller has, in the order of the table. */
export function permissionsOf(caller: Permitted): Permission[] {
  return (Object.keys(PERMISSIONS) as Permission[]).filter((permission) => holds(caller, permission));
}

export function holds({ role, locationsWrite }: Permitted, permission: Permission): boolean {
  const lacksFlag = permission === 'locations:write' && role !== 'super_admin' && !locationsWrite;
  return isPermitted(role, permission) && !lacksFlag;
}

export function isPermitted(role: Role, permission: Permission): boolean {
  return role === 'super_admin' || (PERMISSIONS[permission] as Row)[role] !== undefined;
}

/** Whether the role may do it to records of its own only. */
export function isLimitedToOwn(role: Role, permission: Permission): boolean {
  return (PERMISSIONS[permission] as Row)[role as keyof Row] === 'own';
}

import type { Role } from '../../../schema/accounts/role.ts';

/** The kind of record that an `:id` in a path, or a field that ends in `Id`, names. */
export type RecordKind =
  | 'task'
  | 'package'
  | 'customer'
  | 'location'
  | 'warehouse'
  | 'agent'
  | 'request'
  | 'payment'
  | 'user'
  | 'channel'
  | 'webhook'
  | 'delivery'
  | 'organization';

export interface ExpectedGuard {
  /**
   * `operational`: any client, over plain HTTP too. `public`: any client. `session`: any signed-in user. Otherwise
   * these roles, with a channel's key or a session of their own.
   */
  readonly who: 'operational' | 'public' | 'session' | readonly Role[];
  /** Not about one organization: super admins need not name one. */
  readonly isPlatform?: true;
  /** Not for requests that a proxy passes on. */
  readonly isDirect?: true;
  /** The kind of record that the id in the path names. */
  readonly names?: RecordKind;
}

const SUPER_ADMINS = ['super_admin'] as const;
const ADMINS = ['org_admin', 'super_admin'] as const;
const ADMINS_AND_CHANNELS = ['integration', 'org_admin', 'super_admin'] as const;
const AGENTS = ['agent', 'super_admin'] as const;
const STAFF = ['integration', 'dispatcher', 'org_admin', 'super_admin'] as const;
const DISPATCHERS = ['dispatcher', 'org_admin', 'super_admin'] as const;
const DISPATCHERS_AND_AGENTS = ['dispatcher', 'org_admin', 'agent', 'super_admin'] as const;
const STAFF_AND_AGENTS = ['integration', 'dispatcher', 'org_admin', 'agent', 'super_admin'] as const;

/**
 * The roles that may call each route, typed by hand from docs/contract.md §2 and not derived from the table that the
 * guards read. A route that is missing here fails the walk.
 */
export const EXPECTED: Readonly<Record<string, ExpectedGuard>> = {
  'GET /healthz': { who: 'operational' },
  'GET /readyz': { who: 'operational' },
  'GET /metrics': { who: 'operational', isDirect: true },
  'GET /openapi.json': { who: 'operational' },
  'GET /asyncapi.json': { who: 'operational' },
  'GET /client.tgz': { who: 'operational' },
  'GET /console': { who: 'public' },
  'GET /console/': { who: 'public' },
  'GET /console/:view': { who: 'public' },
  'GET /console/:view/': { who: 'public' },
  'GET /console/:view/:record': { who: 'public' },
  'GET /console/assets/:file': { who: 'public' },
  'GET /console/map.pmtiles': { who: 'public' },
  'GET /': { who: 'public' },
  'GET /favicon.ico': { who: 'public' },
  'GET /docs': { who: 'public' },
  'GET /docs/:page': { who: 'public' },
  'GET /docs/:folder/:page': { who: 'public' },

  'POST /auth/login': { who: 'public' },
  'POST /auth/refresh': { who: 'public' },
  'POST /auth/logout': { who: 'session' },
  'GET /auth/me': { who: STAFF_AND_AGENTS, isPlatform: true },
  'POST /auth/verify-email': { who: 'public' },
  'POST /auth/resend-verification': { who: 'public' },
  'POST /auth/password-reset/request': { who: 'public' },
  'POST /auth/password-reset/complete': { who: 'public' },

  'POST /tasks': { who: STAFF },
  'POST /tasks/batch': { who: STAFF },
  'POST /tasks/actions': { who: STAFF },
  'POST /tasks/:id/amend': { who: DISPATCHERS, names: 'task' },
  'POST /tasks/:id/reassign': { who: DISPATCHERS, names: 'task' },
  'POST /tasks/:id/reattempt': { who: DISPATCHERS, names: 'task' },
  'GET /tasks': { who: STAFF_AND_AGENTS },
  'GET /tasks/export': { who: STAFF_AND_AGENTS },
  'GET /tasks/:id': { who: STAFF_AND_AGENTS, names: 'task' },
  'PATCH /tasks/:id': { who: STAFF, names: 'task' },
  'PUT /tasks/:id/status': { who: STAFF_AND_AGENTS, names: 'task' },
  'POST /tasks/:id/picked-up': { who: STAFF_AND_AGENTS, names: 'task' },
  'POST /tasks/:id/scans': { who: STAFF_AND_AGENTS, names: 'task' },
  'GET /tasks/:id/history': { who: STAFF_AND_AGENTS, names: 'task' },
  'POST /tasks/:id/packages': { who: STAFF, names: 'task' },
  'GET /tasks/:id/packages': { who: STAFF_AND_AGENTS, names: 'task' },
  'GET /packages': { who: STAFF_AND_AGENTS },
  'GET /ratings': { who: STAFF_AND_AGENTS },
  'PATCH /packages/:id': { who: STAFF_AND_AGENTS, names: 'package' },
  'POST /tasks/:id/proof': { who: STAFF_AND_AGENTS, names: 'task' },
  'GET /tasks/:id/proof': { who: STAFF_AND_AGENTS, names: 'task' },
  'GET /tasks/:id/proof/:proofId': { who: STAFF_AND_AGENTS, names: 'task' },
  'GET /tasks/:id/print/receipt': { who: STAFF_AND_AGENTS, names: 'task' },
  'GET /tasks/print/receipts': { who: STAFF_AND_AGENTS },

  'POST /agents/me/locations': { who: AGENTS },
  'POST /agents/me/heartbeat': { who: AGENTS },
  'POST /agents/locations': { who: ['integration', 'super_admin'] },
  'GET /agents/locations/current': { who: STAFF_AND_AGENTS },
  'GET /agents/:id/trail': { who: STAFF_AND_AGENTS, names: 'agent' },

  'POST /tasks/:id/assign': { who: STAFF, names: 'task' },
  'POST /tasks/:id/unassign': { who: STAFF, names: 'task' },
  'POST /tasks/:id/auto-assign': { who: STAFF, names: 'task' },
  'POST /dispatch/preview': { who: STAFF },
  'GET /assignment-requests': { who: STAFF_AND_AGENTS },
  'GET /assignment-requests/:id': { who: STAFF_AND_AGENTS, names: 'request' },
  'POST /assignment-requests/:id/accept': { who: DISPATCHERS_AND_AGENTS, names: 'request' },
  'POST /assignment-requests/:id/reject': { who: DISPATCHERS_AND_AGENTS, names: 'request' },

  'POST /agents': { who: DISPATCHERS },
  'GET /agents': { who: STAFF_AND_AGENTS },
  'GET /agents/:id': { who: STAFF_AND_AGENTS, names: 'agent' },
  'PATCH /agents/:id': { who: DISPATCHERS, names: 'agent' },
  'PUT /agents/:id/duty': { who: DISPATCHERS_AND_AGENTS, names: 'agent' },
  'PUT /agents/:id/shifts': { who: DISPATCHERS, names: 'agent' },
  'GET /agents/:id/shifts': { who: STAFF_AND_AGENTS, names: 'agent' },
  'GET /agents/:id/tasks': { who: STAFF_AND_AGENTS, names: 'agent' },
  'GET /agents/:id/schedule': { who: STAFF_AND_AGENTS, names: 'agent' },

  'POST /payments/initialize': { who: STAFF },
  'POST /payments/cash': { who: STAFF_AND_AGENTS },
  'POST /payments/wallet': { who: STAFF },
  'GET /payments': { who: STAFF },
  'GET /payments/:id': { who: STAFF, names: 'payment' },
  'POST /payments/:id/refund': { who: DISPATCHERS, names: 'payment' },
  'GET /payments/:id/audit-logs': { who: STAFF, names: 'payment' },
  'POST /payments/callbacks/stripe': { who: 'public' },
  'POST /payments/callbacks/test': { who: 'public' },
  'GET /payments/checkout/:link': { who: 'public' },
  'GET /payments/test-provider/checkout/:session': { who: 'public' },
  'POST /payments/test-provider/checkout/:session': { who: 'public' },
  'GET /tracking/tasks': { who: 'public' },
  'GET /tracking/tasks/:id': { who: 'public' },
  'GET /tracking/tasks/:id/location': { who: 'public' },
  'POST /tracking/tasks/:id/rating': { who: 'public' },
  'GET /t/:token': { who: 'public' },
  'GET /account/verify': { who: 'public' },
  'POST /account/verify': { who: 'public' },
  'GET /account/reset': { who: 'public' },
  'POST /account/reset': { who: 'public' },
  'GET /account/welcome': { who: 'public' },
  'POST /account/welcome': { who: 'public' },
  'GET /t/:token/events': { who: 'public' },
  'POST /t/:token/rating': { who: 'public' },
  'GET /wallets/:customerId': { who: STAFF, names: 'customer' },
  'GET /wallets/:customerId/statement': { who: STAFF, names: 'customer' },
  'POST /wallets/:customerId/top-ups': { who: DISPATCHERS, names: 'customer' },
  'GET /agents/:id/cash': { who: STAFF_AND_AGENTS, names: 'agent' },

  'POST /customers': { who: STAFF },
  'GET /customers': { who: STAFF },
  'GET /customers/:id': { who: STAFF, names: 'customer' },
  'PATCH /customers/:id': { who: STAFF, names: 'customer' },
  'POST /warehouses': { who: STAFF },
  'GET /warehouses': { who: STAFF },
  'GET /warehouses/:id': { who: STAFF, names: 'warehouse' },
  'PATCH /warehouses/:id': { who: STAFF, names: 'warehouse' },

  'GET /events': { who: STAFF },
  'GET /realtime/organizations/:organizationId/events': { who: STAFF, names: 'organization' },
  'GET /realtime/me/events': { who: STAFF_AND_AGENTS },
  'POST /realtime/token': { who: STAFF_AND_AGENTS },

  'POST /webhooks': { who: ADMINS_AND_CHANNELS },
  'GET /webhooks': { who: STAFF },
  'GET /webhooks/:id': { who: STAFF, names: 'webhook' },
  'PATCH /webhooks/:id': { who: ADMINS_AND_CHANNELS, names: 'webhook' },
  'DELETE /webhooks/:id': { who: ADMINS_AND_CHANNELS, names: 'webhook' },
  'POST /webhooks/:id/rotate-secret': { who: ADMINS_AND_CHANNELS, names: 'webhook' },
  'POST /webhooks/:id/test': { who: ADMINS_AND_CHANNELS, names: 'webhook' },
  'POST /webhooks/:id/replay': { who: ADMINS_AND_CHANNELS, names: 'webhook' },
  'GET /webhooks/:id/deliveries': { who: STAFF, names: 'webhook' },
  'GET /webhooks/deliveries/:id': { who: STAFF, names: 'delivery' },
  'POST /webhooks/deliveries/:id/redeliver': { who: ADMINS_AND_CHANNELS, names: 'delivery' },

  'POST /notifications/push-token': { who: 'session' },
  'DELETE /notifications/push-token/:deviceId': { who: 'session' },
  'GET /notifications/web-push-key': { who: 'session' },
  'GET /notifications/settings': { who: STAFF },
  'PUT /notifications/settings': { who: ADMINS },
  'GET /notifications': { who: STAFF },

  'POST /users': { who: ADMINS },
  'GET /users': { who: ADMINS },
  'GET /users/:id': { who: ADMINS, names: 'user' },
  'PATCH /users/:id': { who: ADMINS, names: 'user' },
  'POST /users/:id/invitation': { who: ADMINS, names: 'user' },
  'POST /channels': { who: ADMINS },
  'GET /channels': { who: ADMINS },
  'GET /channels/:id': { who: ADMINS, names: 'channel' },
  'PATCH /channels/:id': { who: ADMINS, names: 'channel' },
  'POST /channels/:id/regenerate-key': { who: ADMINS, names: 'channel' },
  'GET /audit-logs': { who: ADMINS },

  'POST /organizations': { who: SUPER_ADMINS, isPlatform: true },
  'GET /organizations': { who: SUPER_ADMINS, isPlatform: true },
  'GET /organizations/:id': { who: STAFF_AND_AGENTS, isPlatform: true, names: 'organization' },
  'PATCH /organizations/:id': { who: ADMINS, isPlatform: true, names: 'organization' },
  'DELETE /organizations/:id/hard': { who: SUPER_ADMINS, isPlatform: true, names: 'organization' },
};

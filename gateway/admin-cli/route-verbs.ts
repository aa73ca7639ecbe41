import { AUDITED_TYPES } from '../../schema/accounts/audit.ts';
import { ID, ORGANIZATION, PASSWORD, PASSWORD_STDIN, type Parameter, type RouteVerb } from './verb.ts';

const PAGE: readonly Parameter[] = [
  { name: 'page', kind: 'number', help: 'from 1' },
  { name: 'limit', kind: 'number', help: 'how many on a page, at most 100' },
];
const NAME: Parameter = { name: 'name', kind: 'text', help: 'what it is called' };
const named = { ...NAME, isRequired: true } as const;

const STATUS: Parameter = { name: 'status', kind: 'text', help: 'active, pending, inactive or rejected' };
const ORGANIZATION_FIELDS: readonly Parameter[] = [
  STATUS,
  { name: 'currency', kind: 'text', help: 'ISO 4217, three letters' },
  { name: 'limits', kind: 'json', help: `JSON, such as '{"tasks": 1000, "agents": null}'; null is unlimited` },
  { name: 'settings', kind: 'json', help: `JSON, such as '{"timeZone": "Europe/Berlin"}'; what is not named stays` },
];
const ORGANIZATION_COLUMNS = ['id', 'name', 'status', 'currency', 'limits.tasks', 'createdAt'];

const organizations: readonly RouteVerb[] = [
  {
    noun: 'organizations',
    verb: 'list',
    summary: 'list organizations',
    route: 'GET /organizations',
    isInOrganization: false,
    parameters: [...PAGE, STATUS, { name: 'search', kind: 'text', help: 'part of a name' }],
    columns: ORGANIZATION_COLUMNS,
  },
  {
    noun: 'organizations',
    verb: 'show',
    summary: 'show an organization',
    route: 'GET /organizations/:id',
    isInOrganization: false,
    parameters: [ID],
  },
  {
    noun: 'organizations',
    verb: 'create',
    summary: 'make an organization',
    route: 'POST /organizations',
    isInOrganization: false,
    parameters: [named, ...ORGANIZATION_FIELDS],
  },
  {
    noun: 'organizations',
    verb: 'update',
    summary: 'change an organization, its status and limits included',
    route: 'PATCH /organizations/:id',
    isInOrganization: false,
    parameters: [ID, NAME, ...ORGANIZATION_FIELDS],
  },
  {
    noun: 'organizations',
    verb: 'delete',
    summary: 'delete an organization with everything it has; nothing brings it back',
    route: 'DELETE /organizations/:id/hard',
    isInOrganization: false,
    parameters: [ID, { name: 'confirm', kind: 'text', isRequired: true, help: 'the name of the organization' }],
  },
];

const CHANNEL_FIELDS: readonly Parameter[] = [
  { name: 'rate-limit', kind: 'number', orNull: true, help: 'requests a second; 0 is unlimited, null the default' },
  { name: 'locations-write', kind: 'boolean', help: 'whether its key may stream positions: true or false' },
];

const channels: readonly RouteVerb[] = [
  {
    noun: 'channels',
    verb: 'list',
    summary: 'list the channels of an organization',
    route: 'GET /channels',
    isInOrganization: true,
    parameters: PAGE,
    columns: ['id', 'name', 'status', 'userId', 'rateLimit', 'locationsWrite', 'isBuiltIn', 'createdAt'],
  },
  {
    noun: 'channels',
    verb: 'show',
    summary: 'show a channel',
    route: 'GET /channels/:id',
    isInOrganization: true,
    parameters: [ID],
  },
  {
    noun: 'channels',
    verb: 'create',
    summary: 'make a channel; its key is shown this once',
    route: 'POST /channels',
    isInOrganization: true,
    parameters: [
      named,
      { name: 'user', field: 'userId', kind: 'number', help: 'whose account the key acts as; else a new one' },
      ...CHANNEL_FIELDS,
    ],
  },
  {
    noun: 'channels',
    verb: 'update',
    summary: 'change a channel',
    route: 'PATCH /channels/:id',
    isInOrganization: true,
    parameters: [ID, NAME, { name: 'status', kind: 'text', help: 'ACTIVE, INACTIVE or SUSPENDED' }, ...CHANNEL_FIELDS],
  },
  {
    noun: 'channels',
    verb: 'regenerate-key',
    summary: 'make a new key; the old one fails at once',
    route: 'POST /channels/:id/regenerate-key',
    isInOrganization: true,
    parameters: [ID],
  },
];

const webhooks: readonly RouteVerb[] = [
  {
    noun: 'webhooks',
    verb: 'list',
    summary: 'list the webhooks of an organization',
    route: 'GET /webhooks',
    isInOrganization: true,
    parameters: [...PAGE, { name: 'status', kind: 'text', help: 'active, inactive or disabled' }],
    columns: ['id', 'url', 'events', 'channelId', 'status', 'disabledReason', 'failingSince'],
  },
  {
    noun: 'webhooks',
    verb: 'show',
    summary: 'show a webhook',
    route: 'GET /webhooks/:id',
    isInOrganization: true,
    parameters: [ID],
  },
  {
    noun: 'webhooks',
    verb: 'update',
    summary: 'change a webhook; `--active true` switches on what was disabled',
    route: 'PATCH /webhooks/:id',
    isInOrganization: true,
    parameters: [
      ID,
      { name: 'active', field: 'isActive', kind: 'boolean', help: 'true or false' },
      { name: 'url', kind: 'text', help: 'where events are sent' },
      { name: 'description', kind: 'text', help: 'what it is for' },
      { name: 'concurrency', kind: 'number', help: 'first attempts under way at a time; with 1 they arrive in order' },
    ],
  },
  {
    noun: 'webhooks',
    verb: 'test',
    summary: 'send a webhook.test event',
    route: 'POST /webhooks/:id/test',
    isInOrganization: true,
    parameters: [ID],
  },
  {
    noun: 'webhooks',
    verb: 'deliveries',
    summary: 'what was sent to a webhook, newest first',
    route: 'GET /webhooks/:id/deliveries',
    isInOrganization: true,
    parameters: [
      ID,
      { name: 'state', kind: 'text', help: 'pending, succeeded or failed' },
      { name: 'type', kind: 'text', help: 'of events, such as task.created' },
      { name: 'limit', kind: 'number', help: 'how many, at most 100' },
      { name: 'cursor', kind: 'text', help: 'nextCursor of the page before, which --json shows' },
    ],
    columns: ['id', 'createdAt', 'type', 'sequence', 'state', 'attempt', 'nextAttemptAt'],
  },
  {
    noun: 'webhooks',
    verb: 'redeliver',
    summary: 'attempt a delivery, whose id it takes, once more',
    route: 'POST /webhooks/deliveries/:id/redeliver',
    isInOrganization: true,
    parameters: [ID],
  },
  {
    noun: 'webhooks',
    verb: 'replay',
    summary: 'send the events of a stretch of time again',
    route: 'POST /webhooks/:id/replay',
    isInOrganization: true,
    parameters: [
      ID,
      { name: 'from', kind: 'text', isRequired: true, help: 'ISO 8601, with a zone' },
      { name: 'to', kind: 'text', help: 'ISO 8601, with a zone; else all there is' },
    ],
  },
];

const ROLE_HELP = 'integration, dispatcher or org_admin';

const users: readonly RouteVerb[] = [
  {
    noun: 'users',
    verb: 'list',
    summary: 'list the users of an organization',
    route: 'GET /users',
    isInOrganization: true,
    parameters: PAGE,
    columns: ['id', 'email', 'firstName', 'lastName', 'role', 'isActive', 'emailVerifiedAt'],
  },
  {
    noun: 'users',
    verb: 'show',
    summary: 'show a user',
    route: 'GET /users/:id',
    isInOrganization: true,
    parameters: [ID],
  },
  {
    noun: 'users',
    verb: 'create',
    summary: 'make a user, who gets a mail: to prove the address, or to set a password',
    route: 'POST /users',
    isInOrganization: true,
    parameters: [
      { name: 'email', kind: 'text', isRequired: true, help: 'the address to sign in with' },
      { ...NAME, isRequired: true, help: 'first name and last name' },
      { name: 'role', kind: 'text', isRequired: true, help: ROLE_HELP },
      { ...PASSWORD, help: `else the user gets a mail to set one with; ${PASSWORD.help}` },
      PASSWORD_STDIN,
    ],
  },
  {
    noun: 'users',
    verb: 'update',
    summary: 'change a user; with `--active false` lock one out who has no address',
    route: 'PATCH /users/:id',
    isInOrganization: true,
    parameters: [
      ID,
      NAME,
      { name: 'role', kind: 'text', help: ROLE_HELP },
      { name: 'active', field: 'isActive', kind: 'boolean', help: 'true or false' },
    ],
  },
];

const JSON_VEHICLE = `JSON, such as '{"type": "van", "maxWeightKg": 900}'`;
const AGENT_FIELDS: readonly Parameter[] = [
  { name: 'vehicle', kind: 'json', help: JSON_VEHICLE },
  { name: 'home', kind: 'json', help: `JSON, such as '{"latitude": 53.55, "longitude": 9.99}'` },
];

const agents: readonly RouteVerb[] = [
  {
    noun: 'agents',
    verb: 'list',
    summary: 'list the agents of an organization',
    route: 'GET /agents',
    isInOrganization: true,
    parameters: [
      ...PAGE,
      { name: 'on-duty', kind: 'boolean', help: 'true or false' },
      { name: 'active', field: 'isActive', kind: 'boolean', help: 'true or false' },
      { name: 'search', kind: 'text', help: 'part of a name, of an address or of a phone number' },
    ],
    columns: ['id', 'user.email', 'user.firstName', 'user.lastName', 'agentType', 'isActive', 'onDuty', 'vehicle.type'],
  },
  {
    noun: 'agents',
    verb: 'show',
    summary: 'show an agent',
    route: 'GET /agents/:id',
    isInOrganization: true,
    parameters: [ID],
  },
  {
    noun: 'agents',
    verb: 'create',
    summary: 'make an agent with the user it signs in as',
    route: 'POST /agents',
    isInOrganization: true,
    parameters: [
      { ...NAME, isRequired: true, help: 'first name and last name' },
      { name: 'email', kind: 'text', isRequired: true, help: 'the address to sign in with' },
      { name: 'phone', kind: 'text', isRequired: true, help: 'with its country code' },
      { name: 'type', field: 'agentType', kind: 'text', isRequired: true, help: 'employee or freelancer' },
      { ...PASSWORD, help: `else the agent gets a mail to set one with; ${PASSWORD.help}` },
      PASSWORD_STDIN,
      ...AGENT_FIELDS,
    ],
  },
  {
    noun: 'agents',
    verb: 'update',
    summary: 'change an agent; with `--active false` its sessions end',
    route: 'PATCH /agents/:id',
    isInOrganization: true,
    parameters: [
      ID,
      NAME,
      { name: 'phone', kind: 'text', help: 'with its country code' },
      { name: 'type', field: 'agentType', kind: 'text', help: 'employee or freelancer' },
      { name: 'active', field: 'isActive', kind: 'boolean', help: 'true or false' },
      ...AGENT_FIELDS,
    ],
  },
  {
    noun: 'agents',
    verb: 'duty',
    summary: 'put an agent on or off duty',
    route: 'PUT /agents/:id/duty',
    isInOrganization: true,
    parameters: [ID, { name: 'on-duty', kind: 'boolean', isRequired: true, help: 'true or false' }],
  },
];

const anyOf = (words: readonly string[]) => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** The options of an audit log, and the shown fields of its lines. */
export const AUDIT_LIST = {
  parameters: [
    { name: 'record-type', kind: 'text', help: anyOf(AUDITED_TYPES) },
    { name: 'record-id', kind: 'number', help: 'the id of the record' },
    { name: 'user', field: 'userId', kind: 'number', help: 'who did it, in a session or through a key' },
    { name: 'from', kind: 'text', help: 'ISO 8601, with a zone' },
    { name: 'to', kind: 'text', help: 'ISO 8601, with a zone' },
    ...PAGE,
  ],
  columns: ['at', 'action', 'record.type', 'record.id', 'actor.type', 'actor.userId', 'address', 'correlationId'],
} as const satisfies Pick<RouteVerb, 'parameters' | 'columns'>;

const audit: readonly RouteVerb[] = [
  {
    noun: 'audit',
    verb: 'list',
    summary: 'who changed what in an organization, newest first',
    route: 'GET /audit-logs',
    isInOrganization: true,
    ...AUDIT_LIST,
  },
];

const payments: readonly RouteVerb[] = [
  {
    noun: 'payments',
    verb: 'list',
    summary: 'list the payments of an organization, newest first',
    route: 'GET /payments',
    isInOrganization: true,
    parameters: [
      ...PAGE,
      { name: 'status', kind: 'text', help: 'pending, succeeded, failed or refunded; several by commas' },
      { name: 'method', kind: 'text', help: 'online, cash or wallet; several by commas' },
      { name: 'task', field: 'taskId', kind: 'number', help: 'of this task' },
      { name: 'customer', field: 'customerId', kind: 'number', help: 'of this customer' },
      { name: 'agent', field: 'agentId', kind: 'number', help: 'whose cash this agent took' },
    ],
    columns: ['id', 'taskId', 'method', 'status', 'amount', 'currency', 'refund.status', 'failureReason', 'createdAt'],
  },
  {
    noun: 'payments',
    verb: 'show',
    summary: 'show a payment',
    route: 'GET /payments/:id',
    isInOrganization: true,
    parameters: [ID],
  },
  {
    noun: 'payments',
    verb: 'audit',
    summary: 'who changed what of a payment',
    route: 'GET /payments/:id/audit-logs',
    isInOrganization: true,
    parameters: [ID, ...PAGE],
    columns: AUDIT_LIST.columns,
  },
  {
    noun: 'payments',
    verb: 'refund',
    summary: 'give all of a payment back',
    route: 'POST /payments/:id/refund',
    isInOrganization: true,
    parameters: [ID, { name: 'reason', kind: 'text', isRequired: true, help: 'why' }],
  },
];

/** The routes that the commands call; a test compares them with the route table. */
export const ROUTE_VERBS: readonly RouteVerb[] = [
  ...organizations,
  ...channels,
  ...webhooks,
  ...users,
  ...agents,
  ...payments,
  ...audit,
].map((verb) => (verb.isInOrganization ? { ...verb, parameters: [ORGANIZATION, ...verb.parameters] } : verb));

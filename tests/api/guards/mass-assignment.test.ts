import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../../../gateway/route.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiReply, taskInput } from '../../support/api-client.ts';
import {
  type SeededChannel,
  seedChannel,
  seedOrganization,
  seedSession,
  seedUser,
  withSql,
} from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { askAgents } from '../assignment/offer-place.ts';
import { fieldsOf, nameOf, ROUTES } from './route-table.ts';

/**
 * A body that says more than its caller may decide makes what the same body makes without it: every route with a body is
 * asked twice, and the two records are compared.
 */

const MARK = 999_000_111;
const LONG_AGO = '2001-02-03T04:05:06.000Z';

/** Fields of a record that no sender may set. */
const NOT_THEIRS = {
  id: MARK,
  userId: MARK,
  agentId: MARK,
  courierId: MARK,
  taskId: MARK,
  locationId: MARK,
  paymentId: MARK,
  previousTaskId: MARK,
  nextTaskId: MARK,
  attempt: MARK,
  providerReference: `${MARK}`,
  checkoutPage: `${MARK}`,
  refund: { status: 'succeeded', attempt: MARK },
  channelId: MARK,
  version: MARK,
  sequence: MARK,
  status: 'active',
  role: 'super_admin',
  isActive: false,
  isBuiltIn: true,
  builtIn: true,
  limits: { tasks: MARK },
  rateLimit: 0,
  locationsWrite: true,
  outcome: 'failed',
  isDelayed: true,
  trackingToken: `${MARK}`,
  trackingUrl: `/t/${MARK}`,
  autoAssignmentStatus: 'assigned',
  email: `u${MARK}@test.example`,
  rating: { score: MARK, comment: null, at: LONG_AGO },
  ratedAt: LONG_AGO,
  cancelledAt: LONG_AGO,
  passwordHash: `${MARK}`,
  apiKey: `dk_live_${MARK}`,
  keyHash: `${MARK}`,
  emailVerifiedAt: LONG_AGO,
  createdAt: LONG_AGO,
  updatedAt: LONG_AGO,
  completedAt: LONG_AGO,
  etaAt: LONG_AGO,
  arrivedAt: LONG_AGO,
  pickupEtaAt: LONG_AGO,
  pickupArrivedAt: LONG_AGO,
  pickedUpAt: LONG_AGO,
};

interface Place {
  readonly taskId: number;
  /** A task whose customer can pay. */
  readonly fundedTaskId: number;
  readonly packageId: number;
  readonly agentId: number;
  readonly assignedTaskId: number;
  readonly completed: TaskView;
  readonly paymentId: number;
  readonly acceptedTaskId: number;
  readonly failedTaskId: number;
  readonly otherAgentId: number;
  readonly customerId: number;
  readonly warehouseId: number;
  readonly channel: SeededChannel;
  readonly userId: number;
  readonly channelId: number;
  readonly webhookId: number;
  readonly requestId: number;
  readonly organizationId: number;
}

let count = 0;
const unique = () => `${Date.now()}${count++}`;
const newAgent = () => ({
  name: 'Amina',
  email: `a${unique()}@test.example`,
  phone: '+4915112345678',
  agentType: 'employee',
});
const HOOK = { url: 'https://1.1.1.1/hook', events: ['*'] };
/** Its first bytes, which tell what it is. */
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const SHIFT = { startsAt: '2100-01-01T08:00:00Z', endsAt: '2100-01-01T16:00:00Z' };
const SHIFTS = { from: '2100-01-01T00:00:00Z', to: '2100-01-02T00:00:00Z', shifts: [SHIFT] };
const BARCODE = '4006381333931';
const ACCEPTED = { status: 'accepted' };
const IN_TRANSIT = { status: 'in_transit' };
const DEPOT = { name: 'Depot', location: { address: 'Dock 1', latitude: 1, longitude: 2 } };

/** For each route a record of its own, and a body that it takes. */
const REQUESTS: Readonly<Record<string, (place: Place) => readonly [path: string, body: object]>> = {
  'POST /tasks': () => ['/tasks', taskInput({ packages: [{ name: 'box' }] })],
  'POST /tasks/batch': () => ['/tasks/batch', { tasks: [taskInput()] }],
  'PATCH /tasks/:id': ({ taskId }) => [`/tasks/${taskId}`, { notes: 'n' }],
  'PUT /tasks/:id/status': ({ taskId }) => [`/tasks/${taskId}/status`, { status: 'cancelled' }],
  'POST /tasks/:id/scans': ({ acceptedTaskId }) => [`/tasks/${acceptedTaskId}/scans`, { barcode: BARCODE }],
  'POST /tasks/:id/picked-up': ({ acceptedTaskId }) => [`/tasks/${acceptedTaskId}/picked-up`, {}],
  'POST /tasks/:id/packages': ({ taskId }) => [`/tasks/${taskId}/packages`, { name: 'one more' }],
  'PATCH /packages/:id': ({ packageId }) => [`/packages/${packageId}`, { status: 'cancelled' }],
  'POST /tasks/:id/assign': ({ taskId, agentId }) => [`/tasks/${taskId}/assign`, { agentId }],
  'POST /tasks/:id/unassign': ({ assignedTaskId }) => [`/tasks/${assignedTaskId}/unassign`, { reason: 'r' }],
  'POST /tasks/actions': ({ taskId }) => ['/tasks/actions', { action: 'amend', taskIds: [taskId], notes: 'n' }],
  'POST /tasks/:id/amend': ({ assignedTaskId }) => [
    `/tasks/${assignedTaskId}/amend`,
    { ...DEPOT, notes: 'n', contact: { name: 'Grace', phone: '+442079460009' } },
  ],
  'POST /tasks/:id/reassign': ({ acceptedTaskId, otherAgentId }) => [
    `/tasks/${acceptedTaskId}/reassign`,
    { agentId: otherAgentId, reason: 'r' },
  ],
  'POST /tasks/:id/reattempt': ({ failedTaskId }) => [
    `/tasks/${failedTaskId}/reattempt`,
    { scheduledAt: '2100-01-01T00:00:00Z' },
  ],
  'POST /tasks/:id/proof': ({ acceptedTaskId }) => [`/tasks/${acceptedTaskId}/proof`, { signature: PNG }],
  'POST /assignment-requests/:id/reject': ({ requestId }) => [
    `/assignment-requests/${requestId}/reject`,
    { reason: 'r' },
  ],
  'POST /payments/initialize': ({ taskId }) => ['/payments/initialize', { taskId, amount: '5.00' }],
  'POST /payments/cash': ({ taskId }) => ['/payments/cash', { taskId, amount: '5.00', reference: 'till 4' }],
  'POST /payments/wallet': ({ fundedTaskId }) => ['/payments/wallet', { taskId: fundedTaskId, amount: 5 }],
  'POST /payments/:id/refund': ({ paymentId }) => [`/payments/${paymentId}/refund`, { reason: 'r' }],
  'POST /wallets/:customerId/top-ups': ({ customerId }) => [`/wallets/${customerId}/top-ups`, { amount: 5 }],
  'POST /tracking/tasks/:id/rating': ({ completed }) => [
    `/tracking/tasks/${completed.id}/rating?token=${completed.trackingUrl.slice('/t/'.length)}`,
    { score: 5 },
  ],
  'POST /agents': () => ['/agents', newAgent()],
  'PATCH /agents/:id': ({ agentId }) => [`/agents/${agentId}`, { name: 'Grace' }],
  'PUT /agents/:id/duty': ({ agentId }) => [`/agents/${agentId}/duty`, { onDuty: true }],
  'PUT /agents/:id/shifts': ({ agentId }) => [`/agents/${agentId}/shifts`, SHIFTS],
  'POST /customers': () => ['/customers', { name: 'Ada', phone: `+4915${unique().slice(-9)}` }],
  'PATCH /customers/:id': ({ customerId }) => [`/customers/${customerId}`, { name: 'Grace' }],
  'POST /warehouses': () => ['/warehouses', DEPOT],
  'PATCH /warehouses/:id': ({ warehouseId }) => [`/warehouses/${warehouseId}`, { name: 'Yard' }],
  'POST /users': () => ['/users', { name: 'Ada', email: `u${unique()}@test.example`, role: 'dispatcher' }],
  'PATCH /users/:id': ({ userId }) => [`/users/${userId}`, { name: 'Grace' }],
  'POST /channels': () => ['/channels', { name: 'one more' }],
  'PATCH /channels/:id': ({ channelId }) => [`/channels/${channelId}`, { name: 'another name' }],
  'POST /webhooks': () => ['/webhooks', HOOK],
  'PATCH /webhooks/:id': ({ webhookId }) => [`/webhooks/${webhookId}`, { description: 'another one' }],
  'POST /webhooks/:id/replay': ({ webhookId }) => [`/webhooks/${webhookId}/replay`, { from: '2100-01-01T00:00:00Z' }],
  'POST /notifications/push-token': () => [
    '/notifications/push-token',
    { token: `t${unique()}`, platform: 'android', deviceId: 'phone' },
  ],
  'PUT /notifications/settings': () => [
    '/notifications/settings',
    { customerMail: { onTheWay: true }, templates: { onTheWay: { subject: 'It comes' } } },
  ],
  'POST /organizations': () => ['/organizations', { name: 'One more' }],
  'PATCH /organizations/:id': ({ organizationId }) => [`/organizations/${organizationId}`, { name: 'Another name' }],
};

/** Routes whose bodies say who or where somebody is, or that something is meant; no record is made of them. */
const NO_RECORDS = new Set([
  'POST /auth/login',
  'POST /auth/refresh',
  'POST /auth/verify-email',
  'POST /auth/resend-verification',
  'POST /auth/password-reset/request',
  'POST /auth/password-reset/complete',
  'DELETE /organizations/:id/hard',
  'POST /agents/me/locations',
  'POST /agents/me/heartbeat',
  'POST /agents/locations',
  'POST /dispatch/preview',
]);
const BY_SUPER_ADMINS = new Set(['POST /organizations']);
const BY_SESSIONS = new Set(['POST /notifications/push-token']);

let admin: { readonly organizationId: number; readonly key: string };
let victim: { readonly organizationId: number };
let superAdmin: string;
let session: string;
/** One for all: an organization has not so many. */
let webhookId: number;

const fixture = useGateway({ own: 'it searches all tables' }, async ({ gateway: { databaseUrl }, clientOf }) => {
  admin = await seedOrganization(databaseUrl, { role: 'org_admin' });
  victim = await seedOrganization(databaseUrl);
  superAdmin = await seedSession(databaseUrl, 0, (await seedUser(databaseUrl, 0, 'super_admin')).userId);
  const { userId } = await seedUser(databaseUrl, admin.organizationId, 'org_admin');
  session = await seedSession(databaseUrl, admin.organizationId, userId);
  webhookId = (await clientOf(admin.key).post<{ id: number }>('/webhooks', HOOK)).body.data.id;
});

/** Makes each record of a place when it is asked for, once. */
class PlaceMaker {
  readonly #made = new Map<keyof Place, Promise<unknown>>();
  readonly #api = fixture.clientOf(admin.key);

  of<Name extends keyof Place>(name: Name): Promise<Place[Name]> {
    const making = (this.#made.get(name) as Promise<Place[Name]> | undefined) ?? this.#makers[name]();
    this.#made.set(name, making);
    return making;
  }

  readonly #agent = async () => (await this.#api.post<{ id: number }>('/agents', newAgent())).body.data.id;
  readonly #idOf = async (path: string, body: object) =>
    (await this.#api.post<{ id: number }>(path, body)).body.data.id;

  /** A task of the agent, after these steps. */
  async #taskAfter(steps: readonly object[], overrides: object = {}): Promise<TaskView> {
    const task = await this.#api.createTask(overrides);
    await this.#api.post(`/tasks/${task.id}/assign`, { agentId: await this.of('agentId') });
    for (const step of steps) await this.#api.put(`/tasks/${task.id}/status`, step);
    return task;
  }

  #task: Promise<TaskView> | undefined;
  #firstTask(): Promise<TaskView> {
    this.#task ??= this.#api.createTask({ packages: [{ name: 'box' }] });
    return this.#task;
  }

  readonly #makers: { readonly [Name in keyof Place]: () => Promise<Place[Name]> } = {
    taskId: async () => (await this.#firstTask()).id,
    fundedTaskId: async () => {
      const { id, customerId } = await this.#firstTask();
      await this.#api.post(`/wallets/${customerId}/top-ups`, { amount: 5 });
      return id;
    },
    packageId: async () => (await this.#firstTask()).packages[0]!.id,
    agentId: this.#agent,
    otherAgentId: this.#agent,
    assignedTaskId: async () => (await this.#taskAfter([])).id,
    acceptedTaskId: async () => {
      const packages = [{ name: 'box', barcode: BARCODE }];
      return (await this.#taskAfter([ACCEPTED], { pickupLocation: DEPOT.location, packages })).id;
    },
    failedTaskId: async () => {
      const failed = { status: 'completed', outcome: 'failed', failureReason: 'closed' };
      return (await this.#taskAfter([ACCEPTED, IN_TRANSIT, failed])).id;
    },
    completed: () => this.#taskAfter([ACCEPTED, IN_TRANSIT, { status: 'completed' }]),
    paymentId: async () => this.#idOf('/payments/cash', { taskId: await this.of('assignedTaskId'), amount: 5 }),
    customerId: () => this.#idOf('/customers', { name: 'Ada', phone: `+4915${unique().slice(-9)}` }),
    warehouseId: () => this.#idOf('/warehouses', DEPOT),
    requestId: async () => {
      const agentId = await this.of('agentId');
      await this.#api.put(`/agents/${agentId}/duty`, { onDuty: true });
      const [request] = await askAgents(fixture, { api: this.#api, organizationId: admin.organizationId }, [agentId]);
      return request!.id;
    },
    webhookId: async () => webhookId,
    organizationId: async () => admin.organizationId,
    userId: async () => (await this.of('channel')).userId,
    channelId: async () => (await this.of('channel')).channelId,
    channel: () => seedChannel(fixture.gateway.databaseUrl, admin.organizationId),
  };
}

/** The request of a route, with records of its own: those alone that it names. */
async function madeRequest(requestFor: (place: Place) => readonly [path: string, body: object]) {
  const maker = new PlaceMaker();
  const wanted = new Set<keyof Place>();
  const nobody = { id: 0, trackingUrl: '' };
  const note = (_: Place, name: string | symbol) => {
    wanted.add(name as keyof Place);
    return nobody;
  };
  requestFor(new Proxy({} as Place, { get: note }));
  const place: Partial<Record<keyof Place, unknown>> = {};
  for (const name of wanted) place[name] = await maker.of(name);
  return requestFor(place as Place);
}

/** The body with forbidden fields in each of its objects, except fields that the route has. */
function burdened(route: Route, body: object): object {
  const known = new Set(fieldsOf(route).body);
  const burden = (value: unknown, before: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => burden(item, before));
    if (typeof value !== 'object' || value === null) return value;
    const own = Object.entries(value).map(([name, inner]) => [name, burden(inner, `${before}${name}.`)]);
    const more = Object.entries({ ...NOT_THEIRS, organizationId: victim.organizationId }).filter(
      ([name]) => !known.has(`${before}${name}`),
    );
    return Object.fromEntries([...more, ...own]);
  };
  // A batch holds tasks, whose fields the document does not list.
  if (nameOf(route) !== 'POST /tasks/batch') return burden(body, '') as object;
  const single = ROUTES.find((each) => nameOf(each) === 'POST /tasks')!;
  const { tasks } = body as { tasks: object[] };
  return { ...NOT_THEIRS, tasks: tasks.map((task) => burdened(single, task)) };
}

function send(route: Route, path: string, body: object): Promise<ApiReply<unknown>> {
  const name = nameOf(route);
  const token = (BY_SUPER_ADMINS.has(name) && superAdmin) || (BY_SESSIONS.has(name) && session);
  const credential = token ? { authorization: `Bearer ${token}` } : { 'x-api-key': admin.key };
  const headers = { 'content-type': 'application/json', ...credential };
  return fixture.api.raw({ method: route.method, path: `/api/v1${path}`, headers, body: JSON.stringify(body) });
}

/** A record without what tells it from its twin. */
function likeness(data: unknown): unknown {
  const isItsOwn =
    /^(id|\w+Id|code|email|phoneNumber|trackingUrl|fileUrl|apiKey|secret|emailVerifiedAt|createdAt|updatedAt|completedAt|cancelledAt|dueAt|assignedAt|acceptedAt|pickedUpAt|scannedAt|expiresAt|respondedAt|dutyChangedAt|checkoutUrl|requestedAt|refundedAt|ratedAt|registeredAt)$/;
  return JSON.parse(JSON.stringify(data, (name, value) => (isItsOwn.test(name) && value !== null ? 'set' : value)));
}

for (const route of ROUTES) {
  const name = nameOf(route);
  if (route.kind !== 'api' || !route.body || NO_RECORDS.has(name)) continue;
  test(`${name} does not take what its caller may not decide`, async () => {
    const requestFor = REQUESTS[name];
    assert.ok(requestFor, `say in REQUESTS how ${name} is asked`);
    const [plainPath, plainBody] = await madeRequest(requestFor);
    const plain = await send(route, plainPath, plainBody);
    const [path, body] = await madeRequest(requestFor);
    const reply = await send(route, path, burdened(route, body));
    assert.ok(plain.status < 300, plain.text);
    assert.equal(reply.status, plain.status, reply.text);
    assert.deepEqual(likeness(reply.body.data), likeness(plain.body.data));
    assert.ok(!reply.text.includes(`${MARK}`) && !reply.text.includes(LONG_AGO), reply.text);
    const { organizationId = admin.organizationId } = reply.body.data as { organizationId?: number };
    assert.equal(organizationId, admin.organizationId);
  });
}

test('nothing of all that is stored anywhere', async () => {
  const found = await withSql(fixture.gateway.databaseUrl, async (sql) => {
    const tables = await sql<{ name: string }[]>`
      SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`;
    const marks = [];
    for (const { name } of tables) {
      const marked = sql`SELECT t::text AS row FROM ${sql(name)} t WHERE t::text LIKE ${`%${MARK}%`} OR t::text LIKE '%2001-02-03%'`;
      for (const { row } of await marked) marks.push(`${name}: ${row}`);
    }
    const [strangers] = await sql<{ admins: number; channels: number; tasks: number }[]>`
      SELECT (SELECT count(*) FROM users WHERE role = 'super_admin' AND organization_id <> 0) AS admins,
        (SELECT count(*) FROM channels WHERE built_in AND name <> 'console') AS channels,
        (SELECT count(*) FROM tasks WHERE organization_id = ${victim.organizationId}) AS tasks`;
    return { marks, ...strangers };
  });
  assert.deepEqual(found, { marks: [], admins: 0, channels: 0, tasks: 0 });
});

for (const role of ['super_admin', 'agent', 'system', 'owner']) {
  test(`an administrator cannot make or promote a user to ${role}`, async () => {
    const api = fixture.clientOf(admin.key);
    const { userId } = await seedChannel(fixture.gateway.databaseUrl, admin.organizationId);
    const made = await api.post('/users', { name: 'Eve', email: `u${unique()}@test.example`, role });
    const promoted = await api.patch(`/users/${userId}`, { role });
    assert.deepEqual([made.status, promoted.status], [400, 400], `${made.text} ${promoted.text}`);
  });
}

for (const body of [{ status: 'active' }, { limits: { tasks: 1_000_000 } }]) {
  test(`an administrator cannot change ${Object.keys(body)} of the organization`, async () => {
    const { status, text } = await fixture.clientOf(admin.key).patch(`/organizations/${admin.organizationId}`, body);
    assert.equal(status, 403, text);
  });
}

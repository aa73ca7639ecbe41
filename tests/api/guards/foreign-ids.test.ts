import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../../../gateway/route.ts';
import { type ApiClient, type ApiReply, taskInput } from '../../support/api-client.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { EXPECTED, type RecordKind } from './expected-guards.ts';
import { bodyOf, HOOK, makeRecords, type Records } from './own-records.ts';
import { fieldsOf, nameOf, ROUTES } from './route-table.ts';

/**
 * A request that names a record of another organization, in a path, a query or a body, gets the same bytes as for an
 * unknown record. Every field of a route that holds an id must be in one of these tables.
 */

/** Which record a field of a body names, and a body that names it. */
const BODY_FIELDS: Readonly<Record<string, readonly [RecordKind, (id: number) => object]>> = {
  'POST /tasks customerId': ['customer', (customerId) => taskInput({ customer: undefined, customerId })],
  'POST /tasks locationId': ['location', (locationId) => taskInput({ location: undefined, locationId })],
  'POST /tasks pickupWarehouseId': ['warehouse', (pickupWarehouseId) => taskInput({ pickupWarehouseId })],
  'POST /tasks channelId': ['channel', (channelId) => taskInput({ channelId })],
  'POST /tasks packageIds': ['package', (id) => taskInput({ packageIds: [id] })],
  'POST /tasks preferredAgentId': ['agent', (preferredAgentId) => taskInput({ preferredAgentId })],
  'POST /tasks parentId': ['task', (parentId) => taskInput({ parentId })],
  'PATCH /tasks/:id pickupWarehouseId': ['warehouse', (pickupWarehouseId) => ({ pickupWarehouseId })],
  'PATCH /tasks/:id preferredAgentId': ['agent', (preferredAgentId) => ({ preferredAgentId })],
  'PATCH /tasks/:id packages.id': ['package', (id) => ({ packages: [{ id, notes: 'n' }] })],
  'POST /tasks/:id/reassign agentId': ['agent', (agentId) => ({ agentId })],
  'POST /tasks/:id/assign agentId': ['agent', (agentId) => ({ agentId })],
  'POST /payments/initialize taskId': ['task', (taskId) => ({ taskId, amount: 5 })],
  'POST /payments/cash taskId': ['task', (taskId) => ({ taskId, amount: 5 })],
  'POST /payments/wallet taskId': ['task', (taskId) => ({ taskId, amount: 5 })],
  'POST /dispatch/preview taskIds': ['task', (id) => ({ taskIds: [id] })],
  'POST /webhooks channelIds': ['channel', (id) => ({ ...HOOK, channelIds: [id] })],
  'PATCH /webhooks/:id channelIds': ['channel', (id) => ({ channelIds: [id] })],
  'POST /channels userId': ['user', (userId) => ({ name: 'one more', userId })],
};

/** Which record a filter of a list names, and what else has to be in its query. */
const FILTERS: Readonly<Record<string, readonly [RecordKind, also?: string]>> = {
  customerId: ['customer'],
  agentId: ['agent'],
  agentIds: ['agent'],
  taskId: ['task'],
  parentId: ['task'],
  channelId: ['channel'],
  locationId: ['location'],
  userId: ['user'],
  paymentId: ['payment'],
  recordId: ['task', '&recordType=task'],
};

/** Ids of records that cannot be another organization's. */
const NO_RECORDS: Readonly<Record<string, string>> = {
  'GET /realtime/organizations/:organizationId/events lastEventId': 'a place in the log',
  'GET /realtime/organizations/:organizationId/events taskIds': "picks from the organization's own events",
  'GET /realtime/organizations/:organizationId/events agentIds': "picks from the organization's own events",
  'GET /realtime/me/events lastEventId': 'a place in the log',
  'GET /realtime/me/events taskIds': "picks from the caller's own events",
  'GET /realtime/me/events agentIds': "picks from the caller's own events",
  'POST /notifications/push-token deviceId': "what the app calls one of the caller's own devices",
  'POST /agents/locations points.agentId': 'counted as rejected, as is every point of an agent that is not known',
  'POST /tasks/actions taskIds': 'each fails by itself, as tests/api/exceptions/actions.test.ts shows',
  'POST /tasks/actions agentId': 'is that of assign, and fails by itself',
  'POST /tasks/:id/reassign fromAgentId': 'compared with the agent that the task has, and never looked up',
  'POST /tasks children.parentId': 'refused in a child with any value',
};

/** No organization is foreign to super admins, who alone may call these. */
const NOTHING_FOREIGN = new Set(['DELETE /organizations/:id/hard']);

/** A link opens these, and tests/api/tracking tests them. */
const BY_LINK = new Set([
  'GET /tracking/tasks',
  'GET /tracking/tasks/:id',
  'GET /tracking/tasks/:id/location',
  'POST /tracking/tasks/:id/rating',
]);

const UNKNOWN_ID = 999_000_111;

let api: ApiClient;
let key: string;
let own: Records;
let foreign: Records;

useGateway({ own: 'it takes low ids out of texts' }, async ({ gateway: { databaseUrl }, clientOf }) => {
  const mine = await seedOrganization(databaseUrl, { role: 'org_admin' });
  const theirs = await seedOrganization(databaseUrl, { role: 'org_admin' });
  key = mine.key;
  api = clientOf(key);
  own = await makeRecords(databaseUrl, mine, api);
  foreign = await makeRecords(databaseUrl, theirs, clientOf(theirs.key));
});

function ask({ method }: Route, path: string, body?: object): Promise<ApiReply<{ count?: number }>> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return api.raw({
    method,
    path: `/api/v1${path}`,
    headers: { 'x-api-key': key, ...type },
    body: body && JSON.stringify(body),
  });
}

/** The answer without the facts of the request itself: its number, its time, the id in it. */
function toldBy({ status, headers, text }: ApiReply<unknown>, id: number): unknown {
  const {
    date: _1,
    ratelimit: _2,
    'x-correlation-id': _3,
    'content-length': _4,
    'keep-alive': _5,
    ...telling
  } = headers;
  const told = text
    .replace(/"(timestamp|correlationId|requestId)":"[^"]*"/g, '"$1":""')
    .replace(/"duration":[\d.]+/g, '"duration":0')
    .replace(new RegExp(`\\b${id}\\b`, 'g'), 'ID');
  return { status, headers: telling, told };
}

/** Asks for an unknown record and for another organization's. Resolves to both answers. */
async function assertAlike(kind: RecordKind, send: (id: number) => Promise<ApiReply<{ count?: number }>>) {
  const unknown = await send(UNKNOWN_ID);
  const refused = await send(foreign[kind]);
  assert.notEqual(foreign[kind], own[kind]);
  assert.deepEqual(toldBy(refused, foreign[kind]), toldBy(unknown, UNKNOWN_ID));
  return refused;
}

const isId = (field: string) => /(^|\.)id$|Ids?$/.test(field);
/** A child of a job is made as a task of its own is. */
const bodyFieldOf = (name: string, field: string) => {
  const [, inner] = /^children\.(.+)$/.exec(field) ?? [];
  const [kind, bodyWith] = BODY_FIELDS[`${name} ${inner ?? field}`] ?? [];
  if (!kind || !bodyWith) return undefined;
  return [kind, (id: number) => (inner ? taskInput({ children: [bodyWith(id)] }) : bodyWith(id))] as const;
};

for (const route of ROUTES) {
  const name = nameOf(route);
  const { names } = EXPECTED[name] ?? {};
  if (NOTHING_FOREIGN.has(name) || BY_LINK.has(name)) continue;
  const pathWith = (id: number) => route.path.replace(/:\w+/g, String(id));

  // The path of such a route holds no id.
  if (route.path.includes(':') && !route.textParams) {
    test(`${name}: the path of a foreign ${names} is that of an unknown one`, async () => {
      assert.ok(names, `say in EXPECTED what the id of ${name} names`);
      const body = bodyOf(name, own);
      const refused = await assertAlike(names, (id) => ask(route, pathWith(id), body));
      assert.equal(refused.status, 404, refused.text);
      if (route.kind === 'raw') return;
      const known = await ask(route, pathWith(own[names]), body);
      assert.ok(known.status < 400 || known.status === 409, `the same with an own id: ${known.status} ${known.text}`);
    });
  }

  for (const field of fieldsOf(route).query.filter(isId)) {
    if (NO_RECORDS[`${name} ${field}`]) continue;
    test(`${name}: a filter by a foreign ${field} finds as little as one by an unknown`, async () => {
      const [kind, also = ''] = FILTERS[field] ?? [];
      assert.ok(kind, `say in FILTERS what ${field} of ${name} names`);
      const path = names ? pathWith(own[names]) : route.path;
      const refused = await assertAlike(kind, (id) => ask(route, `${path}?${field}=${id}${also}`));
      assert.equal(refused.status, 200);
      if (route.kind === 'raw') assert.equal(refused.text, '');
      else assert.equal(refused.body.data.count, 0);
    });
  }

  for (const field of fieldsOf(route).body.filter(isId)) {
    if (NO_RECORDS[`${name} ${field}`]) continue;
    test(`${name}: ${field} of a foreign record is refused as that of an unknown one`, async () => {
      const [kind, bodyWith] = bodyFieldOf(name, field) ?? [];
      assert.ok(kind && bodyWith, `say in BODY_FIELDS what ${field} of ${name} names`);
      const path = names ? pathWith(own[names]) : route.path;
      const refused = await assertAlike(kind, (id) => ask(route, path, bodyWith(id)));
      assert.equal(refused.status, 404, refused.text);
      const known = await ask(route, path, bodyWith(own[kind]));
      assert.ok(known.status < 400 || known.status === 409, `the same with an own id: ${known.status} ${known.text}`);
    });
  }
}

test('POST /tasks/batch: an item that names a foreign record fails as one that names an unknown one', async () => {
  const route = ROUTES.find((each) => nameOf(each) === 'POST /tasks/batch')!;
  for (const [field, [kind, bodyWith]] of Object.entries(BODY_FIELDS)) {
    if (!field.startsWith('POST /tasks ')) continue;
    const refused = await assertAlike(kind, (id) => ask(route, '/tasks/batch', { tasks: [bodyWith(id)] }));
    assert.match(refused.text, /"created":0,"failed":1/, field);
  }
});

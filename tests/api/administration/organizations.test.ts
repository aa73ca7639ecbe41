import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeletionStore } from '../../../engine/store/cluster/deletion-store.ts';
import type { ChannelView } from '../../../schema/accounts/channel.ts';
import type { OrganizationView } from '../../../schema/accounts/organization.ts';
import type { AccountView } from '../../../schema/accounts/user.ts';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import { seedChannel, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

interface List<T> {
  readonly items: T[];
  readonly count: number;
}

let root: ApiClient;
let rootToken: string;
const fixture = useGateway(
  { own: 'it lists all organizations, and changes what belongs to none', organization: { role: 'org_admin' } },
  async ({ gateway, clientOf }) => {
    const { userId } = await seedUser(gateway.databaseUrl, 0, 'super_admin');
    rootToken = await seedSession(gateway.databaseUrl, 0, userId);
    root = clientOf(rootToken);
  },
);

async function createOrganization(fields: object = {}): Promise<OrganizationView> {
  const reply = await root.post<OrganizationView>('/organizations', { name: 'Harbour Couriers', ...fields });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

/** A client with the key of a new organization's administrator. */
async function adminOf({ id }: OrganizationView): Promise<ApiClient> {
  return fixture.clientOf((await seedChannel(fixture.gateway.databaseUrl, id, { role: 'org_admin' })).key);
}

function hardDelete(id: number, confirm: unknown, api = root): Promise<ApiReply<object>> {
  return api.delete(`/organizations/${id}/hard`, { confirm });
}

test('an organization is made active, with the defaults and a built-in channel, and can be worked in at once', async () => {
  const { id, createdAt, updatedAt, ...rest } = await createOrganization();
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    name: 'Harbour Couriers',
    status: 'active',
    currency: 'USD',
    limits: { tasks: null, customers: null, agents: null, warehouses: null },
    settings: {},
  });
  const within = { 'x-organization-id': String(id) };
  const { items, count } = (await root.get<List<ChannelView>>('/channels', within)).body.data;
  assert.deepEqual([count, items[0]!.name, items[0]!.isBuiltIn], [1, 'console', true]);
  const user = { email: `boss${id}@office.example`, name: 'Boss', role: 'org_admin' };
  assert.equal((await root.post<AccountView>('/users', user, within)).status, 201);
  const { apiKey } = (await root.post<{ apiKey: string }>('/channels', { name: 'Shop' }, within)).body.data;
  assert.equal((await fixture.clientOf(apiKey).createTask()).organizationId, id);
});

test('the fields of the body are applied, and every violation is named at once', async () => {
  const fields = {
    status: 'pending',
    currency: 'JPY',
    limits: { tasks: 10, agents: null },
    settings: { leadMinutes: 5 },
  };
  const made = await createOrganization(fields);
  assert.deepEqual([made.status, made.currency, made.settings], ['pending', 'JPY', { leadMinutes: 5 }]);
  assert.deepEqual(made.limits, { tasks: 10, customers: null, agents: null, warehouses: null });
  const bad = { name: '', status: 'open', currency: 'XXX', limits: { tasks: -1, customers: 1.5 }, settings: [] };
  const { status, body } = await root.post('/organizations', bad);
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'name must not be empty',
    'status must be one of: active, pending, inactive, rejected',
    'currency must be a code of ISO 4217 in use, in capitals',
    'limits.tasks must be an integer of 0 or more',
    'limits.customers must be an integer of 0 or more',
    'settings must be an object',
  ]);
});

test('organizations are listed newest first, by status and by parts of names', async () => {
  const made: OrganizationView[] = [];
  for (const [name, status] of [
    ['Zebra 100% Nord', 'active'],
    ['zebra Süd', 'pending'],
    ['Zebra West', 'rejected'],
  ])
    made.push(await createOrganization({ name, status }));
  const list = async (query: string) => (await root.get<List<OrganizationView>>(`/organizations?${query}`)).body.data;
  assert.deepEqual(await list('search=ZEBRA'), { items: made.toReversed(), count: 3 });
  assert.deepEqual(await list('search=zebra&status=active,pending&limit=1'), { items: [made[1]], count: 2 });
  assert.deepEqual(await list('search=0%25%20n'), { items: [made[0]], count: 1 });
  assert.deepEqual(await list(`search=${encodeURIComponent('A SÜD')}`), { items: [made[1]], count: 1 });
  assert.deepEqual(await list('search=%25&status=rejected'), { items: [], count: 0 });
  assert.deepEqual(await list('search=zebra&page=9000000000'), { items: [], count: 3 });
  for (const bad of ['status=open', 'limit=0', 'search=a&search=b'])
    assert.equal((await root.get(`/organizations?${bad}`)).status, 400, bad);
});

test('the paths answer without the prefix, too', async () => {
  const { id } = await createOrganization();
  const headers = { authorization: `Bearer ${rootToken}` };
  const bare = await root.raw<OrganizationView>({ method: 'GET', path: `/organizations/${id}`, headers });
  assert.deepEqual([bare.status, bare.body.data.id, bare.body.metadata.path], [200, id, `/v1/organizations/${id}`]);
  const list = await root.raw<List<OrganizationView>>({ method: 'GET', path: '/organizations?limit=1', headers });
  assert.equal(list.body.data.items[0]!.id, id);
  const body = JSON.stringify({ confirm: bare.body.data.name });
  const sent = { ...headers, 'content-type': 'application/json' };
  assert.equal(
    (await root.raw({ method: 'DELETE', path: `/organizations/${id}/hard`, headers: sent, body })).status,
    202,
  );
});

test('administrators see their own organization and no other, and may neither make nor list any', async () => {
  const own = await createOrganization();
  const other = await createOrganization();
  const api = await adminOf(own);
  const { status, body, headers } = await api.get<OrganizationView>(`/organizations/${own.id}`);
  assert.deepEqual([status, body.data], [200, own]);
  assert.match(body.metadata.position, /^[a-z0-9]+-\d+$/);
  assert.equal((await api.get(`/organizations/${own.id}`, { 'if-none-match': headers.etag! })).status, 304);
  for (const id of [other.id, 999000111]) {
    for (const { status: refused, text } of [
      await api.get(`/organizations/${id}`),
      await api.patch(`/organizations/${id}`, { name: 'Mine' }),
    ]) {
      const unknown = `{"statusCode":404,"message":"Organization with ID ${id} not found","error":"Not Found"}`;
      assert.deepEqual([refused, text], [404, unknown]);
    }
  }
  for (const { status: refused } of [await api.get('/organizations'), await api.post('/organizations', {})])
    assert.equal(refused, 403);
});

test('keys and dispatchers read their own organization, agents what they need of it, and none of them changes it', async () => {
  const limits = { tasks: 7 };
  const own = await createOrganization({
    currency: 'EUR',
    limits,
    settings: { timeZone: 'Europe/Berlin', theme: 'dark' },
  });
  const other = await createOrganization();
  for (const role of ['integration', 'dispatcher', 'agent'] as const) {
    const { key } = await seedChannel(fixture.gateway.databaseUrl, own.id, { role });
    const api = fixture.clientOf(key);
    const read = await api.get<unknown>(`/organizations/${own.id}`);
    const ofAgents = { id: own.id, name: own.name, currency: 'EUR', timeZone: 'Europe/Berlin' };
    assert.deepEqual([read.status, read.body.data], [200, role === 'agent' ? ofAgents : own], role);
    const again = await api.get(`/organizations/${own.id}`, { 'if-none-match': read.headers.etag! });
    assert.equal(again.status, 304, role);
    assert.equal((await api.get(`/organizations/${other.id}`)).status, 404, role);
    assert.equal((await api.patch(`/organizations/${own.id}`, { name: 'Mine' })).status, 403, role);
    assert.equal((await api.get('/organizations')).status, 403, role);
  }
});

test('of limits and settings only those that are named change; null takes one away', async () => {
  const made = await createOrganization({
    limits: { tasks: 5, agents: 2 },
    settings: { leadMinutes: 30, theme: 'dark' },
  });
  const change = {
    limits: { agents: null, warehouses: 1 },
    settings: { theme: null, colour: { hue: 1 } },
    currency: 'EUR',
  };
  const { status, body, headers } = await root.patch<OrganizationView>(`/organizations/${made.id}`, change);
  assert.equal(status, 200);
  assert.deepEqual(body.data, {
    ...made,
    currency: 'EUR',
    limits: { tasks: 5, customers: null, agents: null, warehouses: 1 },
    settings: { leadMinutes: 30, colour: { hue: 1 } },
    updatedAt: body.data.updatedAt,
  });
  const read = await root.get<OrganizationView>(`/organizations/${made.id}`);
  assert.deepEqual([read.body.data, read.headers.etag], [body.data, headers.etag]);
});

test('of assignment, contact and requirements, too, only what is named changes', async () => {
  const contact = { phone: '+49 30 1234567', email: 'desk@example.com' };
  const { id } = await createOrganization({
    settings: { assignment: { mode: 'broadcast', maxDistanceM: 5_000 }, contact, colour: { hue: 1, tone: 2 } },
  });
  const settings = {
    assignment: { requestTtlSeconds: 60, maxDistanceM: null },
    contact: { phone: null },
    requirements: { photo: true },
    colour: { hue: 3 },
  };
  const { body } = await root.patch<OrganizationView>(`/organizations/${id}`, { settings });
  assert.deepEqual(body.data.settings, {
    assignment: { mode: 'broadcast', requestTtlSeconds: 60 },
    contact: { email: 'desk@example.com' },
    requirements: { photo: true },
    colour: { hue: 3 },
  });
  const without = await root.patch<OrganizationView>(`/organizations/${id}`, { settings: { assignment: null } });
  assert.equal('assignment' in without.body.data.settings, false);
});

test('a limit holds from the answer on, and so does its lifting', async () => {
  const organization = await createOrganization();
  const api = await adminOf(organization);
  await api.createTask();
  const limit = (tasks: number | null) => root.patch(`/organizations/${organization.id}`, { limits: { tasks } });
  assert.equal((await limit(1)).status, 200);
  await assert.rejects(api.createTask(), /PACKAGE_LIMIT_EXCEEDED/);
  assert.equal((await limit(null)).status, 200);
  await api.createTask();
});

test('administrators change name, currency and settings, but neither status nor limits', async () => {
  const organization = await createOrganization();
  const api = await adminOf(organization);
  const path = `/organizations/${organization.id}`;
  const { status, body } = await api.patch<OrganizationView>(path, {
    name: 'New',
    currency: 'EUR',
    settings: { a: 1 },
  });
  assert.equal(status, 200);
  assert.deepEqual([body.data.name, body.data.currency, body.data.settings], ['New', 'EUR', { a: 1 }]);
  for (const change of [{ status: 'active' }, { limits: {} }, { name: 'Newer', limits: { tasks: 1 } }])
    assert.deepEqual([(await api.patch(path, change)).status], [403]);
  assert.equal((await api.get<OrganizationView>(path)).body.data.name, 'New');
  assert.equal((await api.patch(path, { status: null, limits: null })).status, 200);
});

test('If-Match lets a change through only while the organization is as it was read', async () => {
  const { id } = await createOrganization();
  const { etag } = (await root.get(`/organizations/${id}`)).headers;
  const change = (name: string) => root.patch(`/organizations/${id}`, { name }, { 'if-match': etag! });
  assert.equal((await change('First')).status, 200);
  const second = await change('Second');
  assert.deepEqual([second.status, second.body.code], [412, 'PRECONDITION_FAILED']);
});

test('of an organization that is not active nobody gets in but super admins, from the answer on', async () => {
  const organization = await createOrganization();
  const api = await adminOf(organization);
  assert.equal((await api.list()).status, 200);
  for (const status of ['pending', 'inactive', 'rejected']) {
    assert.equal((await root.patch(`/organizations/${organization.id}`, { status })).status, 200);
    const refused = await api.list();
    assert.deepEqual([refused.status, refused.body.code], [403, 'ORGANIZATION_NOT_ACTIVE']);
  }
  assert.equal((await root.get('/tasks', { 'x-organization-id': String(organization.id) })).status, 200);
  assert.equal((await root.patch(`/organizations/${organization.id}`, { status: 'active' })).status, 200);
  assert.equal((await api.list()).status, 200);
});

test('a retry with its key makes no second organization and no second change', async () => {
  const key = { 'idempotency-key': 'organization-1' };
  const name = 'Once and for all';
  const first = await root.post<OrganizationView>('/organizations', { name }, key);
  const again = await root.post<OrganizationView>('/organizations', { name }, key);
  assert.deepEqual(
    [again.status, again.body.data, again.headers['idempotency-replayed']],
    [201, first.body.data, 'true'],
  );
  const path = `/organizations/${first.body.data.id}`;
  const renamed = await root.patch<OrganizationView>(path, { name: 'Renamed' }, key);
  await root.patch(path, { name: 'Renamed again' });
  assert.deepEqual((await root.patch<OrganizationView>(path, { name: 'Renamed' }, key)).body.data, renamed.body.data);
  const { count } = (await root.get<List<OrganizationView>>('/organizations?search=once%20and')).body.data;
  assert.equal(count, 0);
});

test('a hard deletion wants the name, and from its answer on nothing of the organization is served', async () => {
  const organization = await createOrganization({ name: 'Gone Ltd' });
  const { id } = organization;
  const api = await adminOf(organization);
  await api.createTask();
  const wrong = await hardDelete(id, 'Gone');
  assert.deepEqual([wrong.status, wrong.body.message], [400, ['confirm must be the name of the organization']]);
  assert.deepEqual((await hardDelete(id, undefined)).body.message, ['confirm is required']);
  assert.equal((await api.list()).status, 200);
  const { status, body } = await hardDelete(id, 'Gone Ltd');
  assert.deepEqual([status, body.data], [202, { organizationId: id, status: 'deleting' }]);
  assert.equal((await api.list()).status, 401);
  const unknown = `{"statusCode":404,"message":"Organization with ID ${id} not found","error":"Not Found"}`;
  assert.equal((await root.get(`/organizations/${id}`)).text, unknown);
  assert.equal((await root.get('/tasks', { 'x-organization-id': String(id) })).text, unknown);
  const again = await hardDelete(id, 'Gone Ltd');
  assert.deepEqual([again.status, again.body.code], [410, 'ORGANIZATION_DELETED']);
  const changed = await root.patch(`/organizations/${id}`, { name: 'Back' });
  assert.deepEqual([changed.status, changed.body.code], [410, 'ORGANIZATION_DELETED']);
  const [tombstone] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ count: number }[]>`SELECT count(*) FROM deleted_organizations WHERE organization_id = ${id}`,
  );
  assert.equal(tombstone!.count, 1);
});

test('the kept answer to the creation of an organization is deleted with it, and no other kept answer is', async () => {
  const make = async (key: string) => {
    const reply = await root.post<OrganizationView>('/organizations', { name: 'Kept' }, { 'idempotency-key': key });
    assert.equal(reply.status, 201, reply.text);
    return reply.body.data.id;
  };
  const [gone, stays] = [await make('making one'), await make('making another')];
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    const kept = async () => (await sql`SELECT 1 FROM kept_outcomes WHERE organization_id = 0`).length;
    const before = await kept();
    assert.equal((await hardDelete(gone, 'Kept')).status, 202);
    await createDeletionStore(sql).deleteBatch(gone);
    assert.equal(await kept(), before - 1);
  });
  assert.equal(await make('making another'), stays);
});

test('nobody but super admins deletes, and an organization that never was is unknown', async () => {
  const organization = await createOrganization();
  const { databaseUrl } = fixture.gateway;
  const { userId } = await seedUser(databaseUrl, organization.id, 'org_admin');
  const admin = fixture.clientOf(await seedSession(databaseUrl, organization.id, userId));
  assert.equal((await hardDelete(organization.id, organization.name, admin)).status, 403);
  const unknown = '{"statusCode":404,"message":"Organization with ID 999000111 not found","error":"Not Found"}';
  assert.equal((await hardDelete(999000111, 'x')).text, unknown);
  assert.equal((await root.patch('/organizations/999000111', { name: 'x' })).text, unknown);
});

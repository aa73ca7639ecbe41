import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newApiKey, newSecret } from '../../../engine/runtime/secrets.ts';
import { isBelowApi, type Route } from '../../../gateway/route.ts';
import { ROLES, type Role } from '../../../schema/accounts/role.ts';
import type { ApiHeaders, ApiReply } from '../../support/api-client.ts';
import { seedChannel, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { EXPECTED } from './expected-guards.ts';
import { nameOf, ROUTES } from './route-table.ts';

/** Every route, asked by everybody: docs/contract.md §2, "Roles" and "Exactly one credential". */

const UNKNOWN_ID = 999_000_111;
const HTTPS = { 'x-forwarded-proto': 'https' };
const KEY_ROLES = ROLES.filter((role) => role !== 'super_admin');

interface RoleUser {
  readonly organizationId: number;
  readonly userId: number;
}

const keys = new Map<Role, string>();
const users = new Map<Role, RoleUser>();
const sessions = new Map<Role, string>();
let otherOrganizationId: number;

const fixture = useGateway(
  { environment: { ALLOW_INSECURE_HTTP: '0', TRUSTED_PROXIES: '127.0.0.1' } },
  async ({ gateway: { databaseUrl, organizationId }, organization }) => {
    otherOrganizationId = (await organization()).organizationId;
    // Sessions stand behind the built-in channel: whether a channel may stream positions is tested elsewhere.
    await withSql(databaseUrl, async (sql) => {
      await sql`UPDATE channels SET locations_write = true WHERE organization_id = ${organizationId}`;
    });
    for (const role of KEY_ROLES) keys.set(role, (await seedChannel(databaseUrl, organizationId, { role })).key);
    for (const role of ROLES) {
      const home = role === 'super_admin' ? 0 : organizationId;
      const { userId } = await seedUser(databaseUrl, home, role);
      users.set(role, { organizationId: home, userId });
      sessions.set(role, await seedSession(databaseUrl, home, userId));
    }
  },
);

/** A request that goes no further than its guards: its ids are unknown, and it has no body. */
function call(route: Route, headers: ApiHeaders, path = pathOf(route)): Promise<ApiReply<unknown>> {
  const { isDirect } = EXPECTED[nameOf(route)]!;
  return fixture.api.raw({ method: route.method, path, headers: isDirect ? headers : { ...HTTPS, ...headers } });
}

function pathOf(route: Route): string {
  const isApi = isBelowApi(route);
  return `${isApi ? '/api/v1' : ''}${barePathOf(route)}`;
}

function barePathOf(route: Route): string {
  const path = route.path.replace(/:\w+/g, String(UNKNOWN_ID));
  // A stream would never end.
  return route.kind === 'raw' && route.takesStreamToken ? `${path}?types=none` : path;
}

function assertPasses(reply: ApiReply<unknown>, who: string): void {
  const isRefused = reply.status === 401 || reply.status === 403 || reply.text.includes('"message":"Cannot ');
  assert.ok(!isRefused && reply.status < 500, `${who}: ${reply.status} ${reply.text}`);
}

function assertRefused(reply: ApiReply<unknown>, status: 400 | 401 | 403, message: string, who: string): void {
  assert.deepEqual([reply.status, reply.body?.message, reply.body?.code], [status, message, undefined], who);
}

/** A session that has just begun, for a route that may end it. */
async function freshSession(role: Role): Promise<string> {
  const { organizationId, userId } = users.get(role)!;
  return seedSession(fixture.gateway.databaseUrl, organizationId, userId);
}

test('the routes are those of which it is said who may call them', () => {
  assert.deepEqual(ROUTES.map(nameOf).sort(), Object.keys(EXPECTED).sort());
});

/** The paths that docs/contract.md §1 "Paths" also serves without the prefix, and those below them. */
const NAMED_BARE = new RegExp(
  `^/(${[
    ...['agents/locations/current', 'tasks/:id/print/receipt', 'tasks/print/receipts', 'tracking/tasks'],
    ...['notifications/push-token', 'auth/verify-email', 'auth/resend-verification', 'auth/password-reset/request'],
    ...['auth/password-reset/complete', 'organizations/:id/hard', 'payments'],
    ...['realtime/organizations/:organizationId/events', 'realtime/me/events'],
  ].join('|')})(/|$)`,
);

test('each path of docs/contract.md §1 "Paths" also answers without the prefix', async () => {
  const named = ROUTES.filter(({ path }) => NAMED_BARE.test(path));
  assert.ok(named.length >= 13);
  for (const route of named) {
    const [bare, prefixed] = [await call(route, {}, barePathOf(route)), await call(route, {})];
    assert.doesNotMatch(bare.text, /"message":"Cannot /, nameOf(route));
    assert.equal(bare.status, prefixed.status, nameOf(route));
  }
});

test('the OpenAPI document has the same routes, with the roles that may call them', async () => {
  const { text } = await fixture.api.raw({ method: 'GET', path: '/docs/openapi.json', headers: HTTPS });
  const { paths, 'x-permissions': rolesOf } = JSON.parse(text) as {
    paths: Record<string, Record<string, { 'x-roles'?: readonly string[]; 'x-permission'?: string }>>;
    'x-permissions': Record<string, readonly string[]>;
  };
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path.replace(/^\/api\/v1/, '').replace(/\{(\w+)\}/g, ':$1')}`;
      const roles = operation['x-roles'] ?? rolesOf[operation['x-permission'] ?? ''];
      return [name, roles?.toSorted()] as const;
    }),
  );
  const expected = Object.entries(EXPECTED).map(([name, { who }]) => [
    name,
    typeof who === 'string' ? undefined : who.toSorted(),
  ]);
  assert.deepEqual(Object.fromEntries(described), Object.fromEntries(expected));
});

for (const route of ROUTES) {
  const expected = EXPECTED[nameOf(route)];
  if (!expected) continue;
  const { who, isPlatform } = expected;
  const isOpen = who === 'operational' || who === 'public';
  const isForSessions = who === 'session';
  const allowed = new Set<Role>(isOpen || isForSessions ? ROLES : who);

  test(`${nameOf(route)} ${isOpen ? 'lets anyone in' : 'refuses a request without a credential with 401'}`, async () => {
    const strangers: Record<string, ApiHeaders> = {
      'no credential': {},
      'an unknown key': { 'x-api-key': newApiKey() },
      'an unknown token': { authorization: `Bearer ${newSecret('da_', 40)}` },
      'another scheme': { authorization: 'Basic dXNlcjpwYXNz' },
    };
    for (const [name, headers] of Object.entries(strangers)) {
      const reply = await call(route, headers);
      if (isOpen) assertPasses(reply, name);
      else assertRefused(reply, 401, 'Unauthorized', name);
    }
    if (route.bare && !isOpen) assertRefused(await call(route, {}, barePathOf(route)), 401, 'Unauthorized', 'bare');
  });

  test(`${nameOf(route)} ${who === 'operational' ? 'answers' : 'does not answer'} over plain HTTP`, async () => {
    const reply = await call(route, expected.isDirect ? {} : { 'x-forwarded-proto': 'http' });
    if (who === 'operational') assertPasses(reply, 'plain HTTP');
    else assert.deepEqual([reply.status, reply.body.code], [403, 'HTTPS_REQUIRED']);
  });

  if (isOpen) continue;

  test(`${nameOf(route)} refuses two credentials with 400`, async () => {
    const key = keys.get('org_admin')!;
    const authorization = `Bearer ${sessions.get('org_admin')}`;
    assertRefused(
      await call(route, { 'x-api-key': key, authorization }),
      400,
      'Exactly one credential may be given',
      'both',
    );
  });

  test(`${nameOf(route)} lets in ${isForSessions ? 'sessions' : [...allowed].join(', ')}, and nobody else`, async () => {
    for (const role of KEY_ROLES) {
      const reply = await call(route, { 'x-api-key': keys.get(role) });
      if (allowed.has(role) && !isForSessions) assertPasses(reply, `key of ${role}`);
      else assertRefused(reply, 403, 'Forbidden', `key of ${role}`);
    }
    for (const role of ROLES) {
      const token = isForSessions ? await freshSession(role) : sessions.get(role);
      const place = role === 'super_admin' && !isPlatform ? `${fixture.gateway.organizationId}` : undefined;
      const reply = await call(route, { authorization: `Bearer ${token}`, 'x-organization-id': place });
      if (allowed.has(role)) assertPasses(reply, `session of ${role}`);
      else assertRefused(reply, 403, 'Forbidden', `session of ${role}`);
    }
  });

  if (isForSessions || isPlatform) continue;

  test(`${nameOf(route)} asks a super admin for the organization`, async () => {
    const authorization = `Bearer ${sessions.get('super_admin')}`;
    assertRefused(await call(route, { authorization }), 400, 'X-Organization-Id is required', 'none named');
    const unknown = await call(route, { authorization, 'x-organization-id': `${UNKNOWN_ID}` });
    assert.deepEqual([unknown.status, unknown.body.message], [404, `Organization with ID ${UNKNOWN_ID} not found`]);
    const malformed = await call(route, { authorization, 'x-organization-id': 'mine' });
    assert.equal(malformed.status, 400, malformed.text);
  });
}

test("X-Organization-Id takes nobody but a super admin into another organization's records", async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  await fixture.api.createTask({}, HTTPS);
  const { key } = await seedChannel(databaseUrl, organizationId, { role: 'org_admin' });
  const elsewhere = { ...HTTPS, 'x-organization-id': `${otherOrganizationId}` };
  const countFor = async (credential: ApiHeaders) => {
    const reply = await fixture.api.raw<{ count: number }>({
      method: 'GET',
      path: '/api/v1/tasks',
      headers: { ...elsewhere, ...credential },
    });
    return [reply.status, reply.body.data?.count];
  };
  assert.deepEqual(await countFor({ 'x-api-key': key }), [200, 1], 'a key');
  assert.deepEqual(await countFor({ authorization: `Bearer ${sessions.get('org_admin')}` }), [200, 1], 'a session');
  assert.deepEqual(
    await countFor({ authorization: `Bearer ${sessions.get('super_admin')}` }),
    [200, 0],
    'a super admin',
  );
});

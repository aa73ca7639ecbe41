import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hash } from '@node-rs/argon2';
import type { CallerView, SignedInView } from '../../../schema/accounts/caller.ts';
import { PERMISSIONS, type Permission } from '../../../schema/accounts/permissions.ts';
import { ROLES, type Role } from '../../../schema/accounts/role.ts';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { ApiHeaders } from '../../support/api-client.ts';
import { seedAgent, seedChannel, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, bearer, signIn } from './auth-client.ts';

const PASSWORD = 'correct horse battery staple';
const fixture = useGateway({ organization: { role: 'org_admin', name: 'Harbour Couriers' } });

const me = (headers: ApiHeaders = {}) => fixture.api.get<CallerView>('/auth/me', headers);

/** The permissions of a role by the table, from which nothing else is left out. */
function granted(role: Role, without: readonly Permission[] = []): string[] {
  return Object.entries(PERMISSIONS)
    .filter(([name, row]) => (role === 'super_admin' || role in row) && !without.includes(name as Permission))
    .map(([name]) => name);
}

async function sessionOf(role: Role): Promise<{ readonly userId: number; readonly token: string }> {
  const { databaseUrl, organizationId } = fixture.gateway;
  const home = role === 'super_admin' ? 0 : organizationId;
  const { userId } = await seedUser(databaseUrl, home, role);
  return { userId, token: await seedSession(databaseUrl, home, userId) };
}

test('a key learns the user that it acts as, its channel, its organization and its permissions', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { key, channelId, userId } = await seedChannel(databaseUrl, organizationId, { locationsWrite: false });
  const { status, body } = await me({ 'x-api-key': key });
  assert.equal(status, 200);
  const { email, ...user } = body.data.user;
  assert.match(email!, /@test\.example$/);
  assert.deepEqual(
    { ...body.data, user },
    {
      credential: 'apiKey',
      user: {
        id: userId,
        firstName: 'Test',
        lastName: 'User',
        phoneNumber: null,
        countryCode: null,
        role: 'integration',
      },
      organization: {
        id: organizationId,
        name: 'Harbour Couriers',
        status: 'active',
        currency: 'USD',
        timeZone: 'UTC',
      },
      channel: { id: channelId, name: 'test', status: 'ACTIVE' },
      agent: null,
      permissions: granted('integration', ['locations:write']),
    },
  );
  assert.match(body.metadata.position!, /^[a-z0-9]+-\d+$/);
});

test('a key whose channel may stream positions has that permission', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { key } = await seedChannel(databaseUrl, organizationId, { locationsWrite: true });
  assert.deepEqual((await me({ 'x-api-key': key })).body.data.permissions, granted('integration'));
});

for (const role of ROLES.filter((each) => each !== 'super_admin')) {
  test(`a session of the role ${role} learns itself, the console channel and the permissions of the role`, async () => {
    const { userId, token } = await sessionOf(role);
    const { status, body } = await me(bearer(token));
    assert.equal(status, 200);
    const { credential, user, organization, channel, permissions } = body.data;
    assert.deepEqual(
      [credential, user.id, user.role, organization?.id, channel?.name, channel?.status],
      ['session', userId, role, fixture.gateway.organizationId, 'console', 'ACTIVE'],
    );
    assert.deepEqual(permissions, granted(role, ['locations:write']));
  });
}

test('a super admin is in no organization, or in the one that it names', async () => {
  const { userId, token } = await sessionOf('super_admin');
  const { organizationId } = await fixture.organization({ name: 'Elsewhere', status: 'inactive' });
  const nowhere = await me(bearer(token));
  assert.equal(nowhere.status, 200);
  const { credential, user, organization, channel, agent, permissions } = nowhere.body.data;
  assert.deepEqual(
    [credential, user.id, user.role, organization, channel, agent, permissions],
    ['session', userId, 'super_admin', null, null, null, granted('super_admin')],
  );
  assert.equal(nowhere.body.metadata.position, undefined);
  const there = await me({ ...bearer(token), 'x-organization-id': `${organizationId}` });
  assert.deepEqual(there.body.data.organization, {
    id: organizationId,
    name: 'Elsewhere',
    status: 'inactive',
    currency: 'USD',
    timeZone: 'UTC',
  });
  assert.equal(there.body.data.channel?.name, 'console');
  assert.match(there.body.metadata.position!, /-0$/);
  const unknown = await me({ ...bearer(token), 'x-organization-id': '999000111' });
  assert.deepEqual([unknown.status, unknown.body.message], [404, 'Organization with ID 999000111 not found']);
  assert.equal((await me({ ...bearer(token), 'x-organization-id': 'x' })).status, 400);
});

test('an agent learns itself as GET /agents/me shows it, with its phone', async () => {
  const { organizationId, api } = await fixture.organization({ role: 'org_admin' });
  const fields = { name: 'Grace Hopper', email: 'grace@fleet.example', phone: '+442079460958' };
  const made = await api.post<AgentView>('/agents', { ...fields, agentType: 'employee' });
  assert.equal(made.status, 201, made.text);
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`UPDATE users SET email_verified_at = now() WHERE organization_id = ${organizationId} AND role = 'agent'`;
  });
  const token = await seedSession(fixture.gateway.databaseUrl, organizationId, made.body.data.userId);
  const { agent, user } = (await me(bearer(token))).body.data;
  assert.deepEqual(agent, made.body.data);
  assert.deepEqual(user, { ...made.body.data.user, role: 'agent' });
});

test('the next answer shows every change, and If-None-Match saves an answer that would be the same', async () => {
  const { organizationId, key, api } = await fixture.organization({ role: 'org_admin' });
  const { agentId, userId } = await seedAgent(fixture.gateway.databaseUrl, organizationId);
  const ofAgent = bearer(await seedSession(fixture.gateway.databaseUrl, organizationId, userId));
  const before = await me(ofAgent);
  const etag = before.headers.etag!;
  assert.equal((await me({ ...ofAgent, 'if-none-match': etag })).status, 304);
  const renamed = await api.patch(`/organizations/${organizationId}`, { name: 'Renamed', currency: 'EUR' });
  assert.equal(renamed.status, 200, renamed.text);
  assert.equal((await api.patch(`/agents/${agentId}`, { name: 'Ada King' })).status, 200);
  const after = await me({ ...ofAgent, 'if-none-match': etag });
  const { organization, user, agent } = after.body.data;
  assert.deepEqual([organization?.name, organization?.currency], ['Renamed', 'EUR']);
  assert.deepEqual([user.firstName, user.lastName, agent?.user.firstName], ['Ada', 'King', 'Ada']);
  assert.equal((await me({ 'x-api-key': key })).body.data.organization?.name, 'Renamed');
});

test('nobody without a valid credential, of an inactive channel or organization gets an answer', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  assert.equal((await me({ 'x-api-key': undefined })).status, 401);
  const suspended = await seedChannel(databaseUrl, organizationId, { status: 'SUSPENDED' });
  assert.equal((await me({ 'x-api-key': suspended.key })).status, 403);
  const pending = await fixture.organization({ status: 'pending' });
  const refused = await me({ 'x-api-key': pending.key });
  assert.deepEqual([refused.status, refused.body.code], [403, 'ORGANIZATION_NOT_ACTIVE']);
});

test('a login and a refresh answer the user and the organization as GET /auth/me does', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { agentId, userId } = await seedAgent(databaseUrl, organizationId);
  await withSql(databaseUrl, async (sql) => {
    await sql`UPDATE agents SET country_code = '+44', phone_number = '2079460958'
      WHERE organization_id = ${organizationId} AND id = ${agentId}`;
  });
  const users = [
    { userId, home: organizationId },
    { userId: (await seedUser(databaseUrl, organizationId, 'dispatcher')).userId, home: organizationId },
    { userId: (await seedUser(databaseUrl, 0, 'super_admin')).userId, home: 0 },
  ];
  for (const each of users) {
    const passwordHash = await hash(PASSWORD);
    const [account] = await withSql(
      databaseUrl,
      (sql) => sql<{ email: string }[]>`
        UPDATE users SET password_hash = ${passwordHash} WHERE organization_id = ${each.home} AND id = ${each.userId}
        RETURNING email`,
    );
    const signedIn = (await signIn(fixture.api, { ...account!, password: PASSWORD })) as SignedInView;
    const { user, organization } = (await me(bearer(signedIn.accessToken))).body.data;
    assert.deepEqual([signedIn.user, signedIn.organization], [user, organization]);
    const refreshed = await ask<SignedInView>(fixture.api, 'refresh', { refreshToken: signedIn.refreshToken });
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.deepEqual([refreshed.body.data.user, refreshed.body.data.organization], [user, organization]);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountView } from '../../../schema/accounts/user.ts';
import { seedSession, seedUser } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();
const LAST = 'The user is the only org_admin who is active and verified: make another one first';

/** Administrators of an organization without any other user, each with its id and its client. */
async function administrators(count: number) {
  const { organizationId } = await fixture.organization();
  const admins = Array.from({ length: count }, async () => {
    const { userId } = await seedUser(fixture.gateway.databaseUrl, organizationId, 'org_admin');
    const token = await seedSession(fixture.gateway.databaseUrl, organizationId, userId);
    return { userId, api: fixture.clientOf(token) };
  });
  return { organizationId, admins: await Promise.all(admins) };
}

test('the only administrator who can act keeps role and activity, and may change the rest', async () => {
  const { admins } = await administrators(1);
  const [{ userId, api }] = admins as [(typeof admins)[0]];
  const invited = { email: `new.${userId}@office.example`, name: 'New', role: 'org_admin' };
  assert.equal((await api.post('/users', invited)).status, 201, 'who never signed in cannot act yet');
  for (const fields of [{ role: 'dispatcher' }, { isActive: false }, { role: 'integration', isActive: false }]) {
    const { status, body } = await api.patch(`/users/${userId}`, fields);
    assert.deepEqual([status, body.code, body.message], [409, 'CONFLICT', LAST]);
  }
  assert.equal((await api.patch<AccountView>(`/users/${userId}`, { name: 'Ada' })).body.data.role, 'org_admin');
});

test('with another one an administrator may go, and then the other is the last', async () => {
  const { admins } = await administrators(2);
  const [first, second] = admins as [(typeof admins)[0], (typeof admins)[0]];
  assert.equal((await first.api.patch(`/users/${first.userId}`, { role: 'dispatcher' })).status, 200);
  assert.equal((await second.api.patch(`/users/${second.userId}`, { isActive: false })).status, 409);
});

test('a super admin may take the rights of the last one', async () => {
  const { organizationId, admins } = await administrators(1);
  const { userId } = await seedUser(fixture.gateway.databaseUrl, 0, 'super_admin');
  const operator = fixture.clientOf(await seedSession(fixture.gateway.databaseUrl, 0, userId));
  const reply = await operator.patch(
    `/users/${admins[0]!.userId}`,
    { isActive: false },
    { 'x-organization-id': String(organizationId) },
  );
  assert.equal(reply.status, 200, reply.text);
});

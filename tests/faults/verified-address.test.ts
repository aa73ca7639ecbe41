import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueToken } from '../../engine/store/accounts/user-token-store.ts';
import { createApiClient } from '../support/api-client.ts';
import { seedSession, seedUser, withSql } from '../support/seeds/seed.ts';
import { createTestPlace, startTestGateway } from '../support/system/gateway.ts';

const USERS = 5;

test('a user whose address has been verified is served by every gateway from the answer on', async () => {
  const place = await createTestPlace();
  const { databaseUrl, organizationId } = place;
  const start = (id: string) => startTestGateway({ place, environment: { GATEWAY_ID: id } });
  const gateways = [await start('a'), await start('b')] as const;
  const clients = gateways.map((gateway) => createApiClient(gateway));
  const [a, b] = clients as [(typeof clients)[number], (typeof clients)[number]];
  try {
    for (let made = 0; made < USERS; made += 1) {
      const { userId, email } = await seedUser(databaseUrl, organizationId, 'org_admin');
      const headers = { authorization: `Bearer ${await seedSession(databaseUrl, organizationId, userId)}` };
      const issued = await withSql(databaseUrl, async (sql) => {
        await sql`UPDATE users SET email_verified_at = NULL WHERE organization_id = ${organizationId} AND id = ${userId}`;
        return issueToken(sql, 'verify_email', email, Date.now());
      });
      const statusAt = async (client: typeof a) =>
        (await client.raw({ method: 'GET', path: '/api/v1/users', headers })).status;
      assert.deepEqual([await statusAt(a), await statusAt(b)], [403, 403]);
      const body = JSON.stringify({ token: issued!.token });
      const path = '/api/v1/auth/verify-email';
      const verified = await a.raw({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
      assert.equal(verified.status, 200, verified.text);
      assert.deepEqual([await statusAt(a), await statusAt(b)], [200, 200]);
    }
  } finally {
    for (const client of clients) client.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await place.drop();
  }
});

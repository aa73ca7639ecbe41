import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSecret } from '../../../engine/runtime/secrets.ts';
import { beginOperatorSession, endOperatorSession } from '../../../engine/store/accounts/operator-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { seedUser, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, bearer, signIn } from './auth-client.ts';

const fixture = useGateway({ organization: { role: 'org_admin' } });

/** Resolves when a statement of the administration waits for a row, its snapshot taken. */
function untilAdministrationWaits(sql: Sql): Promise<void> {
  return until('the change waits for the row', async () => {
    const rows = await sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'dispatch administration'
        AND wait_event_type = 'Lock'`;
    return rows.length > 0;
  });
}

test('a login that slips in beside a deactivation gets a session that does not come back with the account', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const user = await seedUser(databaseUrl, organizationId, 'org_admin', 'correct horse battery staple');
  const activate = (isActive: boolean) => fixture.api.patch(`/users/${user.userId}`, { isActive });
  const [tokens, { deactivating }] = await withSql(databaseUrl, (sql) =>
    sql.begin(async (holder) => {
      await holder`SELECT organization_id FROM users WHERE id = ${user.userId} FOR SHARE`;
      const deactivating = activate(false);
      await withSql(databaseUrl, untilAdministrationWaits);
      return [await signIn(fixture.api, user), { deactivating }] as const;
    }),
  );
  assert.equal((await deactivating).status, 200);
  assert.equal((await fixture.api.get('/tasks', bearer(tokens.accessToken))).status, 403, 'of an inactive user');
  assert.equal((await activate(true)).status, 200);
  assert.equal((await fixture.api.get('/tasks', bearer(tokens.accessToken))).status, 401);
  assert.equal((await ask(fixture.api, 'refresh', { refreshToken: tokens.refreshToken })).status, 401);
  await signIn(fixture.api, user);
});

test('a session of the operator stands in the audit log from its beginning to its end, by the system', () =>
  withSql(fixture.gateway.databaseUrl, async (sql) => {
    const userId = 4_711;
    const token = newSecret('da_', 40);
    await beginOperatorSession(sql, userId, token, 60_000);
    for (let i = 0; i < 2; i++) await endOperatorSession(sql, token);
    const [session] = await sql<{ id: number }[]>`
      SELECT id FROM sessions WHERE organization_id = 0 AND user_id = ${userId} AND revoked_at IS NOT NULL`;
    const lines = await sql`
      SELECT action, actor_type, before, after FROM audit_access
      WHERE organization_id = 0 AND record_type = 'session' AND record_id = ${session!.id} ORDER BY id`;
    assert.deepEqual(
      lines.map((line) => ({ ...line })),
      [
        { action: 'session.issued', actorType: 'system', before: null, after: { userId } },
        { action: 'session.ended', actorType: 'system', before: { userId }, after: null },
      ],
    );
  }));

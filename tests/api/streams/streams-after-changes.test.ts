import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectPostgres, numberArray, type Sql } from '../../../engine/store/postgres.ts';
import { seedAgent, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { hearChanges, useStreams } from './stream-fixture.ts';

const fixture = useGateway({ own: 'it ends the sessions of all super admins' });
const streams = useStreams();

const ROUNDS = 5;

/** An organization with everybody who may watch it: a key, a user, a super admin and an agent. */
async function watchedOrganization() {
  const { databaseUrl, baseUrl } = fixture.gateway;
  const { organizationId, key } = await fixture.organization();
  const sessionOf = async (role: 'dispatcher' | 'super_admin', of: number) =>
    seedSession(databaseUrl, of, (await seedUser(databaseUrl, of, role)).userId);
  const [session, platform] = [await sessionOf('dispatcher', organizationId), await sessionOf('super_admin', 0)];
  const agent = await seedSession(databaseUrl, organizationId, (await seedAgent(databaseUrl, organizationId)).userId);
  const tokenOfPlatform = async () => {
    const header = { 'x-organization-id': `${organizationId}` };
    const { body } = await fixture.clientOf(platform).post<{ token: string }>('/realtime/token', {}, header);
    return body.data.token;
  };
  const watch = (how: { key?: string; query?: string; path?: string }) =>
    streams.watch(baseUrl, { organizationId, ...how });
  return {
    organizationId,
    watchAll: () =>
      Promise.all([
        watch({ key }),
        watch({ key: session }),
        tokenOfPlatform().then((token) => watch({ query: `token=${token}` })),
        watch({ key: agent, path: '/realtime/me/events' }),
      ]),
    /** All streams receive this. */
    goOnDuty: () => fixture.clientOf(agent).put('/agents/me/duty', { onDuty: true }),
  };
}

/** Changes a record that the access of all rests on, so that no stream loses its access. */
async function changeAccess(sql: Sql, organizationId: number): Promise<void> {
  const both = numberArray([organizationId, 0]);
  await sql`UPDATE organizations SET status = 'inactive' WHERE organization_id = ${organizationId}`;
  await sql`UPDATE sessions SET revoked_at = now() WHERE organization_id = ANY(${both}::bigint[])`;
  await sql`UPDATE sessions SET revoked_at = NULL WHERE organization_id = ANY(${both}::bigint[])`;
  await sql`UPDATE users SET email_verified_at = clock_timestamp() WHERE organization_id = ANY(${both}::bigint[])`;
  await sql`UPDATE channels SET rate_limit = 100 WHERE organization_id = ${organizationId}`;
  await sql`UPDATE organizations SET status = 'active' WHERE organization_id = ${organizationId}`;
}

test('streams that open right after changes of their access, before these are heard of, go on', async () => {
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { organizationId, watchAll, goOnDuty } = await watchedOrganization();
      await changeAccess(sql, organizationId);
      const opened = await watchAll();
      await hearChanges(fixture);
      await goOnDuty();
      for (const stream of opened) assert.equal((await stream.take(1))[0]!.event, 'agent.duty_changed');
      await changeAccess(sql, organizationId);
      for (const stream of opened) await assert.rejects(stream.next(), /the stream has ended/);
    }
  });
});

test('a change that commits after the look-up ends a stream, though its transaction began before', async () => {
  const { databaseUrl } = fixture.gateway;
  const { organizationId, watchAll } = await watchedOrganization();
  // One connection is one session, so that these are one transaction.
  const slow = connectPostgres(databaseUrl, { name: 'slow', connections: 1, statementTimeoutMs: 30_000 });
  try {
    await slow.unsafe('BEGIN');
    await changeAccess(slow, organizationId);
    // Rows that commit in the meantime have higher transaction ids.
    await fixture.organization();
    const opened = await watchAll();
    await hearChanges(fixture);
    await slow.unsafe('COMMIT');
    for (const stream of opened) await assert.rejects(stream.next(), /the stream has ended/);
  } finally {
    await slow.end({ timeout: 5 });
  }
});

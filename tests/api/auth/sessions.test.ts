import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { hashSecret } from '../../../engine/runtime/secrets.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { seedUser, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { within } from '../../support/within.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, auditOf, bearer, signIn, type Tokens } from './auth-client.ts';

const fixture = useGateway();
const PASSWORD = 'correct horse battery staple';

async function seedAdmin() {
  const { databaseUrl, organizationId } = fixture.gateway;
  return seedUser(databaseUrl, organizationId, 'org_admin', PASSWORD);
}

const refresh = (refreshToken: string) => ask(fixture.api, 'refresh', { refreshToken });
const read = async ({ accessToken }: Tokens) => (await fixture.api.get('/tasks', bearer(accessToken))).status;

test('the right password opens a session: an access token for 15 minutes and a refresh token', async () => {
  const admin = await seedAdmin();
  const correlationId = randomUUID();
  const { email, password } = admin;
  const reply = await ask(
    fixture.api,
    'login',
    { email: email.toUpperCase(), password },
    { 'x-correlation-id': correlationId },
  );
  assert.equal(reply.status, 200);
  const { accessToken, refreshToken, expiresIn } = reply.body.data;
  assert.match(accessToken, /^da_[A-Za-z0-9]{40}$/);
  assert.match(refreshToken, /^dr_[A-Za-z0-9]{64}$/);
  assert.equal(expiresIn, 900);
  assert.equal(await read(reply.body.data), 200);
  const [session] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
      SELECT id, address, encode(access_hash, 'hex') AS access_hash, encode(refresh_hash, 'hex') AS refresh_hash,
        extract(epoch FROM access_expires_at - created_at)::int AS access_seconds,
        extract(epoch FROM refresh_expires_at - created_at)::int AS refresh_seconds
      FROM sessions WHERE user_id = ${admin.userId}`,
  );
  const { id, ...rest } = session as { id: number };
  assert.deepEqual(rest, {
    address: '127.0.0.1',
    accessHash: hashSecret(accessToken),
    refreshHash: hashSecret(refreshToken),
    accessSeconds: 900,
    refreshSeconds: 30 * 86_400,
  });
  assert.deepEqual(await auditOf(fixture, admin.userId), [
    {
      action: 'session.login',
      recordType: 'session',
      recordId: id,
      actorType: 'user',
      actorId: admin.userId,
      correlationId,
      address: '127.0.0.1',
      before: null,
      after: { userId: admin.userId },
    },
  ]);
});

test('an Idempotency-Key makes nobody get the session of before', async () => {
  const { email, password } = await seedAdmin();
  const headers = { 'idempotency-key': randomUUID() };
  const first = await ask(fixture.api, 'login', { email, password }, headers);
  const second = await ask(fixture.api, 'login', { email, password }, headers);
  assert.equal(second.status, 200);
  assert.equal(second.headers['idempotency-replayed'], undefined);
  assert.notEqual(second.body.data.accessToken, first.body.data.accessToken);
});

test('a refresh hands out new tokens and makes the old access token void', async () => {
  const admin = await seedAdmin();
  let tokens = await signIn(fixture.api, admin);
  for (let i = 0; i < 3; i++) {
    const reply = await refresh(tokens.refreshToken);
    assert.equal(reply.status, 200);
    assert.notEqual(reply.body.data.refreshToken, tokens.refreshToken);
    assert.equal(await read(reply.body.data), 200);
    await untilVoid(tokens);
    tokens = reply.body.data;
  }
  assert.deepEqual(
    (await auditOf(fixture, admin.userId)).map(({ action }) => action),
    ['session.login'],
    'a refresh is no change that anybody looks for',
  );
});

/** A refreshed token leaves the cache within a poll of what has changed. */
const untilVoid = (tokens: Tokens) => until('the access token is void', async () => (await read(tokens)) === 401);

test('a refresh token that is used again after its successor ends its session at once, and no other one', async () => {
  const admin = await seedAdmin();
  const stolen = await signIn(fixture.api, admin);
  const other = await signIn(fixture.api, admin);
  const next = (await refresh(stolen.refreshToken)).body.data;
  const { body } = await refresh(next.refreshToken);
  assert.equal(await read(body.data), 200);
  const again = await refresh(stolen.refreshToken);
  assert.equal(again.status, 401);
  assert.equal(again.body.message, 'Unauthorized');
  assert.equal(await read(body.data), 401, 'the thief, or the victim, is out');
  assert.equal((await refresh(body.data.refreshToken)).status, 401);
  assert.equal(await read(other), 200);
  const actions = (await auditOf(fixture, admin.userId)).map(({ action }) => action);
  assert.deepEqual(actions, ['session.login', 'session.login', 'session.reuse_detected']);
});

test('a refresh token that is unknown, made up from a known one, expired or of an inactive user is refused alike', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const expired = await signIn(fixture.api, await seedAdmin());
  await withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE sessions SET refresh_expires_at = now()
      WHERE organization_id = ${organizationId} AND access_hash = decode(${hashSecret(expired.accessToken)}, 'hex')`,
  );
  const dismissed = await seedAdmin();
  const ofDismissed = await signIn(fixture.api, dismissed);
  await withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE users SET is_active = false WHERE organization_id = ${organizationId} AND id = ${dismissed.userId}`,
  );
  const wrong = ['x', `dr_${'a'.repeat(64)}`, expired.accessToken, expired.refreshToken, ofDismissed.refreshToken];
  const replies = await Promise.all(wrong.map(refresh));
  assert.deepEqual(
    replies.map(({ status }) => status),
    wrong.map(() => 401),
  );
  assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
});

test('an access token is good until it expires', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { tokens, status } = await within(4_000, async () => {
    const tokens = await signIn(fixture.api, await seedAdmin());
    await withSql(
      databaseUrl,
      (sql) => sql`
        UPDATE sessions SET access_expires_at = now() + interval '4 seconds'
        WHERE organization_id = ${organizationId} AND access_hash = decode(${hashSecret(tokens.accessToken)}, 'hex')`,
    );
    return { tokens, status: await read(tokens) };
  });
  assert.equal(status, 200);
  await untilVoid(tokens);
  assert.equal((await refresh(tokens.refreshToken)).status, 200, 'the session goes on');
});

test('signing out ends the session that asks, or with everywhere=true all of the user', async () => {
  const admin = await seedAdmin();
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => signIn(fixture.api, admin)));
  const out = await fixture.api.post('/auth/logout', {}, bearer(first!.accessToken));
  assert.equal(out.status, 200);
  assert.deepEqual(out.body.data, {});
  assert.equal(await read(first!), 401);
  assert.equal((await refresh(first!.refreshToken)).status, 401);
  assert.equal(await read(second!), 200);
  const everywhere = await fixture.api.post('/auth/logout?everywhere=true', {}, bearer(second!.accessToken));
  assert.equal(everywhere.status, 200);
  assert.deepEqual(await Promise.all([second!, third!].map(read)), [401, 401]);
  const actions = (await auditOf(fixture, admin.userId)).map(({ action }) => action);
  assert.equal(actions.filter((action) => action === 'session.logout').length, 3);
});

test('a user has a bounded number of sessions: at a login those that were refreshed longest ago make room', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const admin = await seedAdmin();
  const [forgotten, used] = [await signIn(fixture.api, admin), await signIn(fixture.api, admin)];
  const live = () =>
    withSql(databaseUrl, async (sql) => {
      const [row] = await sql<{ count: number }[]>`
        SELECT count(*) FROM sessions WHERE user_id = ${admin.userId} AND revoked_at IS NULL`;
      return row!.count;
    });
  await withSql(databaseUrl, async (sql) => {
    await sql`
      UPDATE sessions SET refreshed_at = now() - interval '2 days'
      WHERE access_hash = decode(${hashSecret(forgotten.accessToken)}, 'hex')`;
    await sql`
      INSERT INTO sessions (organization_id, id, user_id, access_hash, access_expires_at, refreshed_at)
      SELECT ${organizationId}, nextval('session_ids'), ${admin.userId}, sha256(n::text::bytea), now() + interval '1 hour',
        now() - interval '1 day' - n * interval '1 second'
      FROM generate_series(2, ${LIMITS.sessionsPerUser + LIMITS.sessionsEndedByLogin}::int) n`;
  });
  assert.equal(await read(forgotten), 200);
  const lefts = [];
  for (let login = 0; login < 3; login++) {
    await signIn(fixture.api, admin);
    lefts.push((await live()) - LIMITS.sessionsPerUser);
  }
  assert.deepEqual(lefts, [2, 0, 0], 'many of an earlier release end by and by');
  await untilVoid(forgotten);
  assert.equal((await refresh(forgotten.refreshToken)).status, 401);
  assert.equal(await read(used), 200);
  const actions = (await auditOf(fixture, admin.userId)).map(({ action }) => action);
  assert.equal(actions.filter((action) => action === 'session.displaced').length, LIMITS.sessionsEndedByLogin + 4);
});

test('signing out needs a session: a key is refused, and so is nobody', async () => {
  assert.equal((await fixture.api.post('/auth/logout', {})).status, 403);
  assert.equal((await ask(fixture.api, 'logout', {})).status, 401);
  const { accessToken } = await signIn(fixture.api, await seedAdmin());
  const reply = await fixture.api.post('/auth/logout?everywhere=maybe', {}, bearer(accessToken));
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.body.message, ['everywhere must be true or false']);
});

test('a super admin signs in without an organization', async () => {
  const admin = await seedUser(fixture.gateway.databaseUrl, 0, 'super_admin', PASSWORD);
  const tokens = await signIn(fixture.api, admin);
  const { organizationId } = fixture.gateway;
  const headers = { ...bearer(tokens.accessToken), 'x-organization-id': `${organizationId}` };
  assert.equal((await fixture.api.get('/tasks', headers)).status, 200);
  assert.equal((await refresh(tokens.refreshToken)).status, 200);
});

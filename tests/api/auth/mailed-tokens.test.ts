import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueToken } from '../../../engine/store/accounts/user-token-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import type { TokenPurpose } from '../../../schema/accounts/session.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { seedUser, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { within } from '../../support/within.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, auditOf, BEHIND_PROXY, bearer, from, signIn } from './auth-client.ts';

const fixture = useGateway({ environment: BEHIND_PROXY });
const PASSWORD = 'correct horse battery staple';
const NEXT_PASSWORD = 'another horse altogether';

async function seedAdmin(isVerified = true) {
  const { databaseUrl, organizationId } = fixture.gateway;
  const admin = await seedUser(databaseUrl, organizationId, 'org_admin', PASSWORD);
  await withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE users SET email_verified_at = ${isVerified ? new Date().toISOString() : null}
      WHERE organization_id = ${organizationId} AND id = ${admin.userId}`,
  );
  return admin;
}

/** The tokens that the worker would mail; `now` in milliseconds since the epoch. */
async function mailedToken(purpose: TokenPurpose, email: string, now = Date.now()): Promise<string> {
  const issued = await withSql(fixture.gateway.databaseUrl, (sql) => issueToken(sql, purpose, email, now));
  assert.ok(issued?.token, `a token for ${email}`);
  return issued.token;
}

const verify = (token: string) => ask<object>(fixture.api, 'verify-email', { token });
const reset = (token: string, password = NEXT_PASSWORD) =>
  ask<object>(fixture.api, 'password-reset/complete', { token, password });

test('the mailed token verifies the address, once', async () => {
  const admin = await seedAdmin(false);
  assert.equal((await ask(fixture.api, 'login', admin)).body.code, 'EMAIL_NOT_VERIFIED');
  const token = await mailedToken('verify_email', admin.email);
  const reply = await verify(token);
  assert.equal(reply.status, 200);
  assert.deepEqual(reply.body.data, {});
  await signIn(fixture.api, admin);
  const again = await verify(token);
  assert.equal(again.status, 400);
  assert.equal(again.body.code, 'TOKEN_INVALID');
  const [verified] = await auditOf(fixture, admin.userId);
  assert.equal(verified?.action, 'user.email_verified');
  assert.deepEqual([verified.recordType, verified.recordId], ['user', admin.userId]);
  assert.deepEqual(verified.before, { emailVerifiedAt: null });
  assert.match((verified.after as { emailVerifiedAt: string }).emailVerifiedAt, /^\d{4}-.*\.\d{3}Z$/);
});

test('of many uses of one token at the same time one succeeds', async () => {
  const toVerify = await mailedToken('verify_email', (await seedAdmin(false)).email);
  const toReset = await mailedToken('reset_password', (await seedAdmin()).email);
  for (const use of [() => verify(toVerify), () => reset(toReset)]) {
    const statuses = (await Promise.all(Array.from({ length: 6 }, use))).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 400, 400, 400, 400, 400]);
  }
});

test('a token is bad after its time, after another one was used, for the other purpose, and when nobody made it', async () => {
  const [late, early, twice] = await Promise.all([seedAdmin(false), seedAdmin(), seedAdmin()]);
  const bad = [
    verify(await mailedToken('verify_email', late.email, Date.now() - LIMITS.verifyTokenMs)),
    reset(await mailedToken('reset_password', early.email, Date.now() - LIMITS.resetTokenMs)),
    verify(await mailedToken('reset_password', early.email)),
    verify('x'),
    reset('x'),
  ];
  const older = await mailedToken('reset_password', twice.email);
  const newer = await mailedToken('reset_password', twice.email);
  const newest = await mailedToken('reset_password', twice.email);
  assert.equal((await reset(older)).status, 200, 'newer ones leave it good');
  for (const reply of await Promise.all([...bad, reset(newer), reset(newest)])) {
    assert.equal(reply.status, 400);
    assert.equal(reply.body.code, 'TOKEN_INVALID');
  }
});

test('a reset sets the password, verifies the address and ends every session at once', async () => {
  const admin = await seedAdmin();
  const sessions = await Promise.all([signIn(fixture.api, admin), signIn(fixture.api, admin)]);
  const token = await mailedToken('reset_password', admin.email);
  assert.equal((await reset(token)).status, 200);
  for (const { accessToken, refreshToken } of sessions) {
    assert.equal((await fixture.api.get('/tasks', bearer(accessToken))).status, 401);
    assert.equal((await ask(fixture.api, 'refresh', { refreshToken })).status, 401);
  }
  assert.equal((await ask(fixture.api, 'login', { email: admin.email, password: PASSWORD })).status, 401);
  await signIn(fixture.api, { email: admin.email, password: NEXT_PASSWORD });
  const entry = (await auditOf(fixture, admin.userId)).find(({ action }) => action === 'user.password_reset');
  assert.deepEqual([entry?.before, entry?.after], [null, null], 'no password is logged');

  const unverified = await seedAdmin(false);
  assert.equal((await reset(await mailedToken('reset_password', unverified.email))).status, 200);
  await signIn(fixture.api, { email: unverified.email, password: NEXT_PASSWORD });
});

test('a login with the old password that slips in beside a reset gets a session that ends with it', async () => {
  const { databaseUrl } = fixture.gateway;
  const admin = await seedAdmin();
  const token = await mailedToken('reset_password', admin.email);
  const [tokens, resetting] = await withSql(databaseUrl, (sql) =>
    sql.begin(async (holder) => {
      await holder`SELECT organization_id FROM users WHERE id = ${admin.userId} FOR SHARE`;
      const resetting = reset(token);
      await withSql(databaseUrl, untilAccountWaits);
      return [await signIn(fixture.api, admin), { resetting }] as const;
    }),
  );
  assert.equal((await resetting.resetting).status, 200);
  assert.equal((await fixture.api.get('/tasks', bearer(tokens.accessToken))).status, 401);
  assert.equal((await ask(fixture.api, 'refresh', { refreshToken: tokens.refreshToken })).status, 401);
});

/** Resolves when a statement of the accounts waits for a row, its snapshot taken. */
function untilAccountWaits(sql: Sql): Promise<void> {
  return until('the reset waits for the row', async () => {
    const rows = await sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'dispatch accounts'
        AND wait_event_type = 'Lock'`;
    return rows.length > 0;
  });
}

test('of many tokens of one user that are used at the same time one succeeds', async () => {
  const { email } = await seedAdmin();
  const tokens: string[] = [];
  for (let i = 0; i < LIMITS.liveTokensPerPurpose; i++) tokens.push(await mailedToken('reset_password', email));
  const statuses = (await Promise.all(tokens.map((token) => reset(token)))).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 400, 400, 400, 400]);
});

test('a new password has 8 to 128 characters, and one that is refused leaves the token as it was', async () => {
  const token = await mailedToken('reset_password', (await seedAdmin()).email);
  for (const [password, message] of [
    ['seven77', 'password must be at least 8 characters'],
    ['x'.repeat(129), 'password must be at most 128 characters'],
  ] as const) {
    const reply = await reset(token, password);
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body.message, [message]);
  }
  assert.equal((await reset(token, ' '.repeat(128))).status, 200);
});

test('a requested mail is noted once, and the answer is the same for known and unknown addresses', async () => {
  const { email } = await seedAdmin();
  const texts = new Set<string>();
  for (const path of ['resend-verification', 'password-reset/request']) {
    for (const address of [email, email.toUpperCase(), 'nobody@example.com']) {
      const reply = await ask<object>(fixture.api, path, { email: address });
      assert.equal(reply.status, 202);
      texts.add(`${reply.body.message} ${JSON.stringify(reply.body.data)}`);
    }
  }
  assert.deepEqual([...texts], ['Accepted {}']);
  const rows = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`SELECT purpose, lower(email) AS email FROM mail_requests ORDER BY purpose, email`,
  );
  assert.deepEqual(
    rows.map((row) => `${row['purpose']} ${row['email']}`).sort(),
    [
      `reset_password ${email}`,
      'reset_password nobody@example.com',
      `verify_email ${email}`,
      'verify_email nobody@example.com',
    ].sort(),
  );
});

test('mails for one address are asked for five times a minute at most, and logins are counted apart', async () => {
  const admin = await seedAdmin();
  let [address, headers] = [77, from('')];
  // One more may be asked for after a fifth of a minute.
  const refused = await within(60_000 / LIMITS.loginFailuresPerMinute, async () => {
    headers = from(`203.0.113.${address++}`);
    const request = () => ask<object>(fixture.api, 'password-reset/request', { email: admin.email }, headers);
    for (let i = 0; i < LIMITS.loginFailuresPerMinute; i++) assert.equal((await request()).status, 202);
    return request();
  });
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.equal((await ask(fixture.api, 'login', admin, headers)).status, 200);
});

test('the routes that release notes name answer without the prefix, too', async () => {
  const { email } = await seedAdmin();
  const ofPath = async (path: string, body: object) => {
    const reply = await fixture.api.raw({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return reply.status;
  };
  assert.equal(await ofPath('/auth/verify-email', { token: 'x' }), 400);
  assert.equal(await ofPath('/auth/resend-verification', { email }), 202);
  assert.equal(await ofPath('/auth/password-reset/request', { email }), 202);
  assert.equal(await ofPath('/auth/password-reset/complete', { token: 'x', password: NEXT_PASSWORD }), 400);
  assert.equal(await ofPath('/auth/login', { email, password: 'x' }), 404);
});

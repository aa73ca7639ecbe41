import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { seedUser, withSql } from '../../support/seeds/seed.ts';
import { within } from '../../support/within.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, BEHIND_PROXY, from } from './auth-client.ts';

const fixture = useGateway({ environment: BEHIND_PROXY });
const PASSWORD = 'correct horse battery staple';
/** After so long there may be one more. */
const NEXT_LOGIN_MS = 60_000 / LIMITS.loginFailuresPerMinute;
let addresses = 0;

/** An address that no other test has used. */
const elsewhere = () => from(`198.51.${addresses++}.7`);
const login = (email: string, password: string, headers = elsewhere()) =>
  ask(fixture.api, 'login', { email, password }, headers);

async function seedAdmin(change: Record<string, unknown> = {}) {
  const { databaseUrl, organizationId } = fixture.gateway;
  const admin = await seedUser(databaseUrl, organizationId, 'org_admin', PASSWORD);
  if (Object.keys(change).length > 0) {
    await withSql(
      databaseUrl,
      (sql) => sql`
        UPDATE users SET ${sql(change)} WHERE organization_id = ${organizationId} AND id = ${admin.userId}`,
    );
  }
  return admin;
}

test('an unknown account, a wrong password, an inactive user and one without a password get the same bytes', async () => {
  const known = await seedAdmin();
  const inactive = await seedAdmin({ is_active: false });
  const passwordless = await seedAdmin({ password_hash: null });
  const unverified = await seedAdmin({ email_verified_at: null });
  const replies = await Promise.all([
    login('nobody@example.com', PASSWORD),
    login(known.email, `${PASSWORD}r`),
    login(known.email, PASSWORD.slice(0, -1)),
    login(inactive.email, PASSWORD),
    login(passwordless.email, PASSWORD),
    login(unverified.email, 'wrong password'),
  ]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    replies.map(() => 401),
  );
  assert.deepEqual(
    [...new Set(replies.map(({ text }) => text))],
    ['{"statusCode":401,"message":"Unauthorized","error":"Unauthorized"}'],
  );
});

test('only who knows the password learns that the e-mail address is not verified', async () => {
  const { email } = await seedAdmin({ email_verified_at: null });
  const reply = await login(email, PASSWORD);
  assert.equal(reply.status, 403);
  assert.equal(reply.body.code, 'EMAIL_NOT_VERIFIED');
});

test('nobody of an organization that is not active gets in', async () => {
  const { organizationId } = await fixture.organization({ status: 'pending' });
  const { email } = await seedUser(fixture.gateway.databaseUrl, organizationId, 'org_admin', PASSWORD);
  const reply = await login(email, PASSWORD);
  assert.equal(reply.status, 403);
  assert.equal(reply.body.code, 'ORGANIZATION_NOT_ACTIVE');
});

test('all missing and wrong fields of a body are named at once', async () => {
  for (const [body, message] of [
    [{}, ['email is required', 'password is required']],
    [{ email: 'x', password: '' }, ['email must be an e-mail address', 'password must not be empty']],
    [{ email: 7, password: ['x'] }, ['email must be a string', 'password must be a string']],
    [{ email: 'a@example.com', password: 'x'.repeat(129) }, ['password must be at most 128 characters']],
    [{ email: 'a@example.com', password: 'half \ud800' }, ['password must not contain NUL or unpaired surrogates']],
  ] as const) {
    const reply = await ask(fixture.api, 'login', body, elsewhere());
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body.message, message);
  }
});

test('five wrong passwords a minute are enough for one address; the right one from another is let in', async () => {
  const { email } = await seedAdmin();
  const refused = await within(NEXT_LOGIN_MS, async () => {
    const attacker = elsewhere();
    for (let i = 0; i < LIMITS.loginFailuresPerMinute; i++)
      assert.equal((await login(email, `guess ${i}`, attacker)).status, 401);
    return login(email, PASSWORD, attacker);
  });
  assert.equal(refused.status, 429);
  assert.equal(refused.body.code, 'RATE_LIMITED');
  const seconds = Number(refused.headers['retry-after']);
  assert.ok(seconds >= 1 && seconds <= 12, `Retry-After: ${seconds}`);
  assert.equal((await login(email, PASSWORD)).status, 200);
});

test('accounts that nobody has are throttled like any other', async () => {
  const refused = await within(NEXT_LOGIN_MS, async () => {
    const attacker = elsewhere();
    for (let i = 0; i < LIMITS.loginFailuresPerMinute; i++)
      assert.equal((await login('nobody@example.com', `guess ${i}`, attacker)).status, 401);
    return login('nobody@example.com', 'guess', attacker);
  });
  assert.equal(refused.status, 429);
});

test('a hundred wrong passwords at once are no way around the throttle', async () => {
  const { email } = await seedAdmin();
  const attacker = elsewhere();
  const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => login(email, `guess ${i}`, attacker)));
  assert.equal(replies.filter(({ status }) => status === 401).length, LIMITS.loginFailuresPerMinute);
  assert.equal(replies.filter(({ status }) => status === 429).length, 100 - LIMITS.loginFailuresPerMinute);
});

test('a user with the right password is never throttled, however often it signs in', async () => {
  const { email } = await seedAdmin();
  const home = elsewhere();
  for (let i = 0; i < 4 * LIMITS.loginFailuresPerMinute; i++)
    assert.equal((await login(email, PASSWORD, home)).status, 200);
});

test('passwords from many addresses at once are checked in turn or refused with 429, and then all is well', async () => {
  const { email } = await seedAdmin();
  const replies = await Promise.all(Array.from({ length: 200 }, (_, i) => login(`nobody-${i}@example.com`, 'x')));
  const count = (wanted: number) => replies.filter(({ status }) => status === wanted).length;
  assert.equal(count(401) + count(429), 200);
  assert.ok(count(429) > 0, 'more than there is room for');
  assert.ok(count(401) >= LIMITS.passwordQueue, `${count(401)} were checked`);
  assert.ok(replies.every(({ status, headers }) => status !== 429 || headers['retry-after'] === '1'));
  assert.equal((await login(email, PASSWORD)).status, 200);
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { hashSecret, newApiKey } from '../../../engine/runtime/secrets.ts';
import type { Credential } from '../../../engine/store/access/credential-store.ts';
import { createAuthenticator } from '../../../gateway/guards/authenticate.ts';
import { CredentialCache } from '../../../gateway/guards/credential-cache.ts';
import type { IncomingRequest } from '../../../gateway/http/port.ts';
import type { Route } from '../../../gateway/route.ts';
import { useGateway } from '../../api/api-fixture.ts';
import { seedUser, withSql } from '../../support/seeds/seed.ts';
import { type Comparison, compareTimes, isApart, spin } from './timing-comparison.ts';

/**
 * What does the time of an answer tell? Each question is put twice: as it is, where no difference beyond the bound may
 * show, and with a fault planted, which the same number of samples has to show. Bounds: what a patient observer in the
 * same data centre could not use.
 */
const KEY_BOUND_MS = 0.000_2;
const LOGIN_BOUND_SHARE = 0.05;
const REQUEST_BOUND_MS = 0.3;

const fixture = useGateway({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
let requests = 0;

/** Posts without a credential, each time from another address, so that no throttle has a say. */
async function post(path: string, body: object, wantedStatus: number): Promise<void> {
  requests += 1;
  const headers = {
    'x-api-key': undefined,
    'x-forwarded-for': `10.${requests >> 16}.${(requests >> 8) & 255}.${requests & 255}`,
  };
  const reply = await fixture.api.post(path, body, headers);
  assert.equal(reply.status, wantedStatus, reply.text);
}

function tell(t: TestContext, { medians, difference }: Comparison): void {
  const shown = (ms: number) => `${(ms * 1_000).toFixed(2)} µs`;
  t.diagnostic(`medians ${medians.map(shown).join(' and ')}, difference ${difference.map(shown).join(' … ')}`);
}

test('a key that is right in 47 of its 48 characters is refused as quickly as one that is wrong in all', async (t) => {
  const key = newApiKey();
  const nearly = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
  const refuse = await refusalOfKeys(key);
  const [near, far] = [await refuse(nearly), await refuse(newApiKey())];
  for (let i = 0; i < 5_000; i++) void [near(), far()];
  const asItIs = await compareTimes(near, far, 10_000);
  tell(t, asItIs);
  assert.ok(!isApart(asItIs, KEY_BOUND_MS), 'the time tells');

  const planted = await compareTimes(() => [near(), spin(3 * KEY_BOUND_MS)], far, 10_000);
  assert.ok(isApart(planted, KEY_BOUND_MS), 'the method sees what is there');
});

/** Ways to have a wrong key refused by the guard, where `key` is a good one. */
async function refusalOfKeys(key: string): Promise<(wrong: string) => Promise<() => unknown>> {
  const credentials = new CredentialCache({
    store: { findCredentials: async (hashes) => hashes.filter((hash) => hash === hashSecret(key)).map(credentialOf) },
    feed: { freshUntil: Number.POSITIVE_INFINITY, isAway: false, onChanges: () => () => {} },
    clock: { now: () => 0, monotonic: () => 0 },
    scheduler: { after: () => () => {}, every: () => () => {}, soon: setImmediate },
  });
  const authenticate = createAuthenticator({
    credentials,
    streamTokens: { find: async () => undefined, take: async () => undefined },
    store: { findConsoleChannel: async () => undefined, findOfSession: async () => undefined },
    feed: { generation: 0 },
    log: createLog('gateway', 'silent'),
  });
  const route = { guard: { kind: 'permission', permission: 'tasks:read' } } as Route;
  const call = (secret: string) => {
    const request = { header: (name: string) => (name === 'x-api-key' ? secret : undefined) } as IncomingRequest;
    return () => authenticate(request, route, { correlationId: '', address: null });
  };
  assert.ok('identity' in (await call(key)()), 'the key itself is good');
  return async (wrong) => {
    const refuse = call(wrong);
    await refuse();
    return refuse;
  };
}

function credentialOf(hash: string): Credential {
  return {
    hash,
    organizationId: 1,
    organizationStatus: 'active',
    channelId: 1,
    channelStatus: 'ACTIVE',
    userId: 1,
    role: 'integration',
    agentId: null,
    isActive: true,
    isVerified: true,
    sessionId: null,
    snapshot: '1:1:',
    expiresAtMs: Number.POSITIVE_INFINITY,
    sessionEndsAtMs: Number.POSITIVE_INFINITY,
    rateLimit: null,
    locationsWrite: false,
  };
}

test('the time of a login tells neither whether there is an account nor whether it has a password', async (t) => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const known = await seedUser(databaseUrl, organizationId, 'dispatcher', 'correct horse battery');
  const passwordless = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const attempt = (email: string) => () => post('/auth/login', { email, password: 'wrong horse battery' }, 401);
  const wrongPassword = attempt(known.email);
  await compareTimes(wrongPassword, wrongPassword, 5);
  for (const email of ['00000000000000ff@test.example', passwordless.email]) {
    const asItIs = await compareTimes(attempt(email), wrongPassword, 100);
    tell(t, asItIs);
    assert.ok(!isApart(asItIs, LOGIN_BOUND_SHARE * asItIs.medians[1]), 'the time tells');
  }
  // The measurement without a hash to compare with.
  const cheap = await seedUser(databaseUrl, organizationId, 'dispatcher');
  await withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE users SET password_hash = '$argon2id$v=19$m=8,t=1,p=1$sKVEllLpm+S1OjB32ynNZg$B+ox0RwgrBj67JAUlYa0pBUM5vQN8rmz7X3VGdRb7B0'
      WHERE organization_id = ${organizationId} AND id = ${cheap.userId}`,
  );
  const planted = await compareTimes(attempt(cheap.email), wrongPassword, 100);
  assert.ok(isApart(planted, LOGIN_BOUND_SHARE * planted.medians[1]), 'the method sees what is there');
});

test('the time of a request for a mail does not tell whether an account has the address', async (t) => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const pairs = 200;
  const run = randomBytes(4).toString('hex');
  // Each address is asked about once, as a first request is; those that are known are all of `known-…`.
  await withSql(
    databaseUrl,
    (sql) => sql`
      INSERT INTO users (organization_id, id, role, email, first_name, last_name, email_verified_at)
      SELECT ${organizationId}, nextval('user_ids'), 'dispatcher', 'known-' || i || ${`@${run}.example`}, 'Test', 'User', now()
      FROM generate_series(1, ${3 * pairs}) AS i`,
  );
  const asking = (path: string, name: string) => {
    let count = 0;
    return () => post(path, { email: `${name}-${++count}@${run}.example` }, 202);
  };
  for (const path of ['/auth/password-reset/request', '/auth/resend-verification']) {
    const asItIs = await compareTimes(asking(path, 'known'), asking(path, 'other'), pairs);
    tell(t, asItIs);
    assert.ok(!isApart(asItIs, REQUEST_BOUND_MS), 'the time tells');
  }
  const known = asking('/auth/password-reset/request', 'known');
  const slower = () => known().then(() => spin(10 * REQUEST_BOUND_MS));
  const planted = await compareTimes(slower, asking('/auth/password-reset/request', 'other'), pairs);
  assert.ok(isApart(planted, REQUEST_BOUND_MS), 'the method sees what is there');
});

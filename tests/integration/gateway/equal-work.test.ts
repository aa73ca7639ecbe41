import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { hashSecret, newApiKey } from '../../../engine/runtime/secrets.ts';
import { LoginThrottle } from '../../../gateway/accounts/login-throttle.ts';
import { createMailedTokens } from '../../../gateway/accounts/mailed-tokens.ts';
import { createSessions } from '../../../gateway/accounts/sessions.ts';
import { CredentialCache } from '../../../gateway/guards/credential-cache.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { seedOrganization, seedUser } from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';

/**
 * A refused client must not learn the reason from the time of the answer. Here: every refusal does the same work.
 * tests/slow/guards/timing.test.ts measures the times.
 */

const ORIGIN = { correlationId: '5f3c1d7e-0a1b-4c2d-8e3f-0123456789ab', address: '203.0.113.9' };
const PASSWORD = 'correct horse battery';

let organizationId: number;

const { url, sql } = useDatabase({}, async () => {
  ({ organizationId } = await seedOrganization(url));
});

/** The statements that are sent, with what they are about left out. */
function recordingSql() {
  const statements: string[] = [];
  const recording = new Proxy(sql, {
    apply(target, self, args: [TemplateStringsArray, ...unknown[]]) {
      statements.push(args[0].join('?'));
      return Reflect.apply(target, self, args);
    },
  });
  return { recording, statements };
}

test('a login looks for the account and checks one password, whether or not there is an account, and a password of it', async () => {
  const dispatcher = (password?: string) => seedUser(url, organizationId, 'dispatcher', password);
  const [known, passwordless, inactive] = [await dispatcher(PASSWORD), await dispatcher(), await dispatcher(PASSWORD)];
  await sql`UPDATE users SET is_active = false WHERE organization_id = ${organizationId} AND id = ${inactive.userId}`;
  const { recording, statements } = recordingSql();
  const checked: [string, boolean][] = [];
  const sessions = createSessions({
    sql: recording,
    hasher: {
      hash: () => assert.fail('nothing is hashed again'),
      verify: async (password, hashed) => {
        checked.push([password, hashed !== undefined]);
        return false;
      },
    },
    throttle: new LoginThrottle(systemClock),
    settled: async () => {},
    lives: { accessMs: 900_000, refreshMs: LIMITS.refreshTokenMs },
    log: createLog('gateway', 'silent'),
  });
  const work = [];
  for (const email of [known.email, passwordless.email, inactive.email, 'nobody@test.example']) {
    const answer = await sessions.login({ email, password: 'wrong' }, ORIGIN);
    work.push([answer, statements.splice(0), checked.splice(0).map(([password]) => password)]);
  }
  assert.equal((work[0]![1] as string[]).length, 1);
  assert.deepEqual(work[0]![2], ['wrong']);
  for (const other of work.slice(1)) assert.deepEqual(other, work[0]);
});

test('a request for a mail sends the same statement for a known and an unknown address', async () => {
  const { email } = await seedUser(url, organizationId, 'dispatcher', PASSWORD);
  const { recording, statements } = recordingSql();
  const tokens = createMailedTokens({
    sql: recording,
    hasher: { hash: () => assert.fail(), verify: () => assert.fail() },
    throttle: new LoginThrottle(systemClock),
    settled: async () => {},
    clock: systemClock,
  });
  for (const purpose of ['reset_password', 'verify_email'] as const) {
    const work = [];
    for (const address of [email, 'nobody@test.example'])
      work.push([await tokens.request(purpose, address, ORIGIN), statements.splice(0)]);
    assert.equal((work[0]![1] as string[]).length, 1);
    assert.deepEqual(work[1], work[0]);
  }
});

test('a key is looked for by its hash alone, however much of it is right', async () => {
  const key = newApiKey();
  const nearly = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
  const asked: string[] = [];
  const cache = new CredentialCache({
    store: {
      findCredentials: async (hashes) => {
        asked.push(...hashes);
        return [];
      },
    },
    feed: { freshUntil: Number.POSITIVE_INFINITY, isAway: false, onChanges: () => () => {} },
    clock: { now: () => 0, monotonic: () => 0 },
    scheduler: { after: () => () => {}, every: () => () => {}, soon: setImmediate },
  });
  const wrong = [nearly, newApiKey()];
  for (const secret of wrong) assert.equal(await cache.find(secret), undefined);
  assert.deepEqual(asked, wrong.map(hashSecret));
});

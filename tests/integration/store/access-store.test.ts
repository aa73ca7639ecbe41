import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { DeadlineError } from '../../../engine/runtime/deadline.ts';
import { hashSecret } from '../../../engine/runtime/secrets.ts';
import { type AccessChange, type AccessStore, createAccessStore } from '../../../engine/store/access/access-store.ts';
import { createCredentialStore } from '../../../engine/store/access/credential-store.ts';
import { isVisible } from '../../../engine/store/access/snapshot.ts';
import { createShardStore, type ShardStore } from '../../../engine/store/cluster/shard-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import { LIMITS } from '../../../schema/limits.ts';
import {
  type SeededOrganization,
  seedAgent,
  seedChannel,
  seedOrganization,
  seedSession,
  seedUser,
} from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';
import { PATIENCE_MS } from '../../support/until.ts';
import { within } from '../../support/within.ts';

const INCARNATION = randomUUID();
const LEASE_MS = 60_000;
/** SQLSTATE. */
const STATEMENT_TIMEOUT = '57014';

let store: AccessStore;
let shards: ShardStore;
let organization: SeededOrganization;

const { url, sql } = useDatabase(
  { connections: 2 },
  async () => {
    store = patient(createAccessStore(url, INCARNATION));
    shards = createShardStore(sql);
    organization = await seedOrganization(url);
  },
  () => store.stop(),
);

/** Its own patience is a second; a machine that stands still for one leaves the question open, and it is asked again. */
function patient(store: AccessStore): AccessStore {
  async function persistently<T>(ask: () => Promise<T>): Promise<T> {
    for (const giveUpAt = performance.now() + PATIENCE_MS; ; ) {
      try {
        return await ask();
      } catch (error) {
        const isOpen = error instanceof DeadlineError || (error as { code?: unknown }).code === STATEMENT_TIMEOUT;
        if (!isOpen || performance.now() > giveUpAt) throw error;
      }
    }
  }
  return {
    poll: (after) => persistently(() => store.poll(after)),
    hasOthers: () => persistently(() => store.hasOthers()),
    stop: () => store.stop(),
  };
}

type MadeChange = Omit<AccessChange, 'xid'>;

/** The changes that are noted while `body` runs. */
async function changesOf(body: () => PromiseLike<unknown>): Promise<MadeChange[]> {
  const { next } = await store.poll(undefined);
  await body();
  const { changes } = await store.poll(next);
  return changes.map(({ subject, subjectId }) => ({ subject, subjectId }));
}

test('every change that access rests on is noted, from every writer', async () => {
  const { organizationId: id, channelId, userId } = organization;
  await seedSession(url, id, userId);
  const [session] = await sql<{ id: number }[]>`SELECT id FROM sessions WHERE organization_id = ${id}`;
  const sessionId = session!.id;
  const cases: readonly (readonly [() => PromiseLike<unknown>, MadeChange])[] = [
    [
      () => sql`UPDATE organizations SET status = 'inactive' WHERE organization_id = ${id}`,
      { subject: 'organization', subjectId: id },
    ],
    [
      () => sql`INSERT INTO deleted_organizations (organization_id, name_hash) VALUES (${id}, '')`,
      { subject: 'organization', subjectId: id },
    ],
    [
      () => sql`UPDATE channels SET status = 'SUSPENDED' WHERE organization_id = ${id} AND id = ${channelId}`,
      { subject: 'channel', subjectId: channelId },
    ],
    [
      () => sql`UPDATE channels SET key_hash = NULL WHERE organization_id = ${id} AND id = ${channelId}`,
      { subject: 'channel', subjectId: channelId },
    ],
    [
      () => sql`UPDATE channels SET rate_limit = 5 WHERE organization_id = ${id} AND id = ${channelId}`,
      { subject: 'channel', subjectId: channelId },
    ],
    [
      () => sql`UPDATE users SET role = 'agent' WHERE organization_id = ${id} AND id = ${userId}`,
      { subject: 'user', subjectId: userId },
    ],
    [
      () => sql`UPDATE users SET is_active = false WHERE organization_id = ${id} AND id = ${userId}`,
      { subject: 'user', subjectId: userId },
    ],
    [
      () => sql`UPDATE users SET email_verified_at = NULL WHERE organization_id = ${id} AND id = ${userId}`,
      { subject: 'user', subjectId: userId },
    ],
    [
      () => sql`UPDATE sessions SET access_hash = '' WHERE organization_id = ${id} AND id = ${sessionId}`,
      { subject: 'token', subjectId: sessionId },
    ],
    [
      () => sql`UPDATE sessions SET revoked_at = now() WHERE organization_id = ${id} AND id = ${sessionId}`,
      { subject: 'session', subjectId: sessionId },
    ],
  ];
  for (const [change, noted] of cases) assert.deepEqual(await changesOf(change), [noted]);
  const deleted = await changesOf(() => sql`DELETE FROM organizations WHERE organization_id = ${id}`);
  assert.deepEqual(deleted, [{ subject: 'organization', subjectId: id }]);
});

test('a change that access does not rest on is not noted, nor one to the same value', async () => {
  const { organizationId: id, userId } = await seedOrganization(url);
  await seedSession(url, id, userId);
  const changes = await changesOf(async () => {
    await sql`UPDATE organizations SET name = 'Renamed', status = status WHERE organization_id = ${id}`;
    await sql`UPDATE channels SET name = 'Renamed', status = status, key_hash = key_hash, user_id = user_id,
      rate_limit = rate_limit, locations_write = locations_write WHERE organization_id = ${id}`;
    await sql`UPDATE users SET first_name = 'Ada', role = role, is_active = is_active,
      email_verified_at = email_verified_at WHERE organization_id = ${id}`;
    await sql`UPDATE sessions SET refreshed_at = now(), access_hash = access_hash, revoked_at = revoked_at
      WHERE organization_id = ${id}`;
  });
  assert.deepEqual(changes, []);
});

test('each change is in one page, also of a transaction that stays open for long, and of those behind it', async () => {
  const { organizationId } = organization;
  const slow = connectPostgres(url, { name: 'slow', connections: 1, statementTimeoutMs: 30_000 });
  try {
    const note = (subjectId: number, on: Sql) => on`
      INSERT INTO access_changes (organization_id, subject, subject_id) VALUES (${organizationId}, 'user', ${subjectId})`;
    let { next } = await store.poll(undefined);
    const idsOfNextPage = async () => {
      const page = await store.poll(next);
      next = page.next;
      return page.changes.map(({ subjectId }) => subjectId);
    };
    // One connection is one session, so that these are one transaction.
    await slow.unsafe('BEGIN');
    await note(9_001, slow);
    await note(9_002, sql);
    assert.deepEqual(await idsOfNextPage(), [9_002]);
    await note(9_003, sql);
    assert.deepEqual(await idsOfNextPage(), [9_003]);
    assert.deepEqual(await idsOfNextPage(), []);
    await slow.unsafe('COMMIT');
    assert.deepEqual(await idsOfNextPage(), [9_001]);
    assert.deepEqual(await idsOfNextPage(), []);
  } finally {
    await slow.end({ timeout: 5 });
  }
});

test('a change is visible in the look-ups made after its commit, and in no other, of whichever kind', async () => {
  const { organizationId, channelId, userId, key } = await seedOrganization(url);
  const token = await seedSession(url, organizationId, userId);
  const credentials = createCredentialStore(sql);
  const lookUp = async () => {
    const found = await credentials.findCredentials([key, token].map(hashSecret));
    assert.equal(found.length, 2);
    return found.map(({ snapshot }) => snapshot);
  };
  const slow = connectPostgres(url, { name: 'slow', connections: 1, statementTimeoutMs: 30_000 });
  try {
    const { next } = await store.poll(undefined);
    const before = await lookUp();
    await slow.unsafe('BEGIN');
    await slow`UPDATE users SET is_active = false WHERE organization_id = ${organizationId} AND id = ${userId}`;
    await sql`UPDATE channels SET rate_limit = 9 WHERE organization_id = ${organizationId} AND id = ${channelId}`;
    const between = await lookUp();
    await slow.unsafe('COMMIT');
    const after = await lookUp();
    const { changes } = await store.poll(next);
    const shown = (subject: string, snapshots: readonly string[]) => {
      const { xid } = changes.find((change) => change.subject === subject)!;
      return snapshots.map((snapshot) => isVisible(xid, snapshot));
    };
    for (const [snapshots, ofChannel, ofUser] of [
      [before, false, false],
      [between, true, false],
      [after, true, true],
    ] as const) {
      assert.deepEqual(shown('channel', snapshots), [ofChannel, ofChannel]);
      assert.deepEqual(shown('user', snapshots), [ofUser, ofUser]);
    }
    await sql`INSERT INTO deleted_organizations (organization_id, name_hash) VALUES (${organizationId}, '')`;
    const deleted = (await store.poll(next)).changes.find(({ subject }) => subject === 'organization')!;
    assert.deepEqual([isVisible(deleted.xid, after[0]!), isVisible(deleted.xid, (await lookUp())[0]!)], [false, true]);
  } finally {
    await slow.end({ timeout: 5 });
  }
});

test('a gateway is announced while its own incarnation has a running lease', async () => {
  const isAnnounced = async () => (await store.poll(undefined)).isAnnounced;
  assert.equal(await isAnnounced(), false);
  await shards.register('me', INCARNATION, '', LEASE_MS);
  assert.equal(await isAnnounced(), true);
  await sql`UPDATE gateways SET lease_expires_at = now() - interval '1 ms'`;
  assert.equal(await isAnnounced(), false);
  await shards.register('me', randomUUID(), '', LEASE_MS);
  assert.equal(await isAnnounced(), false, 'superseded');
});

test('others are all who may still remember: announced, expired just now, or superseded just now', async () => {
  const validMs = LIMITS.credentialValidMs;
  const settle = () => sql`UPDATE gateways SET registered_at = now() - interval '1.1 s'`;
  /** Whether there are others a moment after `change`, and so before what it did is over. */
  const hasOthersJustAfter = (ms: number, change: () => PromiseLike<unknown>) =>
    within(ms, async () => {
      await change();
      return store.hasOthers();
    });
  await sql`DELETE FROM gateways`;
  const isFirst = await hasOthersJustAfter(validMs, () => shards.register('me', INCARNATION, '', LEASE_MS));
  assert.equal(isFirst, true, 'it may have taken over from somebody a moment ago');
  await settle();
  assert.equal(await store.hasOthers(), false);
  await shards.register('other', randomUUID(), '', LEASE_MS);
  await settle();
  assert.equal(await store.hasOthers(), true);
  const isExpired = await hasOthersJustAfter(
    validMs / 2,
    () => sql`UPDATE gateways SET lease_expires_at = now() - interval '0.5 s' WHERE id = 'other'`,
  );
  assert.equal(isExpired, true, 'its memory is valid for longer than its lease');
  await sql`UPDATE gateways SET lease_expires_at = now() - interval '1.1 s' WHERE id = 'other'`;
  assert.equal(await store.hasOthers(), false);
  const isSuperseded = await hasOthersJustAfter(validMs, () => shards.register('other', randomUUID(), '', -2_000));
  assert.equal(isSuperseded, true, 'somebody was superseded');
});

test('a key and an access token stand for their users, with what guards and rules need', async () => {
  const { organizationId } = await seedOrganization(url);
  const { agentId } = await seedAgent(url, organizationId);
  const [agent] = await sql<{ userId: number }[]>`
    SELECT user_id FROM agents WHERE organization_id = ${organizationId} AND id = ${agentId}`;
  const { userId } = agent!;
  const token = await seedSession(url, organizationId, userId);
  const { key, channelId, userId: keyUserId } = await seedChannel(url, organizationId);
  await sql`UPDATE channels SET rate_limit = 7, locations_write = true
    WHERE organization_id = ${organizationId} AND id = ${channelId}`;
  const credentials = createCredentialStore(sql);
  const consoleId = await credentials.findConsoleChannel(organizationId);
  const found = await credentials.findCredentials([key, token, 'nobody'].map(hashSecret));
  assert.equal(found.length, 2);
  const ofKey = found.find(({ sessionId }) => sessionId === null)!;
  const ofToken = found.find(({ sessionId }) => sessionId !== null)!;
  const { snapshot } = ofKey;
  assert.deepEqual(ofKey, {
    hash: hashSecret(key),
    snapshot,
    organizationId,
    organizationStatus: 'active',
    channelId,
    channelStatus: 'ACTIVE',
    userId: keyUserId,
    role: 'integration',
    isActive: true,
    isVerified: true,
    agentId: null,
    sessionId: null,
    expiresAtMs: Number.POSITIVE_INFINITY,
    sessionEndsAtMs: Number.POSITIVE_INFINITY,
    rateLimit: 7,
    locationsWrite: true,
  });
  const { sessionId, expiresAtMs, sessionEndsAtMs, ...rest } = ofToken;
  assert.ok(Math.abs(expiresAtMs - Date.now() - 900_000) < 60_000 && sessionId! > 0);
  assert.equal(sessionEndsAtMs, expiresAtMs, 'it cannot be refreshed');
  assert.deepEqual(rest, {
    hash: hashSecret(token),
    snapshot,
    organizationId,
    organizationStatus: 'active',
    channelId: consoleId,
    channelStatus: 'ACTIVE',
    userId,
    role: 'agent',
    isActive: true,
    isVerified: true,
    agentId,
    rateLimit: null,
    locationsWrite: false,
  });
});

test('a session stands for its user until it ends, also once its access token has expired', async () => {
  const credentials = createCredentialStore(sql);
  const { organizationId, userId } = await seedOrganization(url);
  const token = await seedSession(url, organizationId, userId);
  const [known] = await credentials.findCredentials([hashSecret(token)]);
  const id = known!.sessionId!;
  const find = (of = organizationId) => credentials.findOfSession({ organizationId: of, id });
  const found = await find();
  assert.deepEqual({ ...found, snapshot: '' }, { ...known, snapshot: '' });
  assert.equal(await find(0), undefined, 'of another organization');
  const end = (accessMs: number, refreshMs: number | null) => sql`
    UPDATE sessions SET access_expires_at = now() + ${accessMs} * interval '1 ms',
      refresh_expires_at = now() + ${refreshMs}::int * interval '1 ms'
    WHERE organization_id = ${organizationId} AND id = ${id}`;
  await end(-1_000, 60_000);
  assert.equal((await find())?.hash, hashSecret(token));
  for (const refreshMs of [null, -500]) {
    await end(-1_000, refreshMs);
    assert.equal(await find(), undefined, `refreshable for ${refreshMs} ms`);
  }
  await end(60_000, 60_000);
  await sql`UPDATE sessions SET revoked_at = now() WHERE organization_id = ${organizationId} AND id = ${id}`;
  assert.equal(await find(), undefined, 'revoked');
});

test('super admins are users of no organization, and nobody else is', async () => {
  const credentials = createCredentialStore(sql);
  const { organizationId, userId, key } = await seedOrganization(url);
  const { userId: superId } = await seedUser(url, 0, 'super_admin');
  const token = await seedSession(url, 0, superId);
  const [found] = await credentials.findCredentials([hashSecret(token)]);
  assert.deepEqual([found!.organizationId, found!.channelId, found!.role], [0, 0, 'super_admin']);
  const inside = await seedSession(url, organizationId, userId);
  await sql`UPDATE users SET role = 'super_admin' WHERE organization_id = ${organizationId}`;
  await sql`UPDATE users SET role = 'org_admin' WHERE organization_id = 0`;
  assert.equal((await credentials.findCredentials([token, inside, key].map(hashSecret))).length, 0);
  assert.equal(await credentials.findConsoleChannel(999_000_111), undefined);
});

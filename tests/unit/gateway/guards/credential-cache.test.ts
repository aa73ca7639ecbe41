import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeadlineError } from '../../../../engine/runtime/deadline.ts';
import { createLog } from '../../../../engine/runtime/log.ts';
import { hashSecret } from '../../../../engine/runtime/secrets.ts';
import type { Credential } from '../../../../engine/store/access/credential-store.ts';
import { AccessFeed } from '../../../../gateway/guards/access-feed.ts';
import { CredentialCache } from '../../../../gateway/guards/credential-cache.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createHandClock, idle } from './hand-clock.ts';
import { type MadeChange, StandInAccessStore } from './stand-in-access-store.ts';

const NUMBERS = { organizationId: 1, channelId: 2, userId: 3, sessionId: null, snapshot: '1:1:' };

function credentialOf(secret: string, changes: Partial<Credential> = {}): Credential {
  return {
    ...NUMBERS,
    hash: hashSecret(secret),
    organizationStatus: 'active',
    channelStatus: 'ACTIVE',
    role: 'integration',
    isActive: true,
    isVerified: true,
    agentId: null,
    expiresAtMs: Number.POSITIVE_INFINITY,
    sessionEndsAtMs: Number.POSITIVE_INFINITY,
    rateLimit: null,
    locationsWrite: false,
    ...changes,
  };
}

/** A cache over a feed and a store that answers on demand. */
async function startCache() {
  const { clock, scheduler, advance } = createHandClock();
  const access = new StandInAccessStore();
  const feed = new AccessFeed({
    store: access,
    clock,
    scheduler,
    log: createLog('gateway', 'silent'),
    announce: () => {},
  });
  const rows = new Map<string, Credential>();
  const asked: string[][] = [];
  const held: (() => void)[] = [];
  const state = { isAway: false, isHeld: false };
  const store = {
    async findCredentials(hashes: readonly string[]) {
      asked.push([...hashes]);
      if (state.isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
      const found = hashes.flatMap((hash) => rows.get(hash) ?? []);
      if (state.isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return found;
    },
  };
  const cache = new CredentialCache({ store, feed, clock, scheduler });
  await feed.start();
  const put = (secret: string, changes?: Partial<Credential>) => {
    const credential = credentialOf(secret, changes);
    rows.set(credential.hash, credential);
    return credential;
  };
  return {
    cache,
    feed,
    access,
    clock,
    advance,
    put,
    remove: (secret: string) => rows.delete(hashSecret(secret)),
    asked: () => asked.splice(0),
    state,
    release: () => {
      for (const go of held.splice(0)) go();
    },
  };
}

test('a credential is looked up once and then known', async () => {
  const { cache, put, asked, advance } = await startCache();
  const credential = put('a');
  assert.deepEqual(await cache.find('a'), credential);
  assert.equal(cache.find('a'), credential);
  await advance(30_000);
  assert.equal(cache.find('a'), credential, 'as long as the feed is fresh');
  assert.equal(asked().length, 1);
});

test('look-ups of a turn share a query', async () => {
  const { cache, put, asked } = await startCache();
  const secrets = Array.from({ length: 40 }, (_, index) => `secret-${index}`);
  for (const secret of secrets) put(secret);
  const found = await Promise.all([...secrets, ...secrets].map((secret) => cache.find(secret)));
  assert.deepEqual(
    found.slice(0, 40).map((credential) => credential?.hash),
    secrets.map(hashSecret),
  );
  assert.deepEqual(
    asked().map((hashes) => hashes.length),
    [40],
  );
});

for (const [subject, subjectId, changes] of [
  ['organization', 1, {}],
  ['channel', 2, {}],
  ['user', 3, {}],
  ['session', 4, { sessionId: 4 }],
  ['token', 4, { sessionId: 4 }],
] as const) {
  test(`a change of its ${subject} makes the cache look a credential up again, one of another's does not`, async () => {
    const { cache, access, put, remove, asked, advance } = await startCache();
    put('a', changes);
    await cache.find('a');
    access.commit({ subject, subjectId: 99 });
    await advance(LIMITS.accessPollMs);
    assert.equal((await cache.find('a'))?.userId, 3);
    assert.equal(asked().length, 1);
    remove('a');
    access.commit({ subject, subjectId } as MadeChange);
    await advance(LIMITS.accessPollMs);
    assert.equal(await cache.find('a'), undefined);
    assert.equal(asked().length, 1);
  });
}

test('a look-up that a change overtakes is made again, and brings nothing old back', async () => {
  const { cache, access, put, remove, asked, advance, state, release } = await startCache();
  put('a');
  state.isHeld = true;
  const finding = cache.find('a');
  await idle();
  remove('a');
  access.commit({ subject: 'channel', subjectId: 2 });
  await advance(LIMITS.accessPollMs);
  state.isHeld = false;
  release();
  assert.equal(await finding, undefined);
  assert.equal(asked().length, 2);
  assert.equal(cache.size, 0);
});

test('a credential that was looked up after a change stays when the change is read, and leaves with the next one', async () => {
  const { cache, access, put, asked, advance } = await startCache();
  access.commit({ subject: 'channel', subjectId: 2 });
  const credential = put('a', { snapshot: access.snapshot });
  await cache.find('a');
  await advance(LIMITS.accessPollMs);
  assert.equal(cache.find('a'), credential);
  access.commit({ subject: 'channel', subjectId: 2 });
  await advance(LIMITS.accessPollMs);
  await cache.find('a');
  assert.equal(asked().length, 2);
});

test('a look-up that has seen what is heard meanwhile is not made again', async () => {
  const { cache, access, put, asked, advance, state, release } = await startCache();
  access.commit({ subject: 'channel', subjectId: 2 });
  put('a', { snapshot: access.snapshot });
  state.isHeld = true;
  const finding = cache.find('a');
  await idle();
  await advance(LIMITS.accessPollMs);
  state.isHeld = false;
  release();
  assert.equal((await finding)?.userId, 3);
  assert.equal(asked().length, 1);
});

test('a look-up that changes of others overtake is answered, and only what they touch is asked again', async () => {
  const { cache, access, put, asked, advance, state, release } = await startCache();
  put('a');
  put('b', { userId: 33 });
  state.isHeld = true;
  const finding = Promise.all(['a', 'b', 'nobody'].map((secret) => cache.find(secret)));
  await idle();
  access.commit({ subject: 'user', subjectId: 33 });
  await advance(LIMITS.accessPollMs);
  state.isHeld = false;
  release();
  assert.deepEqual(
    (await finding).map((credential) => credential?.userId),
    [3, 33, undefined],
  );
  assert.deepEqual(asked(), [['a', 'b', 'nobody'].map(hashSecret), [hashSecret('b')]]);
  put('nobody');
  assert.equal((await cache.find('nobody'))?.userId, 3, 'that it was unknown is not kept');
});

test('a look-up under way is not joined by who comes later', async () => {
  const { cache, put, asked, state, release } = await startCache();
  put('a');
  state.isHeld = true;
  const first = cache.find('a');
  await idle();
  const second = cache.find('a');
  await idle();
  state.isHeld = false;
  release();
  await Promise.all([first, second]);
  assert.equal(asked().length, 2);
});

test('access that changes all the time ends in a refusal, not in an endless look-up', async () => {
  const { cache, access, put, asked, advance, state, release } = await startCache();
  put('a');
  state.isHeld = true;
  const finding = cache.find('a') as Promise<unknown>;
  const refused = assert.rejects(finding, /changes faster/);
  for (let attempt = 0; attempt < LIMITS.credentialAttempts; attempt++) {
    await idle();
    access.commit({ subject: 'user', subjectId: 3 });
    await advance(LIMITS.accessPollMs);
    release();
  }
  await refused;
  assert.equal(asked().length, LIMITS.credentialAttempts);
});

test('without the feed what is known is not used: Postgres is asked, and its absence told', async () => {
  const { cache, access, put, asked, advance, state } = await startCache();
  put('a');
  await cache.find('a');
  access.isAway = true;
  await advance(LIMITS.credentialValidMs);
  assert.equal((await cache.find('a'))?.userId, 3);
  assert.equal(asked().length, 2, 'asked once more');
  state.isAway = true;
  await assert.rejects(async () => cache.find('a'), /away/);
});

test('a failed look-up fails all who wait behind it', async () => {
  const { cache, put, asked, state } = await startCache();
  const secrets = Array.from({ length: 4 * LIMITS.credentialsPerLookup }, (_, index) => `secret-${index}`);
  for (const secret of secrets) put(secret);
  state.isAway = true;
  const results = await Promise.allSettled(secrets.map((secret) => cache.find(secret)));
  assert.ok(results.every(({ status }) => status === 'rejected'));
  assert.equal(asked().length, LIMITS.credentialConnections, 'who waited was not asked about');
  state.isAway = false;
  assert.equal((await cache.find(secrets[0]!))?.userId, 3);
});

test('no more look-ups wait than there is room for', async () => {
  const { cache } = await startCache();
  const results = await Promise.allSettled(
    Array.from({ length: LIMITS.credentialLookups + 5 }, (_, index) => cache.find(`secret-${index}`)),
  );
  const refused = results.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 5);
});

test('a flood of secrets that stand for nobody stays bounded, and each is asked about once', async () => {
  const { cache, asked, advance, put } = await startCache();
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      Array.from({ length: LIMITS.unknownCredentials }, (_, index) => cache.find(`wrong-${round}-${index}`)),
    );
  }
  assert.equal(cache.size, 0);
  asked();
  for (let i = 0; i < 100; i++) assert.equal(cache.find('wrong-2-5'), undefined);
  assert.equal(asked().length, 0);
  put('wrong-2-5');
  await advance(LIMITS.unknownCredentialMs);
  assert.equal((await cache.find('wrong-2-5'))?.userId, 3, 'and is looked up again after a while');
});

test('an unknown secret is looked up again after any change', async () => {
  const { cache, access, advance, put } = await startCache();
  assert.equal(await cache.find('a'), undefined);
  put('a');
  access.commit({ subject: 'channel', subjectId: 2 });
  await advance(LIMITS.accessPollMs);
  assert.equal((await cache.find('a'))?.userId, 3);
});

test('an access token ends at its time, known or not', async () => {
  const { cache, put, advance, clock } = await startCache();
  put('a', { sessionId: 4, expiresAtMs: clock.now() + 10_000 });
  assert.equal((await cache.find('a'))?.sessionId, 4);
  await advance(9_999);
  assert.equal((await cache.find('a'))?.sessionId, 4);
  await advance(1);
  assert.equal(await cache.find('a'), undefined);
});

test('unused credentials leave, used ones stay, and their number is bounded', async () => {
  const { cache, put, advance } = await startCache();
  put('used');
  put('idle');
  await cache.find('used');
  await cache.find('idle');
  await advance(LIMITS.credentialIdleMs);
  await cache.find('used');
  await advance(LIMITS.credentialIdleMs);
  assert.equal(cache.size, 1);
  for (let from = 0; from < LIMITS.credentialCacheEntries + 1_000; from += 5_000) {
    const secrets = Array.from({ length: 5_000 }, (_, index) => `many-${from + index}`);
    for (const secret of secrets) put(secret);
    await Promise.all(secrets.map((secret) => cache.find(secret)));
  }
  assert.equal(cache.size, LIMITS.credentialCacheEntries);
});

test('while nothing can be heard a remembered credential does for points for a minute, and for nothing else', async () => {
  const { cache, access, put, advance, state } = await startCache();
  const credential = put('a');
  await cache.find('a');
  Object.assign(state, { isAway: true });
  access.isAway = true;
  await advance(LIMITS.credentialValidMs + LIMITS.accessPollMs);
  await assert.rejects(async () => cache.find('a'), /away/);
  assert.equal(await cache.find('a', true), credential);
  await assert.rejects(async () => cache.find('stranger', true), /away/);
  await advance(LIMITS.ingestGraceMs);
  await assert.rejects(async () => cache.find('a', true), /away/);
});

test('points do not wait for a Postgres that has fallen silent, before it is known to be away', async () => {
  const { cache, access, put, advance, state } = await startCache();
  const credential = put('a');
  await cache.find('a');
  Object.assign(state, { isHeld: true });
  access.hold = new Promise(() => {});
  await advance(LIMITS.credentialValidMs);
  assert.equal(await cache.find('a', true), credential);
});

test('a revocation that arrives while points wait for their credential holds for them', async () => {
  const { cache, access, put, advance, state } = await startCache();
  put('a');
  await cache.find('a');
  Object.assign(state, { isHeld: true });
  let speak = () => {};
  access.hold = new Promise((resolve) => (speak = resolve));
  await advance(LIMITS.credentialValidMs);
  const finding = cache.find('a', true) as Promise<unknown>;
  access.commit({ subject: 'channel', subjectId: 2 });
  access.hold = undefined;
  speak();
  await advance(LIMITS.accessPollMs);
  await assert.rejects(finding, DeadlineError);
});

test('credentials that only points use stay remembered while no changes can be read', async () => {
  const { cache, access, put, advance, state } = await startCache();
  const credential = put('a');
  await cache.find('a');
  await advance(LIMITS.credentialIdleMs);
  Object.assign(state, { isAway: true });
  access.isAway = true;
  await advance(LIMITS.credentialIdleMs / 2);
  assert.equal(cache.find('a', true), credential);
  await advance(LIMITS.credentialIdleMs / 2);
  assert.equal(cache.find('a', true), credential);
});

test('a revocation that can be heard holds for points, too', async () => {
  const { cache, access, put, remove, advance } = await startCache();
  put('a');
  await cache.find('a', true);
  remove('a');
  access.commit({ subject: 'channel', subjectId: 2 });
  await advance(LIMITS.accessPollMs);
  assert.equal(await cache.find('a', true), undefined);
});

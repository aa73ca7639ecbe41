import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createReleaser } from '../../../../engine/runtime/lifecycle.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import { CommitError, type CommitStore, createCommitStore } from '../../../../engine/store/actor/commit-store.ts';
import { connectPostgres } from '../../../../engine/store/postgres.ts';
import { type HeldLock, lockHead } from '../../../faults/support/backends.ts';
import { encodeHeads } from '../../../support/seeds/encode-heads.ts';
import { seedOrganization } from '../../../support/seeds/seed.ts';
import { startTcpProxy } from '../../../support/services/tcp-proxy.ts';
import { createMigratedDatabase } from '../../../support/stores.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

/** By a clock that is turned by hand. */
const DEADLINE_MS = 4_000;
const random = createRandomSource();

test('a commit behind another one is sent without waiting for it', async () => {
  const releaser = createReleaser(() => {});
  try {
    const database = await createMigratedDatabase();
    releaser.push('database', () => database.drop());
    const proxy = await startTcpProxy(database.url);
    releaser.push('proxy', () => proxy.stop());
    const store = createCommitStore(proxy.url, { statementTimeoutMs: 60_000, deadlineMs: 60_000 });
    releaser.push('store', () => store.stop());
    const { organizationId } = await seedOrganization(database.url);
    await commit(store, organizationId);
    const [connection] = proxy.connections('dispatch commit');
    connection!.silence('up');
    const leader = commit(store, organizationId);
    await until('the first is sent', () => connection!.heldUp > 0);
    const { heldUp } = connection!;
    const follower = commit(store, organizationId);
    await until('the second is sent', () => connection!.heldUp >= 2 * heldUp);
    connection!.resume();
    await Promise.all([leader, follower]);
  } finally {
    await releaser.stop();
  }
});

test('a commit behind another one has all of its time once that has ended', async (t) => {
  await withTwoOnTheirWay(t, async ({ leader, follower, locks, blocked }) => {
    t.mock.timers.tick(DEADLINE_MS - 1);
    await locks[0].release();
    await leader;
    await blocked();
    t.mock.timers.tick(DEADLINE_MS - 1);
    await locks[1].release();
    await follower;
  });
});

test('a commit behind another one is given up when its own time is over', async (t) => {
  await withTwoOnTheirWay(t, async ({ leader, follower, locks, blocked }) => {
    await locks[0].release();
    await leader;
    await blocked();
    t.mock.timers.tick(DEADLINE_MS);
    await assert.rejects(follower, isUnknown);
  });
});

test('a commit behind one that is given up goes with its connection, without waiting for its own time', async (t) => {
  await withTwoOnTheirWay(t, async ({ leader, follower }) => {
    t.mock.timers.tick(DEADLINE_MS);
    await assert.rejects(leader, isUnknown);
    await closeDiscarded(t);
    await assert.rejects(follower, isUnknown);
  });
});

interface Scene {
  readonly leader: Promise<void>;
  readonly follower: Promise<void>;
  /** Each keeps its commit from ending. */
  readonly locks: readonly [HeldLock, HeldLock];
  /** Resolves once a commit waits for its lock. */
  blocked(): Promise<void>;
}

/** All connections are open before timers stand still: from then on nothing may wait for one. */
async function withTwoOnTheirWay(t: TestContext, body: (scene: Scene) => Promise<void>): Promise<void> {
  const releaser = createReleaser(() => {});
  try {
    const database = await createMigratedDatabase();
    releaser.push('database', () => database.drop());
    const options = { connections: 1, statementTimeoutMs: 60_000 };
    const watch = connectPostgres(database.url, { name: 'watch', ...options });
    releaser.push('watch', () => watch.end({ timeout: 1 }));
    const store = createCommitStore(database.url, { ...options, deadlineMs: DEADLINE_MS });
    releaser.push('store', () => store.stop());
    const locked = async () => {
      const { organizationId } = await seedOrganization(database.url);
      await commit(store, organizationId);
      const lock = await lockHead(database.url, organizationId);
      releaser.push('lock', () => lock.release());
      return { organizationId, lock };
    };
    const [one, other] = [await locked(), await locked()];
    const isBlocked = async () => {
      const [found] = await watch<{ count: number }[]>`
        SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return found!.count > 0;
    };
    assert.equal(await isBlocked(), false);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    releaser.push('timers', () => t.mock.timers.reset());
    const [leader, follower] = [commit(store, one.organizationId), commit(store, other.organizationId)];
    for (const sent of [leader, follower]) sent.catch(() => {});
    const blocked = async () => {
      const giveUpAt = performance.now() + PATIENCE_MS;
      while (!(await isBlocked())) assert.ok(performance.now() < giveUpAt, 'no commit waits for a lock');
    };
    await blocked();
    await body({ leader, follower, locks: [one.lock, other.lock], blocked });
    await closeDiscarded(t);
  } finally {
    await releaser.stop();
  }
}

/** The client closes what is thrown away in a timer of its own. */
async function closeDiscarded(t: TestContext): Promise<void> {
  await turn();
  t.mock.timers.tick(1);
}

/** Writes the head of an organization, and nothing else. */
function commit(store: CommitStore, organizationId: number): Promise<void> {
  return store.commit(encodeHeads(random.uuid(), [organizationId], []));
}

function isUnknown(error: unknown): boolean {
  return error instanceof CommitError && error.failure === 'unknown';
}

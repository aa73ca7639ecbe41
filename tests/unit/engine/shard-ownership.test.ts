import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { ShardOwnership } from '../../../engine/org/commit/shard-ownership.ts';
import { type Clock, systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { armFaultPoints } from '../../../engine/runtime/fault-points.ts';
import type { OwnedShard } from '../../../engine/store/cluster/shard-store.ts';
import { PATIENCE_MS } from '../../support/until.ts';

/**
 * Owns shards 1 and 2, and answers a raise with the next epoch; after `loseTaking` it takes 3, and does not say so.
 * The next renewal takes what is `free`. `owned` is what Postgres has, `afterListing` happens while an answer of it is on its way.
 */
async function startOwnership(faults: { readonly clock?: Clock; readonly renew?: () => Promise<boolean> } = {}) {
  const owned = new Map([
    [1, 10],
    [2, 20],
  ]);
  const list = () => [...owned].map(([shard, epoch]) => ({ shard, epoch }));
  const raised: (readonly number[])[] = [];
  const gained: number[] = [];
  const lost: number[] = [];
  const onTheWay = { afterListing: async () => {}, afterRaising: async () => {} };
  const free: OwnedShard[] = [];
  let loseNextTaking = false;
  const ownership = new ShardOwnership({
    store: {
      register: async () => {},
      renew: faults.renew ?? (async () => true),
      async takeFree() {
        if (ownership.ownedShards().length === 0) return list();
        if (!loseNextTaking) {
          for (const { shard, epoch } of free) owned.set(shard, epoch);
          return free.splice(0);
        }
        loseNextTaking = false;
        owned.set(3, 30);
        throw new Error('planted');
      },
      async listOwned() {
        const listed = list();
        await onTheWay.afterListing();
        return listed;
      },
      async raiseEpochs(_, past) {
        raised.push(past.map(({ shard }) => shard));
        for (const { shard, epoch } of past)
          if (owned.has(shard)) owned.set(shard, Math.max(owned.get(shard)!, epoch + 1));
        const answer = list().filter((one) => past.some(({ shard }) => shard === one.shard));
        await onTheWay.afterRaising();
        return answer;
      },
      release: async () => {},
    },
    clock: faults.clock ?? systemClock,
    scheduler: { ...systemScheduler, every: () => () => {} },
    log: pino({ level: 'silent' }),
    fault: armFaultPoints(undefined),
    gatewayId: 'a',
    incarnation: 'one',
    leaseMs: 600_000,
    onLost: (shards) => lost.push(...shards),
    onGained: (shards) => gained.push(...shards),
    onSuperseded: () => {},
  });
  await ownership.start('127.0.0.1:0');
  const loseTaking = () => {
    loseNextTaking = true;
  };
  return { ownership, raised, gained, lost, loseTaking, owned, free, onTheWay };
}

test('a renewal raises no epoch while somebody settles the shard, and does so when that was given up', async () => {
  const { ownership, raised } = await startOwnership();
  ownership.beginSettling([1]);
  await ownership.renew();
  assert.deepEqual([raised, ownership.standingOf(1), ownership.standingOf(2)], [[], 'settling', 'owned']);
  ownership.giveUpSettling([{ shard: 1, epoch: 10 }]);
  await ownership.renew();
  assert.deepEqual([raised, ownership.fencesOf([1])], [[[1]], [{ shard: 1, epoch: 11 }]]);
  await ownership.renew();
  assert.equal(raised.length, 1, 'it is settled');
});

test('shards that were settled in time keep their owner', async () => {
  const { ownership, raised } = await startOwnership();
  const [one, two] = ownership.fencesOf([1, 2])!;
  ownership.beginSettling([1, 2]);
  await ownership.raise([two!], PATIENCE_MS);
  ownership.giveUpSettling([one!, two!]);
  await ownership.renew();
  assert.deepEqual(raised, [[2], [1]]);
});

test('shards that were taken are served, though the answer to that was lost', async () => {
  const { ownership, gained, loseTaking } = await startOwnership();
  loseTaking();
  await ownership.renew();
  assert.equal(ownership.standingOf(3), 'elsewhere');
  await ownership.renew();
  assert.deepEqual(ownership.fencesOf([1, 3]), [
    { shard: 1, epoch: 10 },
    { shard: 3, epoch: 30 },
  ]);
  assert.deepEqual(gained, [1, 2, 3]);
});

test('a shard that left and became free during a renewal is first lost, because another owner may have changed it', async () => {
  const { ownership, gained, lost, free } = await startOwnership();
  free.push({ shard: 1, epoch: 12 });
  await ownership.renew();
  assert.deepEqual([lost, gained], [[1], [1, 2, 1]]);
  assert.deepEqual(ownership.fencesOf([1]), [{ shard: 1, epoch: 12 }]);
});

test('a shard that left and came back in silence is first lost, because another owner may have changed it, and then served again', async () => {
  const { ownership, gained, lost, owned } = await startOwnership();
  owned.set(1, 12);
  await ownership.renew();
  assert.deepEqual([lost, gained], [[1], [1, 2, 1]]);
  assert.deepEqual(ownership.fencesOf([1]), [{ shard: 1, epoch: 12 }]);
});

test('a shard that is being settled does not count as lost, though its epoch is newer', async () => {
  const { ownership, lost, owned } = await startOwnership();
  ownership.beginSettling([1]);
  owned.set(1, 11);
  await ownership.renew();
  assert.deepEqual([lost, ownership.standingOf(1)], [[], 'settling']);
});

test('a list that was read before a shard was lost does not bring it back', async () => {
  const { ownership, gained, lost, owned, onTheWay } = await startOwnership();
  ownership.beginSettling([1]);
  onTheWay.afterListing = async () => {
    owned.delete(1);
    onTheWay.afterListing = async () => {};
    await ownership.raise([{ shard: 1, epoch: 10 }], PATIENCE_MS);
  };
  await ownership.renew();
  assert.deepEqual([lost, gained, ownership.standingOf(1)], [[1], [1, 2], 'elsewhere']);
});

test('the answer to a raise does not put back an epoch that has passed', async () => {
  const { ownership, owned, onTheWay } = await startOwnership();
  onTheWay.afterRaising = async () => {
    owned.set(1, 15);
    await ownership.renew();
  };
  await ownership.raise([{ shard: 1, epoch: 10 }], PATIENCE_MS);
  assert.deepEqual(ownership.fencesOf([1]), [{ shard: 1, epoch: 15 }]);
});

test('a raise that finds a later epoch than the next loses the shard and takes it again: others may have owned it', async () => {
  const { ownership, gained, lost, owned } = await startOwnership();
  ownership.beginSettling([1, 2]);
  owned.set(1, 15);
  const past = [
    { shard: 1, epoch: 10 },
    { shard: 2, epoch: 20 },
  ];
  await ownership.raise(past, PATIENCE_MS);
  assert.deepEqual([lost, gained], [[1], [1, 2, 1]]);
  assert.deepEqual(ownership.fencesOf([1, 2]), [
    { shard: 1, epoch: 15 },
    { shard: 2, epoch: 21 },
  ]);
  await ownership.raise(past, PATIENCE_MS);
  assert.deepEqual(lost, [1], 'once');
});

test('an answer to a raise that nobody waits for any more opens no shard: another commit may be doubtful by then', async () => {
  const { ownership, onTheWay } = await startOwnership();
  let answer = () => {};
  onTheWay.afterRaising = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  ownership.beginSettling([1]);
  await assert.rejects(ownership.raise([{ shard: 1, epoch: 10 }], 1), /took longer/);
  answer();
  await turn();
  assert.equal(ownership.standingOf(1), 'settling');
});

test('a shard that another process owns, or that is being settled, has no fence', async () => {
  const { ownership } = await startOwnership();
  assert.equal(ownership.fencesOf([1, 9]), undefined);
  ownership.beginSettling([2]);
  assert.equal(ownership.fencesOf([1, 2]), undefined);
  assert.deepEqual(ownership.fencesOf([1]), [{ shard: 1, epoch: 10 }]);
});

test('a lease counts from before its renewal was sent, however late the answer comes', async () => {
  let now = 0;
  const clock = { ...systemClock, monotonic: () => now };
  const renew = async () => {
    now += 400_000;
    return true;
  };
  const { ownership } = await startOwnership({ clock, renew });
  await ownership.renew();
  assert.equal(ownership.standingOf(1), 'owned');
  now = 600_000;
  assert.equal(ownership.standingOf(1), 'elsewhere');
});

test('a process whose gateway id another process has taken loses all of its shards', async () => {
  const { ownership, lost } = await startOwnership({ renew: async () => false });
  await ownership.renew();
  assert.deepEqual([lost, ownership.ownedShards(), ownership.holds(1)], [[1, 2], [], false]);
});

test('a process that stood still serves nothing until it has heard which shards are left to it', async () => {
  let now = 0;
  const { ownership, lost, owned, onTheWay } = await startOwnership({
    clock: { ...systemClock, monotonic: () => now },
  });
  now += 600_001;
  // Another process has taken the shard meanwhile and changes what this one has in memory.
  owned.delete(1);
  const standing: string[] = [];
  onTheWay.afterListing = async () => void standing.push(ownership.standingOf(1), ownership.standingOf(2));
  await ownership.renew();
  standing.push(ownership.standingOf(1), ownership.standingOf(2));
  assert.deepEqual([standing, lost], [['elsewhere', 'elsewhere', 'elsewhere', 'owned'], [1]]);
});

test('a process whose lease runs serves on while it hears which shards are left to it', async () => {
  let now = 0;
  const { ownership, onTheWay } = await startOwnership({ clock: { ...systemClock, monotonic: () => now } });
  now += 500_000;
  const standing: string[] = [];
  onTheWay.afterListing = async () => {
    now += 500_000;
    standing.push(ownership.standingOf(1));
  };
  await ownership.renew();
  assert.deepEqual(standing, ['owned']);
});

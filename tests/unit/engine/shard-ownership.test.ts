import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { ShardOwnership } from '../../../engine/org/shard-ownership.ts';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { armFaultPoints } from '../../../engine/runtime/fault-points.ts';

/** Owns shards 1 and 2, and answers a raise with the next epoch; after `loseTaking` it takes 3, and does not say so. */
async function startOwnership() {
  const owned = new Map([
    [1, 10],
    [2, 20],
  ]);
  const list = () => [...owned].map(([shard, epoch]) => ({ shard, epoch }));
  const raised: (readonly number[])[] = [];
  const gained: number[] = [];
  let loseNextTaking = false;
  const ownership = new ShardOwnership({
    store: {
      register: async () => {},
      renew: async () => true,
      async takeFree() {
        if (ownership.ownedShards().length === 0) return list();
        if (!loseNextTaking) return [];
        loseNextTaking = false;
        owned.set(3, 30);
        throw new Error('planted');
      },
      listOwned: async () => list(),
      async raiseEpochs(_, past) {
        raised.push(past.map(({ shard }) => shard));
        for (const { shard, epoch } of past) owned.set(shard, epoch + 1);
        return list().filter((one) => past.some(({ shard }) => shard === one.shard));
      },
      release: async () => {},
    },
    clock: systemClock,
    scheduler: { ...systemScheduler, every: () => () => {} },
    log: pino({ level: 'silent' }),
    fault: armFaultPoints(undefined),
    gatewayId: 'a',
    incarnation: 'one',
    leaseMs: 600_000,
    onLost: () => {},
    onGained: (shards) => gained.push(...shards),
    onSuperseded: () => {},
  });
  await ownership.start('127.0.0.1:0');
  const loseTaking = () => {
    loseNextTaking = true;
  };
  return { ownership, raised, gained, loseTaking };
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

test('what was settled in time is left alone by those who give up', async () => {
  const { ownership, raised } = await startOwnership();
  const [one, two] = ownership.fencesOf([1, 2])!;
  ownership.beginSettling([1, 2]);
  await ownership.raise([two!]);
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

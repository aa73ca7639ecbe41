import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { ShardOwnership } from '../../../engine/org/shard-ownership.ts';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { armFaultPoints } from '../../../engine/runtime/fault-points.ts';
import type { OwnedShard } from '../../../engine/store/shard-store.ts';

/** An owner of shard 7 with epoch 1, and what Postgres answers to its raises, in the order in which they were asked for. */
async function ownerOf7(...epochs: readonly number[]) {
  const answers: (() => void)[] = [];
  const ownership = new ShardOwnership({
    store: {
      register: async () => {},
      renew: async () => true,
      takeFree: async () => [{ shard: 7, epoch: 1 }],
      listOwned: async () => [],
      raiseEpochs: () =>
        new Promise<OwnedShard[]>((resolve) => {
          const epoch = epochs[answers.length]!;
          answers.push(() => resolve([{ shard: 7, epoch }]));
        }),
      release: async () => {},
    },
    clock: systemClock,
    scheduler: { ...systemScheduler, every: () => () => {} },
    log: pino({ level: 'silent' }),
    fault: armFaultPoints(undefined),
    gatewayId: 'a',
    incarnation: 'one',
    leaseMs: 60_000,
    onLost: () => {},
    onGained: () => {},
    onSuperseded: () => {},
  });
  await ownership.start('127.0.0.1:0');
  return { ownership, answers };
}

test('of two raises at once the higher epoch holds, whichever is heard of last', async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const { ownership, answers } = await ownerOf7(2, 3);
    const raising = [ownership.raise([7]), ownership.raise([7])];
    for (const index of order) {
      answers[index]!();
      await raising[index];
    }
    assert.deepEqual(ownership.fencesOf([7]), [{ shard: 7, epoch: 3 }]);
  }
});

test('a shard is kept while all its epochs were given to this process, and not when one of them was not', async () => {
  const { ownership, answers } = await ownerOf7(2, 3, 5);
  const fences = ownership.fencesOf([7])!;
  const raise = async () => {
    const raised = ownership.raise([7]);
    answers.at(-1)!();
    await raised;
    return ownership.hasKept(fences);
  };
  assert.deepEqual([await raise(), await raise(), await raise()], [true, true, false]);
  assert.ok(ownership.hasKept(ownership.fencesOf([7])!));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from '../../../gateway/fair-queue.ts';
import { RefusalError } from '../../../gateway/refusal-error.ts';
import { refusal } from '../../../schema/errors.ts';

const full = () => refusal('OVERLOADED');

/** A queue of one place, taken until `free` is called, and what has begun meanwhile. */
function takenQueue() {
  let timers: (() => void)[] = [];
  const scheduler = {
    after(_delayMs: number, task: () => void) {
      timers.push(task);
      return () => {
        timers = timers.filter((other) => other !== task);
      };
    },
  };
  const queue = new FairQueue({ atOnce: 1, waiting: 5, waitingOfOne: 3, full, patience: { ms: 20, scheduler } });
  let free = (): void => {};
  const first = queue.run('first', () => new Promise<void>((resolve) => (free = resolve)));
  const begun: string[] = [];
  const ask = (party: string, name = party) => queue.run(party, async () => void begun.push(name));
  const letPatienceEnd = () => {
    for (const timer of timers.splice(0)) timer();
  };
  return { begun, ask, free: () => free(), first, letPatienceEnd };
}

test('parties that wait take turns, however many pieces of work each has', async () => {
  const { begun, ask, free } = takenQueue();
  const all = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('b', 'b2')];
  free();
  await Promise.all(all);
  assert.deepEqual(begun, ['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('past its share a party is refused while others are admitted, and past the whole bound everybody is', async () => {
  const { begun, ask, free } = takenQueue();
  const admitted = [ask('a'), ask('a'), ask('a')];
  await assert.rejects(ask('a'), RefusalError);
  admitted.push(ask('b'), ask('c'));
  await assert.rejects(ask('d'), (error) => error instanceof RefusalError && error.refusal.code === 'OVERLOADED');
  free();
  await Promise.all(admitted);
  assert.equal(begun.length, 5);
  await ask('d');
  assert.equal(begun.at(-1), 'd');
});

test('a job that has waited too long is refused, never starts, and leaves its place to others', async () => {
  const { begun, ask, free, first, letPatienceEnd } = takenQueue();
  const late = assert.rejects(ask('a', 'late'), RefusalError);
  letPatienceEnd();
  await late;
  const others = [ask('a'), ask('a'), ask('a')];
  free();
  await Promise.all([first, ...others]);
  letPatienceEnd();
  assert.deepEqual(begun, ['a', 'a', 'a']);
});

test('one party has its share of the places, and others have the rest at once', async () => {
  const queue = new FairQueue({ atOnce: 3, atOnceOfOne: 2, waiting: 9, waitingOfOne: 9, full });
  const under = new Map<string, () => void>();
  const begun: string[] = [];
  const ask = (name: string) => {
    const work = () => new Promise<void>((resolve) => under.set(name, resolve));
    return queue.run(name[0]!, () => {
      begun.push(name);
      return work();
    });
  };
  const end = async (name: string) => {
    under.get(name)!();
    await new Promise(setImmediate);
  };
  const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map(ask);
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('b1');
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'b2'], 'past a3, whose party has its share');
  await end('a1');
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'b2', 'a3']);
  for (const name of ['a2', 'b2', 'a3']) await end(name);
  await Promise.all(all);
});

test('work that fails gives its place back', async () => {
  const queue = new FairQueue({ atOnce: 1, waiting: 1, waitingOfOne: 1, full });
  await assert.rejects(
    queue.run('a', async () => {
      throw new Error('broken');
    }),
    /broken/,
  );
  assert.equal(await queue.run('a', async () => 7), 7);
});

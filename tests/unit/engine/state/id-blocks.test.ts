import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdBlocks } from '../../../../engine/org/actor/id-blocks.ts';
import type { IdDemand } from '../../../../engine/org/decide/id-demand.ts';
import { idDemandOf } from '../../../../engine/org/decide/rules.ts';
import type { Log } from '../../../../engine/runtime/log.ts';
import type { OrgStore } from '../../../../engine/store/actor/actor-store.ts';
import type { Command } from '../../../../schema/commands.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const NOTHING = Object.fromEntries(
  Object.keys(idDemandOf({ kind: 'wake-up' } as Command)).map((kind) => [kind, 0]),
) as unknown as IdDemand;
const packages = (count: number): IdDemand => ({ ...NOTHING, package: count });

/** Blocks from a store that answers on demand, or fails. */
function setUp() {
  const asked: { kind: string; blocks: number; end: (failure?: Error) => void }[] = [];
  const warnings: unknown[] = [];
  let first = 1;
  const store = {
    reserveIds: (kind: string, blocks: number) =>
      new Promise<number[]>((resolve, reject) => {
        const end = (failure?: Error) => {
          if (failure) return reject(failure);
          resolve(Array.from({ length: blocks }, (_, index) => first + index * LIMITS.idBlock));
          first += blocks * LIMITS.idBlock;
        };
        asked.push({ kind, blocks, end });
      }),
  } as unknown as OrgStore;
  const log = { warn: (facts: unknown) => warnings.push(facts) } as unknown as Log;
  return { blocks: new IdBlocks(store, log), asked, warnings };
}

const take = (blocks: IdBlocks, count: number) => Array.from({ length: count }, () => blocks.next('package'));
const turn = () => new Promise(setImmediate);

test('ids are taken once each, and the next are reserved when half a block is left', async () => {
  const { blocks, asked } = setUp();
  const come = blocks.ensure(packages(10));
  asked[0]!.end();
  await come;
  const ids = take(blocks, asked[0]!.blocks * LIMITS.idBlock - LIMITS.idBlock / 2);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    asked.map(({ kind }) => kind),
    ['package', 'package'],
  );
  asked[1]!.end();
  await turn();
  const others = take(blocks, LIMITS.idBlock);
  assert.equal(new Set([...ids, ...others]).size, ids.length + others.length);
});

test('of two requests that waited for the same ids the second one finds them gone, and waits again', async () => {
  const { blocks, asked } = setUp();
  const demand = packages(6 * LIMITS.idBlock);
  const done: string[] = [];
  const decide = async (who: string) => {
    while (!blocks.has(demand)) await blocks.ensure(demand);
    take(blocks, 6 * LIMITS.idBlock);
    done.push(who);
  };
  const both = [decide('first'), decide('second')];
  assert.equal(asked.length, 1, 'they wait for one reservation');
  asked[0]!.end();
  await turn();
  assert.deepEqual(done, ['first']);
  while (done.length < 2) {
    for (const { end } of asked.splice(0)) end();
    await turn();
  }
  await Promise.all(both);
});

test('waiting requests fail when ids cannot be reserved; ids reserved ahead that do not come are logged with the reason', async () => {
  const { blocks, asked, warnings } = setUp();
  const failure = new Error('connection lost');
  const waiting = blocks.ensure(packages(1));
  asked[0]!.end(failure);
  await assert.rejects(waiting, failure);
  const come = blocks.ensure(packages(1));
  asked[1]!.end();
  await come;
  take(blocks, asked[1]!.blocks * LIMITS.idBlock - LIMITS.idBlock / 2);
  asked[2]!.end(failure);
  await turn();
  assert.deepEqual(warnings, [{ err: failure, kind: 'package' }]);
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { DigestSet, digestOf } from '../../../../engine/org/state/digest-set.ts';

const PRINTS_A_DIGEST = `
  import(${JSON.stringify(new URL('../../../../engine/org/state/digest-set.ts', import.meta.url).href)})
    .then(({ digestOf }) => console.log(digestOf('a name')))`;
const LARGEST = Number.MAX_SAFE_INTEGER;

test('a set of digests has what was added and nothing else, however its slots collide', () => {
  // Few low halves, so that most digests want the same slots.
  const digest = fc
    .tuple(fc.nat(0x1f_ffff), fc.constantFrom(1, 2, 3, 63, 64, 1_023, 1_024, 0xffff_ffff))
    .map(([high, low]) => high * 0x1_0000_0000 + low);
  const digests = fc.array(fc.oneof(digest, fc.maxSafeNat().filter(Boolean)), { maxLength: 3_000, size: 'max' });
  fc.assert(
    fc.property(digests, digests, (added, others) => {
      const [set, model] = [new DigestSet(), new Set<number>()];
      for (const one of added) {
        set.add(one);
        model.add(one);
      }
      assert.equal(set.size, model.size);
      for (const one of [...added, ...others]) assert.equal(set.has(one), model.has(one));
    }),
    { numRuns: 100, seed: 20261122 },
  );
});

test('a set of digests has room for the least and the largest', () => {
  const set = new DigestSet();
  assert.ok(!set.has(0) && !set.has(LARGEST));
  for (const one of [0, LARGEST]) set.add(one);
  assert.ok(set.has(0) && set.has(LARGEST));
  assert.equal(set.size, 2);
});

test('the least stays when the set grows', () => {
  const set = new DigestSet();
  set.add(0);
  for (let one = 2; one < 1_000; one += 1) set.add(one * 0x1_0000_0001);
  assert.ok(set.has(0));
});

test('digests of usual names differ, and are spread evenly over the slots', () => {
  const patterns = [
    (index: number) => `order-${index}`,
    (index: number) => `2026-11-${String(index).padStart(12, '0')}-A`,
    (index: number) => `channel:2 POST /v1/tasks\n${(index * 7919).toString(36)}`,
    (index: number) => String.fromCharCode(256 * (1 + (index % 200)), 256 * (1 + Math.floor(index / 200))),
  ];
  for (const nameOf of patterns) {
    const digests = Array.from({ length: 30_000 }, (_, index) => digestOf(nameOf(index)));
    assert.equal(new Set(digests).size, digests.length);
    const slots = new Map<number, number>();
    for (const digest of digests) slots.set(digest % 1_024, (slots.get(digest % 1_024) ?? 0) + 1);
    const fullest = Math.max(...slots.values());
    assert.ok(slots.size === 1_024 && fullest < 90, `${nameOf(1)}: ${fullest} where 29 are usual`);
  }
});

test('another process has other digests of the same names', () => {
  const there = execFileSync(process.execPath, ['--import', 'tsx', '--eval', PRINTS_A_DIGEST], { encoding: 'utf8' });
  assert.match(there, /^\d+\n$/);
  assert.notEqual(Number(there), digestOf('a name'));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DigestSet } from '../../../engine/org/digest-set.ts';

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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evictOldest } from '../../../../engine/org/state/live.ts';
import { RecencyMap } from '../../../../engine/org/state/recency-map.ts';
import { rounds } from '../../../support/runner/rounds.ts';

test('a recency map keeps the order of a Map that deletes and sets again at each use', () => {
  const step = fc.record({ kind: fc.constantFrom('set', 'touch', 'delete'), key: fc.nat(12), value: fc.nat() });
  const matches = fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
    const map = new RecencyMap<number, number>();
    const model = new Map<number, number>();
    for (const { kind, key, value } of steps) {
      if (kind === 'delete') {
        map.delete(key);
        model.delete(key);
        continue;
      }
      const next = kind === 'set' ? value : model.get(key);
      if (kind === 'set') map.set(key, value);
      else map.touch(key);
      if (next === undefined) continue;
      model.delete(key);
      model.set(key, next);
    }
    assert.deepEqual([...map.entries()], [...model]);
    assert.deepEqual(new Set(map.values()), new Set(model.values()));
    assert.equal(map.size, model.size);
    for (let key = 0; key <= 12; key++) assert.equal(map.get(key), model.get(key));
  });
  fc.assert(matches, { seed: 7, numRuns: rounds(500) });
});

test('a walk passes over entries that are deleted during it', () => {
  const map = new RecencyMap<number, string>();
  for (const key of [1, 2, 3, 4, 5]) map.set(key, `v${key}`);
  const walked: number[] = [];
  for (const [key] of map.entries()) {
    walked.push(key);
    if (key !== 2) continue;
    for (const gone of [1, 2, 3, 4]) map.delete(gone);
  }
  assert.deepEqual(walked, [1, 2, 5]);
});

test('eviction goes a fifth below the bound, the longest unused first, and keeps what is not durable', () => {
  const map = new RecencyMap<number, { ticket: number }>();
  for (let key = 1; key <= 11; key++) map.set(key, { ticket: key === 2 ? 5 : 1 });
  map.touch(1);
  evictOldest(map, 10, 4);
  assert.deepEqual(
    [...map.entries()].map(([key]) => key),
    [2, 6, 7, 8, 9, 10, 11, 1],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeenDeliveries } from '../../../bench/webhooks/seen-deliveries.ts';

/** The deliveries with which the window begins and ends, of 18, and how many are inside it. */
const windows = [
  ['a warm-up of 3 s before 15 s', 3 / 18, 1, [3, 18, 15]],
  ['a warm-up of 10 s before 8 s', 10 / 18, 1, [10, 18, 8]],
  ['a warm-up that brings nothing', 0.01, 1, [1, 18, 17]],
  ['an edge at each end', 0.1, 0.9, [1, 17, 16]],
] as const;

for (const [what, from, to, expected] of windows) {
  test(`the window of the sink with ${what}`, () => {
    const edges: number[] = [];
    const seen = new SeenDeliveries({ webhooks: 1, events: 18, from, to }, () => edges.push(seen.unique));
    for (let sequence = 1; sequence <= 18; sequence++) seen.take(0, sequence, new Date().toISOString());
    assert.deepEqual([...edges, seen.windowed], expected);
    assert.equal(seen.latencies.count, seen.windowed);
  });
}

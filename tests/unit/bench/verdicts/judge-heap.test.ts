import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeHeap } from '../../../../bench/console/judge-heap.ts';

const judged = (...pages: number[]) => judgeHeap(pages.map((page) => ({ page, worker: 10 })));

test('fewer than four readings of the heap have no verdict, for one would be compared with itself', () => {
  for (const pages of [[], [90], [90, 900], [90, 90, 900]]) assert.deepEqual(judged(...pages), []);
});

test('the heap in the middle is compared with that at the end', () => {
  assert.equal(judged(10, 10, 90, 100)[0]!.met, true);
  assert.equal(judged(10, 10, 90, 101)[0]!.met, false);
});

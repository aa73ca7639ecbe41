import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surviveBackendKills } from '../../faults/support/random-kills.ts';

const ANSWER_MS = 16_000;

for (const seed of [1, 2, 3]) {
  test(`a thousand backends ended at random points, seed ${seed}: no exit, no hang, no row outside its transaction`, async () => {
    const { slowestMs, wrongReads } = await surviveBackendKills(1_000, seed);
    assert.ok(slowestMs < ANSWER_MS, `an answer took ${Math.round(slowestMs)} ms`);
    assert.deepEqual(wrongReads, []);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../schema/limits.ts';
import { surviveBackendKills } from './support/random-kills.ts';

/** The longest time that a request may wait, the scan that enforces it, and a client that is slow to notice. */
const ANSWER_MS = LIMITS.requestDeadlineMs + 10_000;

test('twenty backends ended at random points: no exit, no hang, no row outside its transaction', async (t) => {
  // These differ from tests/slow/faults/random-kills.test.ts and are the same each time.
  const seed = Number(process.env['TEST_SEED'] ?? 4);
  t.diagnostic(`seed ${seed}: repeat with TEST_SEED=${seed}`);
  const { slowestMs, wrongReads } = await surviveBackendKills(20, seed);
  assert.ok(slowestMs < ANSWER_MS, `an answer took ${Math.round(slowestMs)} ms`);
  assert.deepEqual(wrongReads, [], 'a read is answered 200, or 503 while its store is away');
});

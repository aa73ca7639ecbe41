import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueTimes } from '../../../bench/locations/due-times.ts';

test('reads are due at a steady rate, however late the timer fires', () => {
  assert.deepEqual(dueTimes(1_000, 500, 0, 1_001.9), []);
  assert.deepEqual(dueTimes(1_000, 500, 0, 1_002), [1_002]);
  // A timer that was 5 ms late: nothing counts from when it fired.
  assert.deepEqual(dueTimes(1_000, 500, 1, 1_009), [1_004, 1_006, 1_008]);
  assert.deepEqual(dueTimes(1_000, 500, 4, 1_009), []);
});

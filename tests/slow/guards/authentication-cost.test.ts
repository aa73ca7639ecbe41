import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_GUARD_MICROS, measureGuardCost } from '../../../bench/measure/guard-cost.ts';

test(`a known key costs a request at most ${MOST_GUARD_MICROS} µs of CPU, rate limit included`, async () => {
  const { guard, guardAndQuota } = await measureGuardCost(200_000, 10_000);
  assert.ok(guard > 0, `${guard} µs: nothing was measured`);
  assert.ok(guardAndQuota <= MOST_GUARD_MICROS, `${guardAndQuota.toFixed(2)} µs`);
});

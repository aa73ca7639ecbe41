import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureGuardCost } from '../../../bench/measure/guard-cost.ts';
import { hashSecret, newApiKey } from '../../../engine/runtime/secrets.ts';

const CALLS = 30_000;
const CHANNELS = 1_000;
const ROUNDS = 3;
/** The hash of the key is most of it on every machine; tests/slow/guards/authentication-cost.test.ts measures in µs. */
const MOST_HASHES = 4;

/** CPU microseconds of one. */
function hashMicros(): number {
  const keys = Array.from({ length: CHANNELS }, newApiKey);
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call++) hashSecret(keys[call % CHANNELS]!);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

test(`a known key costs a request at most ${MOST_HASHES} times its hash, rate limit included`, async () => {
  const ratios: number[] = [];
  // Other work of the process in one of them is not the guard's.
  for (let round = 0; round < ROUNDS; round++) {
    const { guard, guardAndQuota } = await measureGuardCost(CALLS, CHANNELS);
    assert.ok(guard > 0, `${guard} µs: nothing was measured`);
    ratios.push(guardAndQuota / hashMicros());
  }
  assert.ok(Math.min(...ratios) <= MOST_HASHES, ratios.map((ratio) => ratio.toFixed(2)).join());
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeLocations } from '../../../../bench/locations/judge-locations.ts';
import type { LocationRun, ServerName } from '../../../../bench/locations/measure-locations.ts';

function runOf(server: ServerName, mebibytes: number): LocationRun {
  const reads = { p99Ms: 10 };
  return { server, pointsPerSecond: 1_000, mebibytes: [mebibytes], windowMs: 10_000, reads } as unknown as LocationRun;
}

/** The verdict on the memory of a server that grows from one number of MiB to another. */
function memoryFrom(before: number, after: number) {
  const greatest = [runOf('ours', before), runOf('ours', after), runOf('parse-only', before)];
  return judgeLocations(greatest, greatest).find(({ claim }) => claim.startsWith('memory'))!;
}

test('the verdict on memory claims the same on any machine, and measures what is allowed', () => {
  const [small, large] = [memoryFrom(100, 119), memoryFrom(1_000, 1_101)];
  assert.equal(small.claim, large.claim);
  assert.match(small.measured, /^19 MiB from 100 MiB, below 20 wanted /);
  assert.match(large.measured, /^101 MiB from 1000 MiB, below 100 wanted /);
  assert.deepEqual([small.met, large.met], [true, false]);
});

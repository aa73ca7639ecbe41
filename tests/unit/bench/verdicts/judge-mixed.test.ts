import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeMixed, type Minute, mixedVoidReasons } from '../../../../bench/mixed/judge-mixed.ts';

const FLAT: Minute = {
  lives: 50,
  p50Ms: 10,
  p99Ms: 40,
  byKind: {},
  gatewayMiB: 400,
  heapMiB: 100,
  workersMiB: 80,
  redisMiB: 2,
};

const metOf = (heaps: readonly number[]) => judgeMixed(heaps.map((heapMiB) => ({ ...FLAT, heapMiB })))[0]!.met;

test('fewer than four minutes have no verdict, for a minute would be compared with itself', () => {
  for (const count of [0, 1, 3]) assert.deepEqual(judgeMixed(Array<Minute>(count).fill(FLAT)), []);
  assert.equal(judgeMixed(Array<Minute>(4).fill(FLAT)).length, 4);
});

test('the third quarter is compared with the last by their medians', () => {
  assert.equal(metOf([10, 20, 100, 110]), true);
  assert.equal(metOf([10, 20, 100, 111]), false);
  const third = [100, 100, 100];
  assert.equal(metOf([1, 1, 1, 1, 1, 1, ...third, 100, 100, 500]), true, 'one high minute is no growth');
  assert.equal(metOf([1, 1, 1, 1, 1, 1, ...third, 120, 120, 100]), false, 'one low minute hides no growth');
});

test('a run that is short, fell behind or was not followed is void', () => {
  const followed = { events: 1, ended: 0, deliveries: 1 };
  assert.deepEqual(mixedVoidReasons(4, 10, followed), []);
  assert.deepEqual(mixedVoidReasons(3.5, 10, followed), ['3.5 minutes, at least 4 are needed']);
  assert.deepEqual(mixedVoidReasons(4, 500, followed), ['500 lives had not ended']);
  assert.deepEqual(mixedVoidReasons(4, 10, { events: 0, ended: 2, deliveries: 0 }), [
    '2 streams ended',
    'no event came on a stream',
    'no delivery came to the webhook',
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkQuota } from '../../../../engine/domain/quota.ts';

const SEED = 20_261_122;

const NOW = '2026-12-31T23:59:59.999Z';

test('a group that does not fit as a whole is refused with the rest and the time when the count starts again', () => {
  assert.deepEqual(checkQuota('tasks', 100, 95, 6, NOW)?.details, {
    resource: 'tasks',
    limit: 100,
    used: 95,
    remaining: 5,
    resetsAt: '2027-01-01T00:00:00.000Z',
  });
});

test('wanting nothing is allowed even where a lowered limit is passed already', () => {
  assert.equal(checkQuota('customers', 10, 20, 0, NOW), undefined);
});

test('a group is allowed exactly when its members would be allowed one by one', () => {
  const count = fc.integer({ min: 0, max: 300 });
  fc.assert(
    fc.property(count, count, fc.integer({ min: 0, max: 50 }), (limit, used, wanted) => {
      const oneByOne = Array.from({ length: wanted }, (_, taken) => checkQuota('tasks', limit, used + taken, 1, NOW));
      const isAllowed = oneByOne.every((refused) => refused === undefined);
      assert.equal(checkQuota('tasks', limit, used, wanted, NOW) === undefined, isAllowed);
    }),
    { seed: SEED },
  );
});

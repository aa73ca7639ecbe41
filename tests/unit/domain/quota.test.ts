import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkQuota, quotaPeriod } from '../../../engine/domain/quota.ts';

const NOW = '2026-11-21T04:00:00.000Z';

for (const [limit, used, wanted, allowed] of [
  [undefined, 1_000_000, 500, true],
  [null, 1_000_000, 500, true],
  [0, 0, 1, false],
  [1, 0, 1, true],
  [1, 1, 1, false],
  [100, 99, 1, true],
  [100, 99, 2, false],
  [100, 50, 50, true],
  [100, 50, 51, false],
  [100, 150, 1, false],
] as const) {
  test(`with a limit of ${limit} and ${used} used, ${wanted} more ${wanted === 1 ? 'is' : 'are'} ${allowed ? 'allowed' : 'refused'}`, () => {
    const refused = checkQuota('tasks', limit, used, wanted, NOW);
    if (allowed) return assert.equal(refused, undefined);
    assert.equal(refused?.code, 'PACKAGE_LIMIT_EXCEEDED');
    assert.deepEqual(refused?.details, {
      resource: 'tasks',
      limit,
      used,
      remaining: Math.max(0, limit! - used),
      resetsAt: '2026-12-01T00:00:00.000Z',
    });
  });
}

for (const [now, period, resetsAt] of [
  ['2026-01-01T00:00:00.000Z', '2026-01-01', '2026-02-01T00:00:00.000Z'],
  ['2026-01-31T23:59:59.999Z', '2026-01-01', '2026-02-01T00:00:00.000Z'],
  ['2028-02-29T12:00:00.000Z', '2028-02-01', '2028-03-01T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01T00:00:00.000Z'],
] as const) {
  test(`at ${now} tasks count in the month of ${period} until ${resetsAt}`, () => {
    assert.equal(quotaPeriod('tasks', now), period);
    assert.equal(checkQuota('tasks', 0, 0, 1, now)?.details?.['resetsAt'], resetsAt);
  });
}

for (const resource of ['customers', 'agents', 'warehouses'] as const) {
  test(`${resource} are counted for good`, () => {
    assert.equal(quotaPeriod(resource, NOW), quotaPeriod(resource, '2031-05-05T00:00:00.000Z'));
    assert.equal(checkQuota(resource, 1, 1, 1, NOW)?.details?.['resetsAt'], null);
  });
}

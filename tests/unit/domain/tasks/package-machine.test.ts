import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  afterCancellation,
  afterCompletion,
  allowedPackageNext,
  judgePackageStep,
  wasDelivered,
} from '../../../../engine/domain/tasks/package-machine.ts';
import { PACKAGE_STATUSES, type PackageStatus } from '../../../../schema/tasks/package.ts';

/**
 * docs/contract.md §3 "Package statuses": rows are from, columns to.
 * yes: allowed · $: allowed where the task has an amount · same: 200, nothing changes · -: 409.
 */
type Cell = 'yes' | '$' | 'same' | '-';

// biome-ignore format: read by columns
const TABLE: Readonly<Record<PackageStatus, readonly Cell[]>> = {
  //                   pend    picking picked  deliv-ing deliv'd collect paid    drop-ing dropped ret'd   canc    lost    damaged
  pending:            ['same', 'yes',  '-',    '-',      '-',    '-',    '-',    '-',     '-',    '-',    'yes',  '-',    '-'],
  picking_up:         ['-',    'same', 'yes',  '-',      '-',    '-',    '-',    '-',     '-',    '-',    'yes',  '-',    '-'],
  picked_up:          ['-',    '-',    'same', 'yes',    '-',    '-',    '-',    '-',     '-',    'yes',  '-',    'yes',  'yes'],
  delivering:         ['-',    '-',    '-',    'same',   'yes',  '$',    '-',    '-',     '-',    'yes',  '-',    'yes',  'yes'],
  delivered:          ['-',    '-',    '-',    '-',      'same', '-',    '-',    '$',     '-',    '-',    '-',    '-',    '-'],
  collecting_payment: ['-',    '-',    '-',    '-',      '-',    'same', '$',    '-',     '-',    '-',    '-',    'yes',  'yes'],
  payment_collected:  ['-',    '-',    '-',    '-',      '$',    '-',    'same', '-',     '-',    '-',    '-',    'yes',  'yes'],
  dropping_payment:   ['-',    '-',    '-',    '-',      '-',    '-',    '-',    'same',  '$',    '-',    '-',    'yes',  'yes'],
  payment_dropped:    ['-',    '-',    '-',    '-',      '-',    '-',    '-',    '-',     'same', '-',    '-',    '-',    '-'],
  returned:           ['-',    '-',    '-',    '-',      '-',    '-',    '-',    '-',     '-',    'same', '-',    '-',    '-'],
  cancelled:          ['-',    '-',    '-',    '-',      '-',    '-',    '-',    '-',     '-',    '-',    'same', '-',    '-'],
  lost:               ['-',    '-',    '-',    '-',      '-',    '-',    '-',    '-',     '-',    '-',    '-',    'same', '-'],
  damaged:            ['-',    '-',    '-',    '-',      '-',    '-',    '-',    '-',     '-',    'yes',  '-',    '-',    'same'],
};

for (const hasAmount of [false, true]) {
  for (const from of PACKAGE_STATUSES) {
    const cells = PACKAGE_STATUSES.map((to, column) => ({ to, cell: TABLE[from][column]! }));
    const allowed = cells.filter(({ cell }) => cell === 'yes' || (cell === '$' && hasAmount)).map(({ to }) => to);

    test(`a package whose task has ${hasAmount ? 'an' : 'no'} amount may go on from ${from} to ${allowed.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(allowedPackageNext(from, { hasAmount }), allowed);
      for (const { to, cell } of cells) {
        const verdict = judgePackageStep(from, to, { hasAmount });
        assert.equal(verdict.kind, cell === 'same' ? 'unchanged' : allowed.includes(to) ? 'change' : 'refused', to);
        if (verdict.kind !== 'refused') continue;
        const why = cell === '$' ? ': its task has no amount' : '';
        assert.deepEqual(verdict.refusal, {
          code: 'INVALID_PACKAGE_TRANSITION',
          message: `A package in ${from} cannot become ${to}${why}`,
          details: { from, to, allowed },
        });
      }
    });
  }
}

/** Where the end of the task leaves a package. A failed task leaves it where a cancelled one does. */
// biome-ignore format: read by columns
const ENDS: Readonly<Record<PackageStatus, readonly [succeeded: PackageStatus, failedOrCancelled: PackageStatus]>> = {
  //                   succeeded           failed, cancelled
  pending:            ['delivered',        'cancelled'],
  picking_up:         ['delivered',        'cancelled'],
  picked_up:          ['delivered',        'returned'],
  delivering:         ['delivered',        'returned'],
  delivered:          ['delivered',        'delivered'],
  collecting_payment: ['delivered',        'returned'],
  payment_collected:  ['delivered',        'returned'],
  dropping_payment:   ['dropping_payment', 'dropping_payment'],
  payment_dropped:    ['payment_dropped',  'payment_dropped'],
  returned:           ['returned',         'returned'],
  cancelled:          ['cancelled',        'cancelled'],
  lost:               ['lost',             'lost'],
  damaged:            ['damaged',          'returned'],
};

describe('the end of its task', () => {
  for (const status of PACKAGE_STATUSES) {
    const [succeeded, otherwise] = ENDS[status];
    test(`the end of its task leaves a package in ${status} as ${succeeded} when it succeeded, as ${otherwise} when it did not`, () => {
      assert.equal(afterCompletion(status, 'succeeded'), succeeded);
      assert.equal(afterCompletion(status, 'failed'), otherwise);
      assert.equal(afterCancellation(status), otherwise);
    });

    test(`the end of its task leaves a package that was in ${status} where a second end would leave it too`, () => {
      assert.equal(afterCompletion(succeeded, 'succeeded'), succeeded);
      assert.equal(afterCancellation(otherwise), otherwise);
    });
  }
});

test('a package counts as delivered once the customer has it, regardless of the money', () => {
  assert.deepEqual(PACKAGE_STATUSES.filter(wasDelivered), ['delivered', 'dropping_payment', 'payment_dropped']);
});

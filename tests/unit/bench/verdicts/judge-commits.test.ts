import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeCommits, type Phase } from '../../../../bench/commits/judge-commits.ts';

/** Three rounds, in which a create costs 1 + 1. */
function costsWith(phase: Phase, postgresSeconds: number, rounds = 3) {
  const phases: readonly Phase[] = ['create', 'assign', 'in_transit', 'completed'];
  return new Map(
    phases.map((each) => {
      const cost = { gatewaySeconds: 1, postgresSeconds: each === phase ? postgresSeconds : 1 };
      return [each, Array(rounds).fill(cost)] as const;
    }),
  );
}

test('every step may cost 1.3 times a create, and none of them more', () => {
  assert.equal(judgeCommits(costsWith('in_transit', 1.6))[0]!.met, true);
  for (const step of ['assign', 'in_transit', 'completed'] as const) {
    const [verdict] = judgeCommits(costsWith(step, 1.62));
    assert.equal(verdict!.met, false);
    assert.match(verdict!.measured, new RegExp(`\\b${step} 1\\.31`));
  }
});

test('fewer than three rounds have no verdict on steps', () => {
  assert.deepEqual(judgeCommits(costsWith('assign', 1, 2)), []);
});

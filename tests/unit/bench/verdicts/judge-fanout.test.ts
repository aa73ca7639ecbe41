import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeFanout, type Limit, unfoundReasons } from '../../../../bench/fanout/judge-fanout.ts';
import type { FanoutStep } from '../../../../bench/fanout/measure-step.ts';

/** The limits of one part; 0 for a round in which no rate passed. */
function limitsOf(ours: readonly number[], nchan: readonly number[]): Limit[] {
  const of = (side: 'ours' | 'nchan', rates: readonly number[]) =>
    rates.map((rate, index): Limit => {
      const best = rate === 0 ? undefined : ({ eventsPerSecond: rate } as FanoutStep);
      return { part: 'hub', side, round: index + 1, best };
    });
  return [...of('ours', ours), ...of('nchan', nchan)];
}

test('a side of the streams without a rate makes the run void and leaves no verdict', () => {
  for (const [ours, nchan, reasons] of [
    [[40], [0], ['hub, nchan, round 1: no rate passed']],
    [[0], [40], ['hub, ours, round 1: no rate passed']],
    [[0], [0], ['hub, ours, round 1: no rate passed', 'hub, nchan, round 1: no rate passed']],
    [[40, 40, 40], [40, 0, 40], ['hub, nchan, round 2: no rate passed']],
  ] as const) {
    const limits = limitsOf(ours, nchan);
    assert.deepEqual(unfoundReasons(limits), reasons);
    assert.deepEqual(judgeFanout(limits, ['hub']), []);
  }
});

test('rates of both sides are compared by their medians', () => {
  for (const [ours, met] of [
    [60, true],
    [59, false],
  ] as const) {
    const limits = limitsOf([1, ours, 100], [40, 10, 90]);
    assert.deepEqual(unfoundReasons(limits), []);
    const [verdict] = judgeFanout(limits, ['hub']);
    assert.equal(verdict!.met, met);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeLargeBatches } from '../../../bench/report/judge-ways.ts';
import type { Summary } from '../../../bench/report/summarize.ts';

function cellOf(contestant: 'single' | 'keyed' | 'batch', connections: number, median: number): Summary {
  return { contestant, connections, tasksPerSecond: { median, min: median, max: median } } as Summary;
}

test('batches of 500 on 8 connections have a target of their own, others have none', () => {
  const summaries = [cellOf('single', 8, 20_000), cellOf('batch', 4, 20_000), cellOf('batch', 8, 17_999)];
  const [verdict, ...more] = judgeLargeBatches(summaries, 500);
  assert.deepEqual(more, []);
  assert.deepEqual(verdict, {
    claim: 'at least 18,000 tasks a second in batches of 500 on 8 connections',
    measured: '17,999',
    met: false,
  });
  assert.equal(judgeLargeBatches([cellOf('batch', 8, 18_000)], 500)[0]!.met, true);
  assert.deepEqual(judgeLargeBatches(summaries, 100), []);
  assert.deepEqual(judgeLargeBatches(summaries.slice(0, 2), 500), []);
});

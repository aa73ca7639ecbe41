import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWaySummaries, judgeLargeBatches, judgeWays } from '../../../../bench/report/judge-ways.ts';
import type { Summary } from '../../../../bench/report/summarize.ts';

function cellOf(contestant: 'single' | 'keyed' | 'batch', connections: number, median: number): Summary {
  const micros = { median: 1, min: 1, max: 1 };
  const cpu = { serverMicros: micros, postgresMicros: micros, generatorMicros: micros };
  return { contestant, connections, tasksPerSecond: { median, min: median, max: median }, ...cpu } as Summary;
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

test('verdicts on ways claim the same, whichever numbers of connections were fastest', () => {
  const judged = (single64: number, batch4: number) =>
    judgeWays(
      compareWaySummaries([
        cellOf('single', 64, single64),
        cellOf('single', 256, 1_000),
        cellOf('keyed', 64, 900),
        cellOf('batch', 4, batch4),
        cellOf('batch', 8, 2_000),
      ]),
    );
  const [one, other] = [judged(900, 1_900), judged(1_100, 2_200)];
  assert.deepEqual(
    one.map(({ claim }) => claim),
    other.map(({ claim }) => claim),
  );
  assert.deepEqual(
    [one, other].map((verdicts) => verdicts.at(-1)!.measured),
    ['2.00 (8 and 256 connections)', '2.00 (4 and 64 connections)'],
  );
});

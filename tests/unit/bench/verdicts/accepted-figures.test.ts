import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withAccepted } from '../../../../bench/all/accepted-figures.ts';
import { disturbancesOf, figuresOf } from '../../../../bench/all/figure.ts';
import { reportPage } from '../../../../bench/all/report-page.ts';

const PRINTED = `
PASS  at least 5 times the throughput of the peer: 8.00 times
FAIL  p99 at most 15 ms: 16.0 ms
DISTURBED  ours, 64 connections, round 2: others took 12 % of the machine
DISTURBED  peer, 64 connections, round 3: others took 14 % of the machine
`;
const TABLE = `before
<!-- accepted figures -->

| Scenario | Target | Measured | Date |
|---|---|---|---|
| create | gone | 1 ms | 2026-01-01 |
| read | kept | 2 ms | 2026-01-01 |

<!-- end -->
after`;

const rowsOf = (text: string) => text.split('\n').filter((line) => /^\| (create|read) /.test(line));

test('a scenario with disturbed rounds tells so in the report and in every row that is accepted', () => {
  const disturbances = disturbancesOf('create', PRINTED);
  assert.deepEqual(disturbances, [
    'create: ours, 64 connections, round 2: others took 12 % of the machine',
    'create: peer, 64 connections, round 3: others took 14 % of the machine',
  ]);
  const figures = figuresOf('create', PRINTED);
  const compared = figures.map((figure) => ({ ...figure, accepted: null }));
  const report = { date: '', machine: '', figures: compared, charts: [], problems: [], disturbances };
  for (const text of disturbances) assert.ok(reportPage(report).includes(text), text);

  assert.deepEqual(rowsOf(withAccepted(TABLE, figures, '2026-02-02', '2 cores, A')), [
    '| read | kept | 2 ms | 2026-01-01 | unknown |',
    '| create | at least 5 times the throughput of the peer | 8.00 times (2 rounds disturbed) | 2026-02-02 | 2 cores, A |',
    '| create | p99 at most 15 ms | **missed:** 16.0 ms (2 rounds disturbed) | 2026-02-02 | 2 cores, A |',
  ]);
});

test('figures of an undisturbed scenario are accepted as they are', () => {
  const figures = figuresOf('create', PRINTED.replace(/^DISTURBED.*$/gm, ''));
  const rows = rowsOf(withAccepted(TABLE, figures, '2026-02-02', '2 cores, A'));
  assert.ok(
    rows.includes('| create | p99 at most 15 ms | **missed:** 16.0 ms | 2026-02-02 | 2 cores, A |'),
    rows.join('\n'),
  );
});

test('each accepted row tells its machine, and one from before says that it is unknown', () => {
  const [other] = figuresOf('read', 'PASS  p99 at most 15 ms: 14.0 ms');
  const first = withAccepted(
    TABLE,
    figuresOf('create', 'PASS  p99 at most 15 ms: 12.0 ms'),
    '2026-02-02',
    '2 cores, A',
  );
  assert.deepEqual(rowsOf(withAccepted(first, [], '', '')), rowsOf(first), 'rows stay as they are');
  assert.ok(rowsOf(first).includes('| read | kept | 2 ms | 2026-01-01 | unknown |'));
  assert.deepEqual(rowsOf(withAccepted(first, [other!], '2026-03-03', '4 cores, B')), [
    '| create | p99 at most 15 ms | 12.0 ms | 2026-02-02 | 2 cores, A |',
    '| read | p99 at most 15 ms | 14.0 ms | 2026-03-03 | 4 cores, B |',
  ]);
});

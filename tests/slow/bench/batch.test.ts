import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProgram, temporaryDirectory } from '../../integration/bench/program-run.ts';

const SHORT = ['--rounds', '1', '--seconds', '1', '--warm-up', '1'];

test('a short batch bench measures three ways, finds every task in Postgres, and calls itself void for being short', async (t) => {
  const json = join(temporaryDirectory(t), 'bench.json');
  const args = ['batch', '--connections', '8', '--batch-connections', '2', '--items', '20', ...SHORT, '--json', json];
  const run = startProgram(t, 'run', args);
  assert.equal(await run.exitCode, 1, run.output());

  const { results, comparisons, verdicts, voidReasons } = JSON.parse(readFileSync(json, 'utf8'));
  const facts = results.map((one: Record<string, unknown>) => [
    one['contestant'],
    one['connections'],
    one['tasksPerRequest'],
    Object.keys(one['statuses'] as object).join(),
  ]);
  assert.deepEqual(facts, [
    ['single', 8, 1, '201'],
    ['keyed', 8, 1, '201'],
    ['batch', 2, 20, '200'],
  ]);
  for (const { contestant, operations, tasksPerRequest, tasks, commits, cpu } of results) {
    assert.equal(tasks, operations * tasksPerRequest, contestant);
    assert.ok(commits > 0 && commits < tasks && cpu.server > 0, contestant);
  }
  const [keyed, batch] = comparisons;
  assert.equal(keyed.throughput, results[1].tasksPerSecond / results[0].tasksPerSecond);
  assert.equal(batch.throughput, results[2].tasksPerSecond / results[0].tasksPerSecond);
  assert.deepEqual(
    verdicts.map(({ met }: { met: boolean }) => met),
    [keyed.throughput >= 0.8, batch.throughput >= 1.8],
  );

  assert.ok(voidReasons.length > 0);
  for (const reason of voidReasons) assert.match(reason, /at least 10 s are needed|at least 3 are needed/);
  for (const way of ['single', 'keyed', 'batch']) assert.match(run.output(), new RegExp(`^\\d +${way} +\\d`, 'm'));
  assert.match(run.output(), /^(PASS|FAIL) {2}keyed \/ single, .* at least 0\.8: \d/m);
  assert.match(run.output(), /^(PASS|FAIL) {2}batch \/ single .* at least 1\.8: \d/m);
  assert.deepEqual(run.leftInTemporary(), []);
});

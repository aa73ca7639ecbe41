import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createBatch } from '../../../bench/scenarios/create-batch.ts';
import { startProgram, temporaryDirectory } from './program-run.ts';

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

test('an answer to a batch counts only when it tells of every item that it was created', () => {
  const answer = (statuses: readonly string[]) => {
    const items = statuses.map((status, index) =>
      status === 'created' ? { index, status, task: { id: index + 1, status: 'new' } } : { index, status, error: {} },
    );
    const created = statuses.filter((status) => status === 'created').length;
    return JSON.stringify({ data: { items, created, failed: statuses.length - created } });
  };
  const { isAnswer } = createBatch(3);
  assert.equal(isAnswer(answer(['created', 'created', 'created'])), true);
  assert.equal(isAnswer(answer(['created', 'failed', 'created'])), false);
  assert.equal(isAnswer(answer(['created', 'created'])), false);
  assert.equal(isAnswer('{"data":{"items":[],"created":3,"failed":0}}'), false);
});

test('a batch holds as many tasks as were asked for, with other new customers each time it is sent', () => {
  const seat = { connection: 1, connections: 4, seed: 7 };
  const batches = createBatch(32).requestsFor(seat);
  const newcomers = new Set<string>();
  for (const { body, stamps } of batches) {
    const { tasks } = JSON.parse(body!) as { tasks: unknown[] };
    assert.deepEqual([tasks.length, stamps.length], [32, 2]);
    for (const { text, next } of stamps) {
      assert.equal(body!.indexOf(text), body!.lastIndexOf(text), 'one place to stamp');
      for (const phone of [text, next(), next()]) {
        assert.equal(phone.length, text.length);
        newcomers.add(phone);
      }
    }
  }
  assert.equal(newcomers.size, batches.length * 2 * 3);
});

test('what the batch bench does not understand is told with its usage', async (t) => {
  const cases: readonly (readonly [args: readonly string[], complaint: RegExp])[] = [
    [['batch', '--items', '501'], /--items: "501" is no number between 0 and 500/],
    [['batch', '--items', '2.5'], /--items: "2\.5" is no whole number/],
    [['batch', '--batch-connections', '8,'], /--batch-connections: ""/],
    [['create', '--items', '100'], /--batch-connections and --items are for the scenario batch/],
  ];
  for (const [args, complaint] of cases) {
    const run = startProgram(t, 'run', args);
    assert.equal(await run.exitCode, 1);
    assert.match(run.output(), complaint);
    assert.match(run.output(), /Usage: npm run bench/);
  }
});

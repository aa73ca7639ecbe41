import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from '../../integration/bench/program-run.ts';

test('a small bench of lists reads every kind of list and the whole export, and leaves nothing behind', async (t) => {
  const run = startProgram(t, 'run', [
    'lists',
    '--tasks',
    '3000',
    '--seconds',
    '1',
    '--warm-up',
    '0.5',
    '--alone',
    '0.1',
  ]);
  assert.equal(await run.exitCode, 0, run.output());
  assert.match(run.output(), /^export: 3000 tasks/m);
  assert.match(run.output(), /^all +173 +[1-9]/m);
  assert.match(run.output(), /^CPU of a page: gateway [\d.]+ ms, Postgres [\d.]+ ms$/m);
  assert.match(run.output(), /^(PASS|FAIL) {2}pages of 20, 8 connections, p99 at most 15 ms: [\d.]+ ms$/m);
  assert.deepEqual(run.leftInTemporary(), []);
});

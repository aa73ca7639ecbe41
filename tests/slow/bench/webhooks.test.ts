import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from '../../integration/bench/program-run.ts';

test('a short bench of webhooks delivers everything once and in order, and calls itself void only for being short', async (t) => {
  const options = ['--deliveries', '3200', '--rounds', '1', '--seconds', '2', '--warm-up', '3', '--steady-rate', '320'];
  const run = startProgram(t, 'run', ['webhooks', ...options]);
  assert.equal(await run.exitCode, 1, run.output());
  assert.match(run.output(), /^round 1 {2}deliveries +[\d,]{3,} a second/m);
  assert.match(run.output(), /^round 1 {2}bare BullMQ +[\d,]{3,} a second/m);
  assert.match(run.output(), /from commit to arrival p50 \d+ ms/);
  assert.equal(run.output().match(/^(PASS|FAIL) {2}/gm)?.length, 1, run.output());
  const reasons = run.output().split('VOID, these numbers prove nothing:')[1]!.trim().split('\n');
  assert.deepEqual(
    reasons.map((reason) => reason.trim()),
    ['1 rounds, at least 3 are needed', 'a steady window of 2 s, at least 10 s are needed'],
  );
  assert.deepEqual(run.leftInTemporary(), []);
});

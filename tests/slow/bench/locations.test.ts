import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from '../../integration/bench/program-run.ts';

test('a short bench of positions has every position accepted, reads beside them, and calls itself void only for being short', async (t) => {
  const run = startProgram(t, 'run', ['locations', '--seconds', '1', '--warm-up', '1', '--rounds', '1']);
  assert.equal(await run.exitCode, 1, run.output());
  for (const server of ['ours', 'parse-only'])
    assert.match(run.output(), new RegExp(`^round 1 +${server} +[\\d,]{6,} points/s .* reads p50 [\\d.]+ ms`, 'm'));
  assert.equal(run.output().match(/^(PASS|FAIL) {2}/gm)?.length, 3, run.output());
  const reasons = run.output().split('VOID, these numbers prove nothing:')[1]!.trim().split('\n');
  assert.deepEqual(
    reasons.map((reason) => reason.trim()),
    ['1 rounds, at least 3 are needed', 'windows of 1 s, at least 10 s are needed'],
  );
  assert.deepEqual(run.leftInTemporary(), []);
});

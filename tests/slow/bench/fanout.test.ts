import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { startProgram } from '../../integration/bench/program-run.ts';

/** Where Debian's package puts it. */
const hasNchan = existsSync('/usr/lib/nginx/modules/ngx_nchan_module.so');

test('a short bench of streams finds the limits of both sides, or names the packages that it lacks', async (t) => {
  const options = ['--subscribers', '50', '--rounds', '1', '--seconds', '1', '--warm-up', '1'];
  const run = startProgram(t, 'run', ['fanout', ...options]);
  assert.equal(await run.exitCode, 1, run.output());
  if (!hasNchan) return assert.match(run.output(), /Not installed: .*\blibnginx-mod-nchan\b/);
  for (const part of ['hub', 'post']) {
    for (const side of ['ours', 'nchan'])
      assert.match(run.output(), new RegExp(`^${part} +round 1 +${side} +\\d+ events/s .* passed$`, 'm'));
  }
  assert.equal(run.output().match(/^(PASS|FAIL) {2}/gm)?.length, 2, run.output());
  const reasons = run.output().split('VOID, these numbers prove nothing:')[1]!.trim().split('\n');
  assert.deepEqual(
    reasons.map((reason) => reason.trim()),
    ['1 rounds, at least 3 are needed', 'steps of 1 s, at least 8 s are needed'],
  );
  assert.deepEqual(run.leftInTemporary(), []);
});

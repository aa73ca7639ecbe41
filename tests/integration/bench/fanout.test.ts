import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from './program-run.ts';

test('options of the bench of streams that cannot be used are told with its usage', async (t) => {
  for (const args of [
    ['--only', 'webhooks'],
    ['--subscribers', '0'],
    ['--rate', '8'],
  ]) {
    const run = startProgram(t, 'run', ['fanout', ...args]);
    assert.equal(await run.exitCode, 1);
    assert.match(run.output(), /Usage: npm run bench -- fanout/);
  }
});

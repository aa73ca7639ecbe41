import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from './program-run.ts';

test('options of the bench of webhooks that cannot be used are told with its usage', async (t) => {
  for (const args of [
    ['--webhooks', '30', '--organizations', '8'],
    ['--deliveries', '1001'],
    ['--concurrency', '17'],
    ['--tasks', '8'],
  ]) {
    const run = startProgram(t, 'run', ['webhooks', ...args]);
    assert.equal(await run.exitCode, 1);
    assert.match(run.output(), /Usage: npm run bench -- webhooks/);
  }
});

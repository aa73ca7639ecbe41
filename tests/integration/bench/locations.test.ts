import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from './program-run.ts';

test('options of the bench of positions that cannot be used are told with its usage', async (t) => {
  for (const args of [
    ['--agents', '5001'],
    ['--connections', '33'],
    ['--seconds', '0'],
    ['--tasks', '8'],
  ]) {
    const run = startProgram(t, 'run', ['locations', ...args]);
    assert.equal(await run.exitCode, 1);
    assert.match(run.output(), /Usage: npm run bench -- locations/);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from '../../integration/bench/program-run.ts';

test('a small bench of commits counts the index entries and statements of a task and of each step', async (t) => {
  const args = ['commits', '--tasks', '40', '--rounds', '1', '--connections', '8', '--waves', '2', '--statements'];
  const run = startProgram(t, 'run', args);
  assert.equal(await run.exitCode, 0, run.output());
  assert.match(run.output(), /^create( +[\d.]+){7} +– +–$/m);
  assert.match(run.output(), /^completed( +[\d.]+){7} +(–|\d+ %) +(–|\d+ %)$/m);
  assert.match(run.output(), /^tasks_code +1\.00/m);
  assert.match(run.output(), /^INSERT INTO tasks /m);
  assert.deepEqual(run.leftInTemporary(), []);
});

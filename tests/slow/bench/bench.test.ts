import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { parseBenchOptions } from '../../../bench/bench-options.ts';
import { startProgram } from '../../integration/bench/program-run.ts';

type Case = readonly [args: readonly string[], complaint: RegExp];

test('an interrupted bench leaves neither folder nor process behind', async (t) => {
  const run = startProgram(t, 'run', ['create', '--connections', '8']);
  while (!run.output().includes('peer-free:')) {
    assert.notEqual(await Promise.race([run.exitCode, delay(50, 'runs')]), 1, run.output());
  }
  assert.ok(run.processes().length >= 3, 'the bench and two stores');
  run.interrupt();
  assert.equal(await run.exitCode, 130, run.output());
  assert.deepEqual(run.processes(), []);
  assert.deepEqual(run.leftInTemporary(), []);
});

test('the bench rejects unknown options with its usage', async (t) => {
  const cases: readonly [Case, ...Case[]] = [
    [[], /No scenario given\./],
    [['creat'], /There is no scenario "creat"\.[\s\S]*Scenarios: all/],
    [['create', '--conections', '64'], /--conections/],
    [['create', '--rounds', '0'], /--rounds: "0" is no whole number from 1 to 100/],
    [['create', '--rounds', '101'], /--rounds: "101" is no whole number from 1 to 100/],
    [['create', '--connections', '64,many'], /--connections: "many"/],
  ];
  for (const [args, complaint] of cases) assert.throws(() => parseBenchOptions(args), complaint);
  const [[args, complaint]] = cases;
  const run = startProgram(t, 'run', args);
  assert.equal(await run.exitCode, 1);
  assert.match(run.output(), complaint);
  assert.match(run.output(), /Usage: npm run bench/);
  assert.doesNotMatch(run.output(), /^ +at /m);
});

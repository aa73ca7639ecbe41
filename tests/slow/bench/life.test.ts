import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from '../../integration/bench/program-run.ts';

const SCENARIOS: readonly (readonly [name: string, options: readonly string[], verdicts: readonly RegExp[]])[] = [
  [
    'start',
    ['--rounds', '1'],
    [/a gateway on migrated stores is ready within 1000 ms: \d+ ms/, /npm start .*: \d+ ms/],
  ],
  ['memory', ['--tasks', '200', '--organizations', '50'], [/heap per open task: \d+ bytes/, /unused organization/]],
  ['activation', ['--rounds', '1', '--tasks', '200'], [/with 200 open tasks within 200 ms: \d+ ms/]],
];

for (const [name, options, verdicts] of SCENARIOS) {
  test(`a short bench of ${name} tells its verdicts and leaves nothing behind`, async (t) => {
    const run = startProgram(t, 'run', [name, ...options]);
    assert.equal(await run.exitCode, 0, run.output());
    const lines = run.output().match(/^(PASS|FAIL) .*$/gm) ?? [];
    assert.equal(lines.length, verdicts.length, run.output());
    for (const [index, verdict] of verdicts.entries()) assert.match(lines[index]!, verdict);
    assert.deepEqual(run.leftInTemporary(), []);
  });
}

test('a short bench of everything at once is void for being short alone, and leaves nothing behind', async (t) => {
  const options = ['--minutes', '0.1', '--search-seconds', '2', '--streams', '3', '--at-once', '4'];
  const run = startProgram(t, 'run', ['mixed', ...options]);
  assert.equal(await run.exitCode, 1, run.output());
  assert.doesNotMatch(run.output(), /^(PASS|FAIL) /m);
  const reasons = run.output().split('VOID, these numbers prove nothing:')[1]!.trim().split('\n');
  assert.deepEqual(reasons, ['0.1 minutes, at least 4 are needed']);
  assert.deepEqual(run.leftInTemporary(), []);
});

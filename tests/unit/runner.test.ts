import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { groupFiles, separateFiles } from '../support/runner/file-groups.ts';
import { killLeftovers, RUN_VARIABLE } from '../support/runner/leftover-processes.ts';
import { createTally, type Tally } from '../support/runner/tally.ts';
import { selectTestFiles, toFilter } from '../support/runner/test-files.ts';
import { randomName } from '../support/stores.ts';

const FILE = 'tests/a.test.ts';

function runTest(tally: Tally, name: string, outcome: 'passed' | 'failed', more: object = {}): void {
  const event = { name, file: FILE, ...more };
  tally.enqueued(event);
  tally.completed(event);
  tally[outcome](event);
}

describe('the summary', () => {
  test('the summary counts tests, not suites, and tells the skipped apart', () => {
    const tally = createTally();
    runTest(tally, 'one', 'passed');
    runTest(tally, 'a suite', 'passed', { details: { type: 'suite' } });
    runTest(tally, 'later', 'passed', { skip: true });
    const { problems, failed, summary } = tally.close([FILE]);
    assert.deepEqual([problems, failed, summary], [[], false, '1 passed, 0 failed, 1 skipped']);
  });

  test('the summary fails with a test, with its file, and once for both a suite and the test in it', () => {
    const tally = createTally();
    runTest(tally, 'one', 'failed');
    runTest(tally, 'its suite', 'failed', { details: { type: 'suite', error: { failureType: 'subtestsFailed' } } });
    runTest(tally, FILE, 'failed');
    const { problems, failed, summary } = tally.close([FILE]);
    assert.deepEqual([problems, failed, summary], [[], true, '0 passed, 2 failed']);
  });

  const suite = (failureType: string) => ({ details: { type: 'suite', error: { failureType } } });

  test('the summary fails for a suite that fails by itself, although its tests pass', () => {
    for (const failureType of ['hookFailed', 'testCodeFailure', 'testTimeoutFailure', 'cancelledByParent']) {
      const tally = createTally();
      runTest(tally, 'one', 'passed');
      runTest(tally, 'a suite', 'failed', suite(failureType));
      runTest(tally, 'the suite around it', 'failed', suite('subtestsFailed'));
      assert.equal(tally.close([FILE]).summary, '1 passed, 1 failed', failureType);
    }
  });

  test('the summary counts a suite that was cancelled by its tests, where it has some that did not pass', () => {
    const tally = createTally();
    const path = `/somewhere/${FILE}`;
    runTest(tally, 'one', 'failed', { file: path });
    runTest(tally, 'a suite', 'failed', { ...suite('cancelledByParent'), file: path });
    // In a group, the file is a suite, and another file has made it.
    runTest(tally, FILE, 'failed', { ...suite('cancelledByParent'), file: 'run-in-turn.ts' });
    assert.equal(tally.close([path]).summary, '0 passed, 1 failed');
  });

  test('a file of a group that failed as a whole is not said to be without tests as well', () => {
    const tally = createTally();
    runTest(tally, FILE, 'failed', { ...suite('testCodeFailure'), file: 'run-in-turn.ts' });
    const { problems, summary } = tally.close([`/somewhere/${FILE}`]);
    assert.deepEqual([problems, summary], [[], '0 passed, 1 failed']);
  });

  test('adds up the times of the files of each stage', () => {
    const tally = createTally();
    const end = (file: string, duration_ms: number) => tally.completed({ name: file, file, details: { duration_ms } });
    end('/somewhere/tests/unit/a.test.ts', 1_400);
    end('/somewhere/tests/unit/b/c.test.ts', 1_600);
    end('/somewhere/tests/api/d.test.ts', 9_000);
    // In a group a file is a suite.
    const details = { type: 'suite', duration_ms: 700 };
    tally.completed({ name: 'tests/api/e.test.ts', file: '/somewhere/api-1.group', details });
    tally.completed({ name: 'the sessions of tests/api', file: '/somewhere/tests/api/e.test.ts', details });
    assert.equal(tally.close([]).stages, 'api 10 s, unit 3 s');
  });

  test('the summary fails for a file without a test, which node:test reports as passed', () => {
    const tally = createTally();
    runTest(tally, FILE, 'passed');
    assert.deepEqual(tally.close([FILE]), {
      problems: [`${FILE} ran no test`],
      failed: true,
      stages: 'a.test.ts 0 s',
      summary: '0 passed, 1 failed',
    });
  });

  test('the summary fails for a file that ended before its tests did', () => {
    const tally = createTally();
    runTest(tally, 'one', 'passed');
    tally.enqueued({ name: 'two', file: FILE });
    runTest(tally, FILE, 'passed');
    assert.deepEqual(tally.close([FILE]).problems, [`${FILE} ended before 1 of its tests did`]);
  });
});

describe('the selection', () => {
  const all = ['tests/unit/b.test.ts', 'tests/slow/c.test.ts', 'tests/unit/a.test.ts'];

  test('the selection takes every file but the slow ones, sorted', () => {
    const expected = { files: ['tests/unit/a.test.ts', 'tests/unit/b.test.ts'], slow: [] };
    assert.deepEqual(selectTestFiles(all, [], false), expected);
    assert.equal(selectTestFiles(all, [], true).files.length, 3);
  });

  test('the selection takes the files that the filters name, and lists slow files named without --slow', () => {
    assert.deepEqual(selectTestFiles(all, ['unit/a', 'slow'], false), {
      files: ['tests/unit/a.test.ts'],
      slow: ['tests/slow/c.test.ts'],
    });
    assert.deepEqual(selectTestFiles(all, ['nothing'], true), { files: [], slow: [] });
  });

  test('the selection understands paths as a shell completes them', () => {
    assert.equal(toFilter('/src', './tests/unit'), 'tests/unit');
    assert.equal(toFilter('/src', '/src/tests/unit/a.test.ts'), 'tests/unit/a.test.ts');
  });
});

describe('groups of files', () => {
  test('groups of files share a process per stage, with neighbours in different groups, except the longest', () => {
    const files = Array.from({ length: 60 }, (_, index) => `tests/api/${10 + index}`);
    const alone = ['tests/faults/a', 'tests/integration/admin/admin', 'tests/tidy'];
    const groups = groupFiles([...files, ...alone]);
    assert.deepEqual(groups.flat().sort(), [...files, ...alone].sort());
    assert.deepEqual(
      groups.filter((group) => group.length > 1),
      [0, 1].map((rest) => files.filter((_, index) => index % 2 === rest)),
    );
  });

  test('groups of files mix those that wait and those that compute, of both first what takes longest, the rest by name', () => {
    const files = [
      'tests/unit/a',
      'tests/tidy',
      'tests/api/b',
      'tests/api/a',
      'tests/faults/a',
      'tests/integration/a',
      'tests/integration/admin/admin',
      'tests/integration/b',
    ];
    const expected = [
      'tests/integration/admin/admin',
      'tests/api/a',
      'tests/faults/a',
      'tests/api/b',
      'tests/integration/a',
      'tests/tidy',
      'tests/integration/b',
      'tests/unit/a',
    ];
    assert.deepEqual(separateFiles(files).flat(), expected);
  });
});

test('a process that a test file left behind is killed and told, even one that ignores SIGTERM', async () => {
  const id = randomName('run');
  const environment = { ...process.env, [RUN_VARIABLE]: id };
  const child = spawn('sh', ['-c', 'trap "" TERM; echo started; while :; do sleep 0.1; done'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  try {
    // For a moment, a new process has no variables that others can read.
    await once(child.stdout, 'data');
    const left = await killLeftovers(id, 500);
    // Found through /proc, so on Linux only; elsewhere nothing may be claimed.
    const found = left.some((line) => line.includes(`(process ${child.pid})`));
    assert.equal(found, process.platform === 'linux');
  } finally {
    child.kill('SIGKILL');
  }
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  assert.deepEqual(await killLeftovers(id), []);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MUTATIONS } from '../mutations/lists/all.ts';
import { catchersOf, mutate } from '../mutations/mutation.ts';
import { failedTestIn } from '../mutations/trial.ts';
import { listTestFiles } from '../support/runner/test-files.ts';

test('every planted fault fits the source that it is for, and changes it', () => {
  const root = new URL('../../', import.meta.url);
  for (const mutation of MUTATIONS) {
    const source = readFileSync(new URL(mutation.file, root), 'utf8');
    assert.notEqual(mutate(source, mutation), source, mutation.breaks);
  }
});

test('every planted fault has tests that are to notice it', () => {
  const testFiles = listTestFiles(fileURLToPath(new URL('../../', import.meta.url)));
  for (const mutation of MUTATIONS) assert.ok(catchersOf(mutation, testFiles).length > 0, mutation.breaks);
});

const failure = (name: string, failureType: string, more = '') =>
  `    not ok 1 - ${name}\n      ---\n      duration_ms: 0.5\n${more}      location: 'x.test.ts:2:1'\n      failureType: '${failureType}'\n`;

test('a fault is noticed by a test that fails, and not by a hook that does', () => {
  const ofHook = failure('cancelled', 'cancelledByParent') + failure('suite', 'hookFailed', "      type: 'suite'\n");
  assert.equal(failedTestIn(`${ofHook}${failure('all', 'subtestsFailed')}`), undefined);
  assert.equal(failedTestIn(`${ofHook}${failure('a test', 'testCodeFailure')}${failure('later', 'x')}`), 'a test');
});

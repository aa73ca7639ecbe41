import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MUTATIONS } from '../mutations/lists/all.ts';
import { catchersOf, mutate } from '../mutations/mutation.ts';
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

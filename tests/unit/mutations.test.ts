import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MUTATIONS } from '../mutations/lists/all.ts';
import { mutate } from '../mutations/mutation.ts';

test('every planted fault fits the source that it is for, and changes it', () => {
  const root = new URL('../../', import.meta.url);
  for (const mutation of MUTATIONS) {
    const source = readFileSync(new URL(mutation.file, root), 'utf8');
    assert.notEqual(mutate(source, mutation), source, mutation.breaks);
  }
});

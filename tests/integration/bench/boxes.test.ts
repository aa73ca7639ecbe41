import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBoxOptions } from '../../../bench/boxes/box-options.ts';

test('the bench of boxes rejects unusable options with its usage', () => {
  for (const args of [
    ['--agents', '49'],
    ['--streams', '0'],
    ['--boxes', '8'],
  ]) {
    assert.throws(() => parseBoxOptions(args), /Usage: npm run bench -- boxes/);
  }
  assert.equal(parseBoxOptions(['--agents', '5049']).agents, 5_000);
});

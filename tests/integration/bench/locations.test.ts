import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLocationOptions } from '../../../bench/locations/location-options.ts';

test('the bench of positions rejects unusable options with its usage', () => {
  for (const args of [
    ['--agents', '5001'],
    ['--connections', '33'],
    ['--seconds', '0'],
    ['--tasks', '8'],
  ]) {
    assert.throws(() => parseLocationOptions(args), /Usage: npm run bench -- locations/);
  }
});

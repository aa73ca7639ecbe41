import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discardDraft, keyOfOrder } from '../../../../../gateway/console/page/draft.ts';

test('the same order of a draft keeps its key, and another one gets a new key', () => {
  const key = keyOfOrder({ name: 'Oranges' });
  assert.notEqual(key, '');
  assert.equal(keyOfOrder({ name: 'Oranges' }), key);
  assert.notEqual(keyOfOrder({ name: 'Lemons' }), key);
});

test('the same order of the next draft is another task', () => {
  const key = keyOfOrder({ name: 'Oranges' });
  discardDraft();
  assert.notEqual(keyOfOrder({ name: 'Oranges' }), key);
});

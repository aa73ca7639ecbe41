import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discardDraft, keyOfOrder, meetAnswer, oldOrder } from '../../../../../gateway/console/page/draft.ts';

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

test('an order that was refused is another one when it is sent again, and one without an answer is the same', () => {
  const refused = (status: number) =>
    ({ ok: false, failure: { status, code: null, message: '', details: null } }) as const;
  const key = keyOfOrder({ name: 'Oranges' });
  meetAnswer(key, refused(503));
  assert.equal(keyOfOrder({ name: 'Oranges' }), key);
  meetAnswer('the key of another order', refused(409));
  assert.equal(keyOfOrder({ name: 'Oranges' }), key);
  meetAnswer(key, refused(409));
  assert.notEqual(keyOfOrder({ name: 'Oranges' }), key);
});

test('an order without an answer is refused once after 23 hours, and is another one then', (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const order = { name: 'Limes' };
  const key = keyOfOrder(order);
  meetAnswer(key, { ok: false, failure: { status: 0, code: null, message: '', details: null } });
  assert.equal(oldOrder(order), undefined);
  t.mock.timers.setTime(23 * 3_600_000);
  assert.equal(oldOrder({ name: 'Lemons' }), undefined);
  assert.equal(oldOrder(order)?.ok, false);
  assert.equal(oldOrder(order), undefined);
  assert.notEqual(keyOfOrder(order), key);
});

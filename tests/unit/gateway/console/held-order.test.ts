import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HeldItem, heldOrder } from '../../../../gateway/console/attention/held-order.ts';

interface Item {
  readonly key: string;
  readonly words?: string;
}

const keys = (shown: readonly HeldItem<Item>[]) =>
  shown.map(({ item, isGone }) => (isGone ? `(${item.key})` : item.key));
const held = (...names: string[]) =>
  heldOrder<Item>(
    [],
    names.map((key) => ({ key })),
    false,
  ).shown;

test('a list that is not held shows what there is', () => {
  const { shown, waiting } = heldOrder(held('a', 'b'), [{ key: 'c' }, { key: 'a' }], false);
  assert.deepEqual([keys(shown), waiting], [['c', 'a'], 0]);
});

test('a held list keeps its order, marks what is gone, and counts what is new', () => {
  const present = [{ key: 'new' }, { key: 'c' }, { key: 'a', words: 'changed' }];
  const { shown, waiting } = heldOrder(held('a', 'b', 'c'), present, true);
  assert.deepEqual([keys(shown), waiting], [['a', '(b)', 'c'], 1]);
  assert.equal(shown[0]!.item.words, 'changed', 'an item changes in its place');
});

test('an item that comes back while the list is held is there again', () => {
  const gone = heldOrder(held('a', 'b'), [{ key: 'b' }], true).shown;
  const { shown, waiting } = heldOrder(gone, [{ key: 'a' }, { key: 'b' }], true);
  assert.deepEqual([keys(shown), waiting], [['a', 'b'], 0]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SentList } from '../../../../../gateway/console/live/parts/sent-list.ts';
import { KeptList } from '../../../../../gateway/console/page/kept-list.ts';

interface Item {
  readonly id: number;
  readonly name: string;
  readonly place?: object;
}

test('the first diff is the whole list, also of an empty one', () => {
  assert.deepEqual(new SentList<Item>().diff([]), { isWhole: true, put: [], gone: [] });
  const ada = { id: 1, name: 'Ada' };
  assert.deepEqual(new SentList<Item>().diff([ada]), { isWhole: true, put: [ada], gone: [] });
});

test('a later diff holds what is new, what has changed and what is gone', () => {
  const sent = new SentList<Item>();
  sent.diff([
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Ben' },
    { id: 3, name: 'Cleo' },
  ]);
  const next = [
    { id: 1, name: 'Ada' },
    { id: 3, name: 'Cleopatra' },
    { id: 4, name: 'Dan' },
  ];
  assert.deepEqual(sent.diff(next), { isWhole: false, put: [next[1], next[2]], gone: [2] });
  assert.equal(sent.diff(next), undefined);
});

test('an object in a field counts as changed when it is another one', () => {
  const sent = new SentList<Item>();
  const place = { x: 1 };
  sent.diff([{ id: 1, name: 'Ada', place }]);
  assert.equal(sent.diff([{ id: 1, name: 'Ada', place }]), undefined);
  assert.equal(sent.diff([{ id: 1, name: 'Ada', place: { x: 1 } }])?.put.length, 1);
});

test('a page that takes every diff has the list of the worker, through any changes', () => {
  const sent = new SentList<Item>();
  const kept = new KeptList<Item>();
  let items: Item[] = [];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let page: Item[] = [];
  for (let step = 0; step < 500; step += 1) {
    items = items.filter(() => random(10) > 0).map((item) => (random(4) === 0 ? { ...item, name: `n${step}` } : item));
    if (random(2) === 0) items.push({ id: step, name: `n${step}` });
    const diff = sent.diff(items);
    if (diff) page = kept.take(diff);
    const byId = (list: readonly Item[]) => [...list].sort((a, b) => a.id - b.id);
    assert.deepEqual(byId(page), byId(items));
  }
});

test('a page that begins again forgets what it had, and keeps what did not change as the same object', () => {
  const kept = new KeptList<Item>();
  kept.take({ isWhole: true, put: [{ id: 1, name: 'Ada' }], gone: [] });
  const ben = { id: 2, name: 'Ben' };
  assert.deepEqual(kept.take({ isWhole: true, put: [ben], gone: [] }), [ben]);
  assert.equal(kept.take({ isWhole: false, put: [{ id: 3, name: 'Cleo' }], gone: [] })[0], ben);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from '../../../../engine/org/state/bounded-map.ts';

const newMap = (most: number) => new BoundedMap<string, { readonly size: number }>(most, ({ size }) => size);
const kept = (map: ReturnType<typeof newMap>, keys: string) => [...keys].filter((key) => map.get(key) !== undefined);

test('the longest unused values leave once the sizes together pass the bound', () => {
  const map = newMap(3);
  for (const key of 'abc') map.set(key, { size: 1 });
  map.touch('a');
  map.set('d', { size: 1 });
  assert.deepEqual([kept(map, 'abcd'), map.taken], [['a', 'c', 'd'], 3]);
  map.set('c', { size: 2 });
  assert.deepEqual([kept(map, 'abcd'), map.taken], [['c', 'd'], 3], 'a value that grows pushes others out');
});

test('a sweep drops what was not used since the sweep before, and the first one of nothing', () => {
  const map = newMap(10);
  for (const key of 'abc') map.set(key, { size: 2 });
  map.sweep();
  assert.deepEqual([kept(map, 'abc'), map.taken], [['a', 'b', 'c'], 6]);
  map.touch('a');
  map.set('c', { size: 1 });
  map.get('b');
  map.sweep();
  assert.deepEqual([kept(map, 'abc'), map.taken], [['a', 'c'], 3], 'to read a value is no use of it');
  map.sweep();
  assert.deepEqual([kept(map, 'abc'), map.taken], [[], 0]);
});

test('sweeps go on after the bound has pushed everything out', () => {
  const map = newMap(3);
  map.set('a', { size: 1 });
  map.sweep();
  map.set('b', { size: 3 });
  assert.deepEqual([kept(map, 'ab'), map.taken], [['b'], 3]);
  for (const left of [['b'], []]) {
    map.sweep();
    assert.deepEqual(kept(map, 'ab'), left);
  }
  assert.equal(map.taken, 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, commandsFor } from '../../../../gateway/console/palette/palette-commands.ts';

const command = (name: string, isLast = false): Command => ({
  id: name,
  name,
  kind: '',
  keys: '',
  isLast,
  run: () => {},
});
const ALL = ['Take back', 'Board', 'Ada Lovelace', 'Amina Diallo', 'Bruno Costa'].map((name) => command(name));
const found = (typed: string) => commandsFor([...ALL, command('Search', true)], typed).map(({ name }) => name);

test('the palette offers what has every word, beginnings first, and the search at the end', () => {
  const table: readonly (readonly [typed: string, names: readonly string[]])[] = [
    ['', ['Take back', 'Board', 'Ada Lovelace', 'Amina Diallo', 'Bruno Costa', 'Search']],
    ['b', ['Take back', 'Board', 'Bruno Costa', 'Search']],
    ['COSTA bru', ['Bruno Costa', 'Search']],
    ['lo', ['Ada Lovelace', 'Amina Diallo', 'Search']],
    ['al', ['Amina Diallo', 'Search']],
    ['zebra', ['Search']],
  ];
  for (const [typed, names] of table) assert.deepEqual(found(typed), names, typed);
});

test('the palette of a large fleet stays short', () => {
  const fleet = Array.from({ length: 500 }, (_, index) => command(`Courier ${index}`));
  assert.equal(commandsFor(fleet, 'courier').length, 50);
});

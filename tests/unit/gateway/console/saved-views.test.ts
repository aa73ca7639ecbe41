import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isSameFilter,
  type ListFilter,
  readViews,
  renamed,
  withView,
  withViewAgain,
} from '../../../../gateway/console/saved/saved-views.ts';

const FILTER: ListFilter = {
  search: '',
  statuses: [],
  agentId: null,
  onlyLate: false,
  withDone: false,
  ended: null,
  grouping: 'courier',
};
const names = (views: readonly { readonly name: string }[]) => views.map(({ name }) => name);

test('views come back from their text, and what makes no sense here is left out', () => {
  const late = { name: 'Late', filter: { ...FILTER, onlyLate: true, statuses: ['new', 'assigned'] as const } };
  assert.deepEqual(readViews(JSON.stringify([late])), [late]);
  const broken: readonly (string | null)[] = [
    null,
    '',
    'no json',
    '{}',
    '[null, 5, {}]',
    JSON.stringify([{ name: '', filter: FILTER }]),
    JSON.stringify([{ name: 'A', filter: { ...FILTER, statuses: ['flying'] } }]),
    JSON.stringify([{ name: 'A', filter: { ...FILTER, agentId: 'all' } }]),
    JSON.stringify([{ name: 'A', filter: { ...FILTER, grouping: 'stage' } }]),
    JSON.stringify([{ name: 'A', filter: { ...FILTER, ended: 'yesterday' } }]),
  ];
  for (const text of broken) assert.deepEqual(readViews(text), [], String(text));
  const many = Array.from({ length: 80 }, (_, at) => ({ name: `View ${at}`, filter: FILTER }));
  assert.equal(readViews(JSON.stringify(many)).length, 50);
});

test('a name belongs to one view: saving again replaces it, and a rename to a taken name changes nothing', () => {
  const views = ['A', 'B'].map((name) => ({ name, filter: FILTER }));
  assert.deepEqual(names(withView(views, { name: 'C', filter: FILTER })), ['A', 'B', 'C']);
  const replaced = withView(views, { name: 'A', filter: { ...FILTER, onlyLate: true } });
  assert.deepEqual([names(replaced), replaced[0]!.filter.onlyLate], [['A', 'B'], true]);
  assert.deepEqual(names(renamed(views, 'A', 'D')), ['D', 'B']);
  assert.deepEqual(names(renamed(views, 'A', 'B')), ['A', 'B']);
  assert.deepEqual(names(renamed(views, 'A', '')), ['A', 'B']);
});

test('a view that was deleted comes back in its place, and what was saved meanwhile stays', () => {
  const view = (name: string, onlyLate = false) => ({ name, filter: { ...FILTER, onlyLate } });
  assert.deepEqual(names(withViewAgain([view('A'), view('D'), view('E')], view('B'), 1)), ['A', 'B', 'D', 'E']);
  assert.deepEqual(names(withViewAgain([], view('B'), 1)), ['B']);
  const newer = [view('A'), view('B', true)];
  assert.deepEqual(withViewAgain(newer, view('B'), 0), newer);
});

test('two filters are the same by their choices, in any order and with spaces around the search', () => {
  assert.ok(isSameFilter({ ...FILTER, statuses: ['new', 'assigned'] }, { ...FILTER, statuses: ['assigned', 'new'] }));
  assert.ok(isSameFilter({ ...FILTER, search: ' ada' }, { ...FILTER, search: 'ada' }));
  assert.ok(!isSameFilter({ ...FILTER, withDone: true }, FILTER));
});

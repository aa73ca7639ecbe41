import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Marked, RoundMemory, refreshedRows } from '../../../engine/store/planning/round-memory.ts';

const rowsOf = (...marks: readonly (readonly [id: number, mark: string])[]) =>
  marks.map(([id, mark]): Marked => ({ id, mark }));
const knownOf = (rows: readonly Marked[]) => new Map(rows.map((row) => [row.id, row]));

test('a round memory reads new rows and rows under another mark, keeps the others, and drops those that are gone', async () => {
  const known = knownOf(rowsOf([1, 'a'], [2, 'a'], [3, 'a']));
  const asked: (readonly number[])[] = [];
  const rows = await refreshedRows(known, rowsOf([1, 'a'], [2, 'b'], [4, 'a'], [5, 'a']), async (ids) => {
    asked.push(ids);
    // One has changed once more, and one has gone since.
    return rowsOf([2, 'c'], [4, 'a']);
  });
  assert.deepEqual(asked, [[2, 4, 5]]);
  assert.deepEqual([...rows.values()], rowsOf([1, 'a'], [2, 'c'], [4, 'a']));
  assert.equal(rows.get(1), known.get(1));
  assert.equal(known.size, 3);
});

test('a round memory reads nothing when nothing has changed', async () => {
  const known = knownOf(rowsOf([1, 'a'], [2, 'a']));
  const rows = await refreshedRows(known, rowsOf([2, 'a']), () => assert.fail('it was read'));
  assert.deepEqual([...rows.keys()], [2]);
});

test('a round memory beyond its bound first forgets the entries whose round is longest ago', () => {
  const memory = new RoundMemory<{ readonly tasks: Marked; readonly agents: Marked }>(6);
  const of = (tasks: number, agents: number) => ({
    tasks: knownOf(Array.from({ length: tasks }, (_, id) => ({ id, mark: '' }))),
    agents: knownOf(Array.from({ length: agents }, (_, id) => ({ id, mark: '' }))),
  });
  const kept = () => [1, 2, 3].filter((organizationId) => memory.find(organizationId));
  memory.keep(1, of(1, 1));
  memory.keep(2, of(2, 0));
  memory.keep(1, of(1, 2));
  assert.deepEqual([kept(), memory.rows], [[1, 2], 5]);
  memory.keep(3, of(2, 1));
  assert.deepEqual([kept(), memory.rows], [[1, 3], 6]);
  memory.keep(2, of(7, 0));
  assert.deepEqual([kept(), memory.rows], [[], 0]);
  memory.keep(2, of(1, 0));
  memory.keep(3, of(1, 0));
  memory.keep(3, of(0, 0));
  assert.deepEqual([kept(), memory.rows], [[2], 1]);
  memory.forget(2);
  memory.forget(2);
  assert.deepEqual([kept(), memory.rows], [[], 0]);
});

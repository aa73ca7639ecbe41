import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Assignment, assignSparse, CostRows } from '../../../../engine/domain/planning/sparse-assignment.ts';

interface Instance {
  readonly columns: number;
  readonly rows: readonly { readonly price: number; readonly edges: readonly (readonly [number, number])[] }[];
}

function costRowsOf({ columns, rows }: Instance): CostRows {
  const costs = new CostRows(columns);
  for (const { price, edges } of rows) {
    costs.addRow(price);
    for (const [column, cost] of edges) costs.add(column, cost);
  }
  return costs;
}

/** Small costs, so that ties abound; below zero too. */
function instances(maxRows: number, maxColumns: number, cost: fc.Arbitrary<number>): fc.Arbitrary<Instance> {
  return fc.integer({ min: 1, max: maxColumns }).chain((columns) => {
    const edge = fc.tuple(fc.nat(columns - 1), cost);
    const row = fc.record({ price: cost, edges: fc.array(edge, { maxLength: 2 * columns }) });
    return fc.record({ columns: fc.constant(columns), rows: fc.array(row, { maxLength: maxRows }) });
  });
}

function leastCost({ rows }: Instance, row = 0, taken: ReadonlySet<number> = new Set()): number {
  const current = rows[row];
  if (!current) return 0;
  let least = current.price + leastCost({ columns: 0, rows }, row + 1, taken);
  for (const [column, cost] of current.edges) {
    if (taken.has(column)) continue;
    least = Math.min(least, cost + leastCost({ columns: 0, rows }, row + 1, new Set([...taken, column])));
  }
  return least;
}

/** What is paid, after checking that no column is given twice and none that the row may not have. */
function paid({ rows }: Instance, { columnOf }: Assignment): number {
  assert.equal(columnOf.length, rows.length);
  const given = [...columnOf].filter((column) => column >= 0);
  assert.equal(new Set(given).size, given.length, 'a column is given twice');
  return rows.reduce((sum, { price, edges }, row) => {
    const costs = edges.filter(([column]) => column === columnOf[row]).map(([, cost]) => cost);
    assert.ok(columnOf[row] === -1 || costs.length > 0, 'a row has a column that it may not have');
    return sum + (columnOf[row] === -1 ? price : Math.min(...costs));
  }, 0);
}

/** Duality: what the rows pay at least, less what the columns are worth, is a bound that no assignment gets under. */
function lowerBound({ rows }: Instance, { worthOf }: Assignment): number {
  assert.ok(worthOf.every((worth) => worth >= 0));
  const rowSum = rows.reduce(
    (sum, { price, edges }) => sum + Math.min(price, ...edges.map(([column, cost]) => cost + worthOf[column]!)),
    0,
  );
  return rowSum - worthOf.reduce((sum, worth) => sum + worth, 0);
}

describe('a sparse assignment', () => {
  test('costs what the cheapest of all possible ones costs', () => {
    fc.assert(
      fc.property(instances(5, 4, fc.integer({ min: -3, max: 9 })), (instance) => {
        const assignment = assignSparse(costRowsOf(instance));
        assert.equal(paid(instance, assignment), leastCost(instance));
        assert.equal(assignment.cost, leastCost(instance));
      }),
      { numRuns: 2_000 },
    );
  });

  test('proves by what its columns are worth that nothing is cheaper', () => {
    const costs = [fc.integer({ min: 0, max: 20 }), fc.double({ min: 0, max: 1e6, noNaN: true })];
    for (const cost of costs) {
      fc.assert(
        fc.property(instances(60, 40, cost), (instance) => {
          const assignment = assignSparse(costRowsOf(instance));
          const total = paid(instance, assignment);
          assert.ok(Math.abs(total - assignment.cost) <= 1e-6 * (1 + Math.abs(total)));
          assert.ok(total - lowerBound(instance, assignment) <= 1e-6 * (1 + Math.abs(total)));
        }),
        { numRuns: 200 },
      );
    }
  });

  test('leaves no row out for which a free column would be cheaper, however short it may look', () => {
    fc.assert(
      fc.property(instances(20, 10, fc.integer({ min: -3, max: 9 })), fc.nat(60), (instance, looks) => {
        const assignment = assignSparse(costRowsOf(instance), looks);
        assert.ok(paid(instance, assignment) <= instance.rows.reduce((sum, { price }) => sum + price, 0));
        for (const [row, { price, edges }] of instance.rows.entries()) {
          if (assignment.columnOf[row] !== -1) continue;
          const isFree = (column: number) => !assignment.columnOf.includes(column);
          assert.ok(edges.every(([column, cost]) => !isFree(column) || cost >= price));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('gives nothing where there is nothing', () => {
    assert.deepEqual([...assignSparse(new CostRows(0)).columnOf], []);
    assert.deepEqual([...assignSparse(costRowsOf({ columns: 0, rows: [{ price: 7, edges: [] }] })).columnOf], [-1]);
  });

  test('leaves a row out where that is no dearer', () => {
    const instance = { columns: 1, rows: [{ price: 7, edges: [[0, 7]] }] } as const;
    assert.deepEqual([...assignSparse(costRowsOf(instance)).columnOf], [-1]);
  });

  test('hands a column on, and leaves out who had it, where that is cheaper', () => {
    const instance = {
      columns: 2,
      rows: [
        { price: 5, edges: [[0, 1]] },
        {
          price: 100,
          edges: [
            [0, 10],
            [1, 10],
          ],
        },
        { price: 100, edges: [[1, 2]] },
      ],
    } as const;
    assert.deepEqual([...assignSparse(costRowsOf(instance)).columnOf], [-1, 0, 1]);
  });
});

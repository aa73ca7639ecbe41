import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Assignment, assignSparse, CostRows } from '../../../../engine/domain/planning/sparse-assignment.ts';
import { rounds } from '../../../support/runner/rounds.ts';

const SEED = 20_261_122;

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
    const row = fc.record({ price: cost, edges: fc.array(edge, { maxLength: 2 * columns, size: 'max' }) });
    return fc.record({ columns: fc.constant(columns), rows: fc.array(row, { maxLength: maxRows, size: 'max' }) });
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

/** The total cost, after checks that no column is used twice and that each row allows its column. */
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

/**
 * The same by the book, slowly: as long as there is a way of changing hands that saves, the best of all is taken,
 * however often every edge has to be looked at to find it (Bellman and Ford).
 */
function leastCostByTheBook({ columns, rows }: Instance): number {
  const columnOf = rows.map(() => -1);
  for (const source of rows.keys()) {
    const way = new Array<number>(columns).fill(Number.POSITIVE_INFINITY);
    const from = new Array<number>(columns).fill(-1);
    const before = (row: number) => (row === source ? 0 : way[columnOf[row]!]! - paidFor(row, columnOf[row]!));
    const paidFor = (row: number, column: number) =>
      Math.min(...rows[row]!.edges.filter(([target]) => target === column).map(([, cost]) => cost));
    const reached = () => [...rows.keys()].filter((row) => row === source || way[columnOf[row]!]! < Infinity);
    for (let hasChanged = true; hasChanged; ) {
      hasChanged = false;
      for (const row of reached()) {
        // No way leads to a column again that comes before the row on its own.
        const sent = before(row);
        for (const [column, cost] of rows[row]!.edges) {
          if (sent + cost >= way[column]! - 1e-9) continue;
          way[column] = sent + cost;
          from[column] = row;
          hasChanged = true;
        }
      }
    }
    const ends = [...way.keys()].filter((column) => !columnOf.includes(column)).map((column) => [way[column]!, column]);
    const leavers = reached().map((row) => [before(row) + rows[row]!.price, columnOf[row]!, row]);
    const [, end, leaver] = [...ends, ...leavers].reduce((one, other) => (other[0]! < one[0]! ? other : one));
    if (leaver !== undefined) columnOf[leaver] = -1;
    for (let column = end!, row = leaver ?? -1; row !== source; ) {
      row = from[column]!;
      const given = columnOf[row]!;
      columnOf[row] = column;
      column = given;
    }
  }
  return paid({ columns, rows }, { columnOf: Int32Array.from(columnOf), worthOf: new Float64Array(), cost: 0 });
}

/** Rows that may each have a few columns in a row, as orders from one place and those who are there soonest. */
function windows(
  columns: number,
  [minLength, maxLength]: readonly [number, number],
  cost: fc.Arbitrary<number>,
): fc.Arbitrary<Instance> {
  const row = fc.record({
    first: fc.nat(columns - 1),
    costs: fc.array(cost, { maxLength: 12, size: 'max' }),
    price: cost,
  });
  return fc.array(row, { minLength, maxLength, size: 'max' }).map((rows) => ({
    columns,
    rows: rows.map(({ first, costs, price }) => ({
      price: price + 100,
      edges: costs.map((each, step) => [(first + step) % columns, each] as const),
    })),
  }));
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
  test('a sparse assignment costs what the cheapest of all possible ones costs', () => {
    fc.assert(
      fc.property(instances(5, 4, fc.integer({ min: -3, max: 9 })), (instance) => {
        const assignment = assignSparse(costRowsOf(instance));
        assert.equal(paid(instance, assignment), leastCost(instance));
        assert.equal(assignment.cost, leastCost(instance));
      }),
      { numRuns: rounds(2_000), seed: SEED },
    );
  });

  test('a sparse assignment costs the same as a slow textbook search, for any rows', () => {
    for (const [kind, runs] of [
      [instances(40, 25, fc.integer({ min: 0, max: 30 })), { numRuns: 60 }],
      [windows(30, [0, 45], fc.integer({ min: 0, max: 99 })), { numRuns: 60 }],
      // So many that what holds their numbers must be wide enough, as in large rounds.
      [windows(300, [260, 340], fc.integer({ min: 0, max: 99 })), { numRuns: 4, endOnFailure: true }],
    ] as const) {
      fc.assert(
        fc.property(kind, (instance) => {
          const assignment = assignSparse(costRowsOf(instance));
          const byTheBook = leastCostByTheBook(instance);
          assert.equal(assignment.cost, byTheBook);
          assert.equal(paid(instance, assignment), byTheBook);
        }),
        { ...runs, seed: SEED },
      );
    }
  });

  test('a sparse assignment proves by what its columns are worth that nothing is cheaper', () => {
    const costs = [fc.integer({ min: 0, max: 20 }), fc.double({ min: 0, max: 1e6, noNaN: true })];
    for (const cost of costs) {
      fc.assert(
        fc.property(instances(60, 40, cost), (instance) => {
          const assignment = assignSparse(costRowsOf(instance));
          const total = paid(instance, assignment);
          assert.ok(Math.abs(total - assignment.cost) <= 1e-6 * (1 + Math.abs(total)));
          assert.ok(total - lowerBound(instance, assignment) <= 1e-6 * (1 + Math.abs(total)));
        }),
        { numRuns: rounds(200), seed: SEED },
      );
    }
  });

  test('a sparse assignment tells what one more of a column would save or, where rows outnumber the columns, what one less would cost', () => {
    fc.assert(
      fc.property(instances(5, 4, fc.integer({ min: -3, max: 9 })), (instance) => {
        const { columns, rows } = instance;
        const { worthOf } = assignSparse(costRowsOf(instance));
        const least = leastCost(instance);
        const reachable = new Set(rows.flatMap(({ edges }) => edges.map(([column]) => column)));
        const withEdges = (change: (edge: readonly [number, number]) => readonly (readonly [number, number])[]) =>
          leastCost({ columns, rows: rows.map(({ price, edges }) => ({ price, edges: edges.flatMap(change) })) });
        for (const [column, worth] of worthOf.entries()) {
          const changed =
            reachable.size < rows.length
              ? withEdges((edge) => (edge[0] === column ? [] : [edge])) - least
              : least -
                withEdges(([target, cost]) =>
                  target === column
                    ? [
                        [target, cost],
                        [columns, cost],
                      ]
                    : [[target, cost]],
                );
          assert.equal(worth, changed);
        }
      }),
      { numRuns: rounds(500), seed: SEED },
    );
  });

  test('a sparse assignment prefers the lowest column among ways of equal cost, for any order of edges', () => {
    const [one, other] = [
      [0, 0],
      [1, 0],
    ] as const;
    for (const ways of [
      [one, other],
      [other, one],
    ]) {
      const rows = [
        {
          price: 100,
          edges: [
            [0, 0],
            [2, 5],
          ],
        },
        {
          price: 100,
          edges: [
            [1, 0],
            [3, 5],
          ],
        },
        // It is wider than the others, and so the last to be added.
        { price: 100, edges: [...ways, [0, 50], [1, 50]] },
      ] as const;
      assert.deepEqual([...assignSparse(costRowsOf({ columns: 4, rows })).columnOf], [2, 1, 0]);
    }
  });

  test('a sparse assignment leaves no row out for which a free column would be cheaper, however short it may look', () => {
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
      { numRuns: rounds(500), seed: SEED },
    );
  });

  test('a sparse assignment gives nothing where there is nothing', () => {
    assert.deepEqual([...assignSparse(new CostRows(0)).columnOf], []);
    assert.deepEqual([...assignSparse(costRowsOf({ columns: 0, rows: [{ price: 7, edges: [] }] })).columnOf], [-1]);
  });

  test('a sparse assignment leaves a row out where that is no dearer', () => {
    const instance = { columns: 1, rows: [{ price: 7, edges: [[0, 7]] }] } as const;
    assert.deepEqual([...assignSparse(costRowsOf(instance)).columnOf], [-1]);
  });

  test('a sparse assignment hands a column on, and leaves out who had it, where that is cheaper', () => {
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

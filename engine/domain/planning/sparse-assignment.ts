/** The costs of giving columns to rows, where most pairs are excluded. */
export interface SparseCosts {
  readonly columns: number;
  /** The edges of row r are those from `starts[r]` on, up to `starts[r + 1]`. */
  readonly starts: ArrayLike<number>;
  readonly targets: ArrayLike<number>;
  /** Finite; below zero too. */
  readonly costs: ArrayLike<number>;
  /** The price of leaving a row out; finite. */
  readonly prices: ArrayLike<number>;
}

/** Filled row by row: `addRow`, then an `add` for every column that the row may have. */
export class CostRows implements SparseCosts {
  readonly columns: number;
  readonly starts: number[] = [0];
  readonly targets: number[] = [];
  readonly costs: number[] = [];
  readonly prices: number[] = [];

  constructor(columns: number) {
    this.columns = columns;
  }

  /** Begins the next row and returns its number; `price` is what it costs to leave it out, and finite. */
  addRow(price: number): number {
    this.starts.push(this.targets.length);
    return this.prices.push(price) - 1;
  }

  /** The row begun last may have this column at this cost, which is finite and may be below zero. */
  add(column: number, cost: number): void {
    this.targets.push(column);
    this.costs.push(cost);
    this.starts[this.prices.length] = this.targets.length;
  }
}

export interface Assignment {
  /** The column of each row, -1 for one that is left out. */
  readonly columnOf: Int32Array;
  /**
   * The saving by one more of each column. Where rows outnumber their columns: the cost of one less, which may be
   * more. 0 for an unused column. These prove that nothing is cheaper: when each column costs so much more, no row gains
   * by another column or by staying out.
   */
  readonly worthOf: Float64Array;
  readonly cost: number;
}

/**
 * The assignment of least total cost: each row gets a column of its own or is left out at its price. Exact, and the
 * same for the same input. It adds rows one after the other along shortest augmenting paths (Jonker and Volgenant 1987,
 * on sparse rows as in LAPJVsp).
 * `looks` bounds the work: after so many edges, the remaining rows take the best free column, and neither the cost nor
 * the worths prove anything any more.
 */
export function assignSparse(rows: SparseCosts, looks = Number.POSITIVE_INFINITY): Assignment {
  // The scarcer kind has fewer rows to add, and fewer that must make room.
  return reachableColumns(rows) < rows.prices.length ? assignByColumn(rows, looks) : assignByRow(rows, looks);
}

function reachableColumns({ columns, targets }: SparseCosts): number {
  const isReachable = new Uint8Array(columns);
  for (let at = 0; at < targets.length; at += 1) isReachable[targets[at]!] = 1;
  return isReachable.reduce((sum, one) => sum + one, 0);
}

function assignByRow(rows: SparseCosts, looks: number): Assignment {
  const solver = new Solver(rows);
  for (const row of narrowestFirst(rows)) {
    if (solver.looks < looks) solver.augment(row);
    else solver.takeFree(row);
  }
  return solver.result();
}

/** The same with the sides changed: each column chooses a row, or none. */
function assignByColumn(rows: SparseCosts, looks: number): Assignment {
  const saved = turned(rows);
  const { columnOf: rowOf, worthOf: worthOfRow, cost } = assignByRow(saved, looks);
  const columnOf = new Int32Array(rows.prices.length).fill(NONE);
  const worthOf = new Float64Array(rows.columns);
  for (let column = 0; column < rows.columns; column += 1) {
    if (rowOf[column]! !== NONE) columnOf[rowOf[column]!] = column;
    for (let at = saved.starts[column]!; at < saved.starts[column + 1]!; at += 1) {
      const worth = -(saved.costs[at]! + worthOfRow[saved.targets[at]!]!);
      if (worth > worthOf[column]!) worthOf[column] = worth;
    }
  }
  let leftOut = 0;
  for (let row = 0; row < rows.prices.length; row += 1) leftOut += rows.prices[row]!;
  return { columnOf, worthOf, cost: leftOut + cost };
}

/**
 * Columns as rows. The price of a row against leaving it out is below zero, and a column may stay without a row for
 * nothing.
 */
function turned({ columns, starts, targets, costs, prices }: SparseCosts): SparseCosts {
  const turnedStarts = new Int32Array(columns + 1);
  for (let at = 0; at < targets.length; at += 1) turnedStarts[targets[at]! + 1]! += 1;
  for (let column = 0; column < columns; column += 1) turnedStarts[column + 1]! += turnedStarts[column]!;
  const turnedTargets = new Int32Array(targets.length);
  const saved = new Float64Array(targets.length);
  const next = turnedStarts.slice();
  for (let row = 0; row < prices.length; row += 1) {
    for (let at = starts[row]!; at < starts[row + 1]!; at += 1) {
      const to = next[targets[at]!]!;
      next[targets[at]!] = to + 1;
      turnedTargets[to] = row;
      saved[to] = costs[at]! - prices[row]!;
    }
  }
  return {
    columns: prices.length,
    starts: turnedStarts,
    targets: turnedTargets,
    costs: saved,
    prices: new Float64Array(columns),
  };
}

const NONE = -1;

/**
 * Rows with few columns first: added last, they would push many others on. Among rows with about as many columns,
 * neighbours follow each other: the next one need not look far for the column that the last one took.
 */
function narrowestFirst({ columns, starts, targets, prices }: SparseCosts): number[] {
  const count = prices.length;
  // By magnitude of the width, last column, number: as one number each, which sorts without a comparison of our own.
  const keys = new Float64Array(count);
  for (let row = 0; row < count; row += 1) {
    let last = NONE;
    for (let at = starts[row]!; at < starts[row + 1]!; at += 1) last = Math.max(last, targets[at]!);
    const bits = 32 - Math.clz32(starts[row + 1]! - starts[row]!);
    keys[row] = (bits * (columns + 1) + last + 1) * count + row;
  }
  return Array.from(keys.sort(), (key) => key % count);
}

class Solver {
  /** Edges looked at so far. */
  looks = 0;
  private readonly starts: Int32Array;
  private readonly targets: Int32Array;
  private readonly costs: Float64Array;
  private readonly prices: Float64Array;
  private readonly columnOf: Int32Array;
  private readonly rowOf: Int32Array;
  /** The cost at which a row has its column. */
  private readonly costOf: Float64Array;
  private readonly worthOf: Float64Array;
  /** Along the shortest path from the row that is being added; infinite where none has been found. */
  private readonly distance: Float64Array;
  /** The row from which a column is reached, and at what cost. */
  private readonly reachedFrom: Int32Array;
  private readonly reachedAt: Float64Array;
  private readonly heap: ColumnHeap;
  /** The cheapest way found so far, and the free column at its end or else the row that is left out. */
  private least = 0;
  private end = NONE;
  private leaving = NONE;
  /** Columns that have a distance, and those whose distance is final: the first few of each list. */
  private readonly touched: Int32Array;
  private touchedCount = 0;
  private readonly settled: Int32Array;
  private settledCount = 0;
  /** Its distance is final, even with a rounding error. */
  private readonly isSettled: Uint8Array;

  constructor(rows: SparseCosts) {
    this.starts = new Int32Array(rows.starts);
    this.targets = new Int32Array(rows.targets);
    this.costs = new Float64Array(rows.costs);
    this.prices = new Float64Array(rows.prices);
    this.columnOf = new Int32Array(rows.prices.length).fill(NONE);
    this.rowOf = new Int32Array(rows.columns).fill(NONE);
    this.costOf = new Float64Array(rows.prices);
    this.worthOf = new Float64Array(rows.columns);
    this.distance = new Float64Array(rows.columns).fill(Number.POSITIVE_INFINITY);
    this.reachedFrom = new Int32Array(rows.columns).fill(NONE);
    this.reachedAt = new Float64Array(rows.columns);
    this.touched = new Int32Array(rows.columns);
    this.settled = new Int32Array(rows.columns);
    this.isSettled = new Uint8Array(rows.columns);
    this.heap = new ColumnHeap(this.distance);
  }

  /** Takes one more row in along the cheapest way: to a free column, or to a row, itself perhaps, that is left out. */
  augment(source: number): void {
    this.least = this.prices[source]!;
    this.leaving = source;
    this.end = NONE;
    this.reach(source, 0);
    for (let column = this.heap.pop(); column !== NONE; column = this.heap.pop()) {
      const way = this.distance[column]!;
      if (way >= this.least) break;
      this.settled[this.settledCount] = column;
      this.settledCount += 1;
      this.isSettled[column] = 1;
      const holder = this.rowOf[column]!;
      // The holder's present cost, its column's worth included, is saved.
      const spared = way - this.costOf[holder]! - this.worthOf[column]!;
      if (spared + this.prices[holder]! < this.least) {
        this.least = spared + this.prices[holder]!;
        this.leaving = holder;
        this.end = NONE;
      }
      this.reach(holder, spared);
    }
    for (let at = 0; at < this.settledCount; at += 1) {
      const column = this.settled[at]!;
      this.worthOf[column]! += Math.max(0, this.least - this.distance[column]!);
    }
    this.shift(source);
    this.forget();
  }

  /** Takes one more row in without sending another on. */
  takeFree(row: number): void {
    let least = this.prices[row]!;
    let edge = NONE;
    for (let at = this.starts[row]!; at < this.starts[row + 1]!; at += 1) {
      if (this.costs[at]! >= least || this.rowOf[this.targets[at]!] !== NONE) continue;
      least = this.costs[at]!;
      edge = at;
    }
    if (edge !== NONE) this.take(row, this.targets[edge]!, least);
  }

  /** Every column that `row` may have, when it costs `before` to make it look for another. */
  private reach(row: number, before: number): void {
    const { targets, costs, worthOf, distance, isSettled, rowOf } = this;
    const first = this.starts[row]!;
    const last = this.starts[row + 1]!;
    this.looks += last - first;
    let least = this.least;
    for (let at = first; at < last; at += 1) {
      const column = targets[at]!;
      const way = before + costs[at]! + worthOf[column]!;
      if (way >= least) continue;
      const known = distance[column]!;
      if (way >= known || isSettled[column] === 1) continue;
      if (known === Number.POSITIVE_INFINITY) {
        this.touched[this.touchedCount] = column;
        this.touchedCount += 1;
      }
      distance[column] = way;
      this.reachedFrom[column] = row;
      this.reachedAt[column] = costs[at]!;
      if (rowOf[column] !== NONE) this.heap.push(column);
      else {
        least = way;
        this.end = column;
      }
    }
    this.least = least;
  }

  /** Moves every row on the way one column on: to the free one, or to the one that the leaving row gives up. */
  private shift(source: number): void {
    let column = this.end;
    if (column === NONE) {
      column = this.columnOf[this.leaving]!;
      this.leaveOut(this.leaving);
      if (this.leaving === source) return;
    }
    for (let row = NONE; row !== source; ) {
      row = this.reachedFrom[column]!;
      const given = this.columnOf[row]!;
      this.take(row, column, this.reachedAt[column]!);
      column = given;
    }
  }

  private take(row: number, column: number, cost: number): void {
    this.columnOf[row] = column;
    this.costOf[row] = cost;
    this.rowOf[column] = row;
  }

  private leaveOut(row: number): void {
    this.columnOf[row] = NONE;
    this.costOf[row] = this.prices[row]!;
  }

  private forget(): void {
    for (let at = 0; at < this.touchedCount; at += 1) this.distance[this.touched[at]!] = Number.POSITIVE_INFINITY;
    for (let at = 0; at < this.settledCount; at += 1) this.isSettled[this.settled[at]!] = 0;
    this.touchedCount = 0;
    this.settledCount = 0;
    this.heap.clear();
  }

  result(): Assignment {
    let cost = 0;
    for (const paid of this.costOf) cost += paid;
    return { columnOf: this.columnOf, worthOf: this.worthOf, cost };
  }
}

/** Columns by their distance, the nearest first, ties by number. */
class ColumnHeap {
  private readonly distance: Float64Array;
  private readonly columns: Int32Array;
  private size = 0;
  /** Where in the heap a column is. */
  private readonly places: Int32Array;

  constructor(distance: Float64Array) {
    this.distance = distance;
    this.columns = new Int32Array(distance.length);
    this.places = new Int32Array(distance.length).fill(NONE);
  }

  /** Also for a column that is in already and whose distance has become less. */
  push(column: number): void {
    let place = this.places[column]!;
    if (place === NONE) {
      place = this.size;
      this.size += 1;
    }
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.isBefore(column, this.columns[above]!)) break;
      this.put(this.columns[above]!, place);
      place = above;
    }
    this.put(column, place);
  }

  pop(): number {
    if (this.size === 0) return NONE;
    const first = this.columns[0]!;
    this.places[first] = NONE;
    this.size -= 1;
    if (this.size > 0) this.sink(this.columns[this.size]!);
    return first;
  }

  clear(): void {
    for (let at = 0; at < this.size; at += 1) this.places[this.columns[at]!] = NONE;
    this.size = 0;
  }

  private sink(column: number): void {
    const { size } = this;
    let place = 0;
    for (let below = 1; below < size; below = 2 * place + 1) {
      const other = below + 1;
      if (other < size && this.isBefore(this.columns[other]!, this.columns[below]!)) below = other;
      if (!this.isBefore(this.columns[below]!, column)) break;
      this.put(this.columns[below]!, place);
      place = below;
    }
    this.put(column, place);
  }

  private put(column: number, place: number): void {
    this.columns[place] = column;
    this.places[column] = place;
  }

  private isBefore(one: number, other: number): boolean {
    const difference = this.distance[one]! - this.distance[other]!;
    return difference < 0 || (difference === 0 && one < other);
  }
}

/** What it costs to give columns to rows, where most pairs are out of the question. */
export interface SparseCosts {
  readonly columns: number;
  /** The edges of row r are those from `starts[r]` on, up to `starts[r + 1]`. */
  readonly starts: ArrayLike<number>;
  readonly targets: ArrayLike<number>;
  /** Finite; below zero too. */
  readonly costs: ArrayLike<number>;
  /** Of leaving a row out; finite. */
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
   * What having one more of each column would save, 0 for those left over. These prove that nothing is cheaper: no row
   * finds a column, or stays out, for less than it has now once every column costs this in addition.
   */
  readonly worthOf: Float64Array;
  readonly cost: number;
}

/**
 * The assignment of least total cost: each row gets a column of its own or is left out at its price. Exact, and the
 * same for the same input. Rows are taken in one after the other along shortest augmenting paths (Jonker and Volgenant
 * 1987, on sparse rows as in LAPJVsp), after a quick start in which rows outbid each other.
 */
export function assignSparse(rows: SparseCosts): Assignment {
  const solver = new Solver(rows);
  for (const row of solver.bid()) solver.augment(row);
  return solver.result();
}

const NONE = -1;
/** How often, on average, a row may bid before the rest is left to augmenting paths. */
const BIDS_PER_ROW = 8;

class Solver {
  private readonly starts: Int32Array;
  private readonly targets: Int32Array;
  private readonly costs: Float64Array;
  private readonly prices: Float64Array;
  private readonly columnOf: Int32Array;
  private readonly rowOf: Int32Array;
  /** The cost at which a row has its column. */
  private readonly costOf: Float64Array;
  private readonly worthOf: Float64Array;
  /** Along the shortest path from the row that is being taken in; infinite where none has been found. */
  private readonly distance: Float64Array;
  /** The row from which a column is reached, and at what cost. */
  private readonly reachedFrom: Int32Array;
  private readonly reachedAt: Float64Array;
  private readonly heap: ColumnHeap;
  /** The cheapest way found so far, and the free column at its end or else the row that is left out. */
  private least = 0;
  private end = NONE;
  private leaving = NONE;
  private readonly touched: number[] = [];
  private readonly settled: number[] = [];
  /** Its distance is final, whatever a rounding error may say. */
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
    this.isSettled = new Uint8Array(rows.columns);
    this.heap = new ColumnHeap(this.distance);
  }

  /**
   * Each row takes the column that is best for it and makes it dearer by what that is better than its second best; who
   * had it bids anew. Returns the rows that are still to be taken in: a tie, or too many bids, ends a row's bidding.
   */
  bid(): number[] {
    const waiting = Array.from(this.prices.keys()).reverse();
    const left: number[] = [];
    for (let bids = BIDS_PER_ROW * this.prices.length; waiting.length > 0; bids -= 1) {
      const row = waiting.pop()!;
      const outbid = bids > 0 ? this.bidFor(row) : row;
      if (outbid === row) left.push(row);
      else if (outbid !== NONE) waiting.push(outbid);
    }
    return left;
  }

  /** The row that has lost its column by it: itself when it could not outbid, none when it took a free one or none. */
  private bidFor(row: number): number {
    let [best, second] = [this.prices[row]!, Number.POSITIVE_INFINITY];
    let edge = NONE;
    for (let at = this.starts[row]!; at < this.starts[row + 1]!; at += 1) {
      const total = this.costs[at]! + this.worthOf[this.targets[at]!]!;
      if (total < best) {
        second = best;
        best = total;
        edge = at;
      } else if (total < second) second = total;
    }
    if (edge === NONE) return NONE;
    const column = this.targets[edge]!;
    const holder = this.rowOf[column]!;
    // A tie: raising by nothing would go round for ever.
    if (holder !== NONE && second <= best) return row;
    if (holder !== NONE) this.leaveOut(holder);
    this.worthOf[column]! += second - best;
    this.take(row, column, this.costs[edge]!);
    return holder;
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
      this.settled.push(column);
      this.isSettled[column] = 1;
      const holder = this.rowOf[column]!;
      // What the holder pays now, its column's worth included, is what it no longer pays.
      const spared = way - this.costOf[holder]! - this.worthOf[column]!;
      if (spared + this.prices[holder]! < this.least) {
        this.least = spared + this.prices[holder]!;
        this.leaving = holder;
        this.end = NONE;
      }
      this.reach(holder, spared);
    }
    for (const column of this.settled) this.worthOf[column]! += Math.max(0, this.least - this.distance[column]!);
    this.shift(source);
    this.forget();
  }

  /** Every column that `row` may have, when it costs `before` to make it look for another. */
  private reach(row: number, before: number): void {
    const last = this.starts[row + 1]!;
    for (let at = this.starts[row]!; at < last; at += 1) {
      const column = this.targets[at]!;
      const way = before + this.costs[at]! + this.worthOf[column]!;
      const known = this.distance[column]!;
      if (way >= this.least || way >= known || this.isSettled[column] === 1) continue;
      if (known === Number.POSITIVE_INFINITY) this.touched.push(column);
      this.distance[column] = way;
      this.reachedFrom[column] = row;
      this.reachedAt[column] = this.costs[at]!;
      if (this.rowOf[column] !== NONE) this.heap.push(column);
      else {
        this.least = way;
        this.end = column;
      }
    }
  }

  /** Moves every row on the way one column on: to the free one, or to that which the row that leaves gives up. */
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
    for (const column of this.touched) this.distance[column] = Number.POSITIVE_INFINITY;
    for (const column of this.settled) this.isSettled[column] = 0;
    this.touched.length = 0;
    this.settled.length = 0;
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
  private readonly columns: number[] = [];
  /** Where in the heap a column is. */
  private readonly places: Int32Array;

  constructor(distance: Float64Array) {
    this.distance = distance;
    this.places = new Int32Array(distance.length).fill(NONE);
  }

  /** Also for a column that is in already and whose distance has become less. */
  push(column: number): void {
    let place = this.places[column]!;
    if (place === NONE) place = this.columns.push(column) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.isBefore(column, this.columns[above]!)) break;
      this.put(this.columns[above]!, place);
      place = above;
    }
    this.put(column, place);
  }

  pop(): number {
    const first = this.columns[0];
    if (first === undefined) return NONE;
    this.places[first] = NONE;
    const last = this.columns.pop()!;
    if (last !== first) this.sink(last);
    return first;
  }

  clear(): void {
    for (const column of this.columns) this.places[column] = NONE;
    this.columns.length = 0;
  }

  private sink(column: number): void {
    const size = this.columns.length;
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

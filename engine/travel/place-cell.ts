import type { Place } from '../domain/assignment/round-view.ts';

/** Cells to a degree: up to 56 m wide, so that two places in one are a few seconds apart. */
const PER_DEGREE = 2_000;
const ROWS_SOUTH = 90 * PER_DEGREE;
const COLUMNS_WEST = 180 * PER_DEGREE;
const COLUMNS = 2 * COLUMNS_WEST + 1;

/** Places in the same cell count as one when ways between places are remembered. */
export function cellOf({ latitude, longitude }: Place): number {
  const row = Math.round(latitude * PER_DEGREE) + ROWS_SOUTH;
  const column = Math.round(longitude * PER_DEGREE) + COLUMNS_WEST;
  return row * COLUMNS + column;
}

/** A number that is near for cells that are near, as a rule: row and column, bit by bit in turn (Morton 1966). */
export function nearnessOf(cell: number): number {
  const column = cell % COLUMNS;
  const row = (cell - column) / COLUMNS;
  // Twenty bits each: the upper ten of both in one number, the lower ten in another, as bit operations have 32.
  const upper = interleaved(row >>> 10, column >>> 10);
  return upper * 2 ** 20 + interleaved(row & 0x3ff, column & 0x3ff);
}

function interleaved(row: number, column: number): number {
  return (spread(row) << 1) | spread(column);
}

/** Ten bits with a gap behind each. */
function spread(bits: number): number {
  let wide = bits & 0x3ff;
  wide = (wide | (wide << 8)) & 0x300ff;
  wide = (wide | (wide << 4)) & 0x30f0f;
  wide = (wide | (wide << 2)) & 0x33333;
  return (wide | (wide << 1)) & 0x55555;
}

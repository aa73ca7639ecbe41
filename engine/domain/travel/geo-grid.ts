import type { BoundingBox } from '../../../schema/fleet/position.ts';
import { LIMITS } from '../../../schema/limits.ts';

/**
 * A grid over the whole Earth: at level n it has 2ⁿ rows and 2ⁿ columns, so that a cell has twice as many degrees from
 * west to east as from south to north. Each pole is a cell of its own, in a row of its own.
 */

/** Cells of one level that lie together. Longitude 180 is also -180: columns go on at 0 after the last one. */
export interface GridArea {
  readonly level: number;
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly columns: number;
}

/** Numbers of cells: rows apart by more than a row has columns. */
const ROW = 2 ** LIMITS.finestGridLevel;

/** The number of the cell that a place is in, among those of a level; NaN for no place. */
export function cellAt(level: number, latitude: number, longitude: number): number {
  const size = 2 ** level;
  const row = rowAt(size, latitude);
  return isPole(size, row) ? row * ROW : row * ROW + (columnAt(size, longitude) % size);
}

/**
 * The smallest area of the grid that holds a box. Its level is the one at which the longer side of the box is more than
 * half of, and at most, `gridCellsPerSide` cells long: a larger box has larger cells, never more of them.
 */
export function areaOf({ west, south, east, north }: BoundingBox): GridArea {
  const isAcross = west > east;
  const width = east - west + (isAcross ? 360 : 0);
  const longerSide = Math.max(width / 2, north - south);
  const level = Math.min(Math.floor(Math.log2((LIMITS.gridCellsPerSide * 180) / longerSide)), LIMITS.finestGridLevel);
  const size = 2 ** level;
  const firstColumn = columnAt(size, west);
  const columns = columnAt(size, east) - firstColumn + 1 + (isAcross ? size : 0);
  return {
    level,
    firstRow: rowAt(size, south),
    lastRow: rowAt(size, north),
    firstColumn: firstColumn % size,
    columns: Math.min(columns, size),
  };
}

/** The numbers of the area's cells, each once. */
export function* cellsOf({ level, firstRow, lastRow, firstColumn, columns }: GridArea): Generator<number> {
  const size = 2 ** level;
  for (let row = firstRow; row <= lastRow; row++) {
    if (isPole(size, row)) yield row * ROW;
    else for (let column = 0; column < columns; column++) yield row * ROW + ((firstColumn + column) % size);
  }
}

/** Whether the area has the cell of that number. */
export function hasCell({ level, firstRow, lastRow, firstColumn, columns }: GridArea, cell: number): boolean {
  const size = 2 ** level;
  const row = Math.floor(cell / ROW);
  if (!(row >= firstRow && row <= lastRow)) return false;
  return isPole(size, row) || ((cell % ROW) - firstColumn + size) % size < columns;
}

/** Rows count from the south: 0 is the pole, and so is `size + 1`. */
function rowAt(size: number, latitude: number): number {
  if (latitude === -90) return 0;
  if (latitude === 90) return size + 1;
  // Rounding may carry a place beside the pole to the pole.
  return Math.min(size, 1 + Math.floor(((latitude + 90) / 180) * size));
}

function isPole(size: number, row: number): boolean {
  return row === 0 || row === size + 1;
}

/** Columns count from the antimeridian eastwards; `size` is 0 once round. */
function columnAt(size: number, longitude: number): number {
  return Math.floor(((longitude + 180) / 360) * size);
}

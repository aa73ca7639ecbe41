import { gzipSync } from 'node:zlib';

/** A PMTiles file of version 3 with gzipped vector tiles. Source: the specification of PMTiles. */
export interface MapFileContent {
  readonly tiles: readonly TileOfFile[];
  /** West, south, east, north in degrees. */
  readonly bounds: readonly [number, number, number, number];
  readonly maxZoom: number;
}

export interface TileOfFile {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  /** Before compression. */
  readonly data: Uint8Array;
}

const HEADER_BYTES = 127;
const GZIP = 2;
const VECTOR_TILES = 1;

export function mapFileOf({ tiles, bounds, maxZoom }: MapFileContent): Buffer {
  const entries = tiles
    .map(({ z, x, y, data }) => ({ id: placeOnCurve(z, x, y), bytes: gzipSync(data) }))
    .sort((one, other) => one.id - other.id);
  const root = gzipSync(directoryOf(entries));
  const metadata = gzipSync('{}');
  const data = Buffer.concat(entries.map(({ bytes }) => bytes));
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles', 'latin1');
  header[7] = 3;
  let end = HEADER_BYTES;
  for (const [at, { length }] of [
    [8, root],
    [24, metadata],
    [40, Buffer.alloc(0)],
    [56, data],
  ] as const) {
    header.writeBigUInt64LE(BigInt(end), at);
    header.writeBigUInt64LE(BigInt(length), at + 8);
    end += length;
  }
  for (const at of [72, 80, 88]) header.writeBigUInt64LE(BigInt(entries.length), at);
  header.set([1, GZIP, GZIP, VECTOR_TILES, 0, maxZoom], 96);
  const [west, south, east, north] = bounds;
  for (const [place, degrees] of [west, south, east, north].entries())
    header.writeInt32LE(degrees * 1e7, 102 + 4 * place);
  header.writeInt32LE(((west + east) / 2) * 1e7, 119);
  header.writeInt32LE(((south + north) / 2) * 1e7, 123);
  return Buffer.concat([header, root, metadata, data]);
}

function directoryOf(entries: readonly { readonly id: number; readonly bytes: Buffer }[]): Buffer {
  const gaps = entries.map(({ id }, place) => id - (entries[place - 1]?.id ?? 0));
  const runs = entries.map(() => 1);
  const lengths = entries.map(({ bytes }) => bytes.length);
  // 0: right behind the one before; the first begins at 0, which is written as 1.
  const offsets = entries.map((_, place) => (place === 0 ? 1 : 0));
  return Buffer.from([entries.length, ...gaps, ...runs, ...lengths, ...offsets].flatMap(varint));
}

/** Seven bits a byte, the lowest first. */
export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

/** The number of a tile: all of the zooms before, then along a Hilbert curve. */
function placeOnCurve(zoom: number, column: number, row: number): number {
  let [x, y] = [column, row];
  let place = (4 ** zoom - 1) / 3;
  for (let side = 2 ** (zoom - 1); side >= 1; side /= 2) {
    const [right, lower] = [x & side ? 1 : 0, y & side ? 1 : 0];
    place += side * side * ((3 * right) ^ lower);
    if (lower === 1) continue;
    if (right === 1) [x, y] = [side - 1 - x, side - 1 - y];
    [x, y] = [y, x];
  }
  return place;
}

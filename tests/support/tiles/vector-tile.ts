import { varint } from './map-file.ts';

/** A place inside a tile: 0 to 4096 to the right and down. */
export type Spot = readonly [x: number, y: number];

export interface TileFeature {
  readonly kind: 'point' | 'line' | 'polygon';
  /** The outline of a polygon turns clockwise and is not closed. */
  readonly spots: readonly Spot[];
  readonly properties: Readonly<Record<string, string | number>>;
}

/** The side of a tile. */
export const EXTENT = 4_096;

const TYPES = { point: 1, line: 2, polygon: 3 };
const MOVE = 1;
const LINE = 2;
const CLOSE = 7;

/** A Mapbox Vector Tile of version 2. Source: its specification, section 4. */
export function vectorTileOf(layers: Readonly<Record<string, readonly TileFeature[]>>): Buffer {
  return Buffer.from(Object.entries(layers).flatMap(([name, features]) => bytesField(3, layerOf(name, features))));
}

function layerOf(name: string, features: readonly TileFeature[]): number[] {
  const keys = [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))];
  const values = [...new Set(features.flatMap(({ properties }) => Object.values(properties)))];
  const featureOf = ({ kind, spots, properties }: TileFeature) => [
    ...bytesField(
      2,
      Object.entries(properties).flatMap(([key, value]) => [
        ...varint(keys.indexOf(key)),
        ...varint(values.indexOf(value)),
      ]),
    ),
    ...numberField(3, TYPES[kind]),
    ...bytesField(4, geometryOf(kind, spots).flatMap(varint)),
  ];
  return [
    ...numberField(15, 2),
    ...textField(1, name),
    ...features.flatMap((feature) => bytesField(2, featureOf(feature))),
    ...keys.flatMap((key) => textField(3, key)),
    ...values.flatMap((value) =>
      bytesField(4, typeof value === 'string' ? textField(1, value) : numberField(5, value)),
    ),
    ...numberField(5, EXTENT),
  ];
}

/** Each spot as its distance from the one before. */
function geometryOf(kind: TileFeature['kind'], spots: readonly Spot[]): number[] {
  const steps = spots.map(([x, y], place) => {
    const [beforeX, beforeY] = spots[place - 1] ?? [0, 0];
    return [zigzag(x - beforeX), zigzag(y - beforeY)];
  });
  const first = [command(MOVE, 1), ...steps[0]!];
  if (kind === 'point') return first;
  const lines = [command(LINE, spots.length - 1), ...steps.slice(1).flat()];
  return [...first, ...lines, ...(kind === 'polygon' ? [command(CLOSE, 1)] : [])];
}

function command(id: number, count: number): number {
  return id + 8 * count;
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function numberField(field: number, value: number): number[] {
  return [...varint(8 * field), ...varint(value)];
}

function bytesField(field: number, bytes: readonly number[]): number[] {
  return [...varint(8 * field + 2), ...varint(bytes.length), ...bytes];
}

function textField(field: number, text: string): number[] {
  return bytesField(field, [...Buffer.from(text)]);
}

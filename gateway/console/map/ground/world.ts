import { mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-110m.json' with { type: 'json' };
import { type Features, lineOf, type MapFeature, type Place } from '../features.ts';

type Atlas = Topology<{ readonly countries: GeometryCollection }>;

const HALF_TURN = 180;

/**
 * The coasts and borders of the world after Natural Earth, as coarse as a map of countries needs. They come with the program, so that the
 * map asks nobody else.
 */
export function worldLines(): Features {
  const topology = atlas as unknown as Atlas;
  const { countries } = topology.objects;
  // A line that belongs to one country alone is a coast.
  const coasts = mesh(topology, countries, (one, other) => one === other);
  const borders = mesh(topology, countries, (one, other) => one !== other);
  const features = [
    ...coasts.coordinates.flatMap((line) => piecesOf(line, 'coast')),
    ...borders.coordinates.flatMap((line) => piecesOf(line, 'border')),
  ];
  return { type: 'FeatureCollection', features };
}

/** On a flat map a line ends where it goes round the back of the earth. */
function piecesOf(line: readonly (readonly number[])[], kind: 'coast' | 'border'): MapFeature[] {
  const pieces: Place[][] = [];
  let before: number | undefined;
  for (const [longitude, latitude] of line as Place[]) {
    if (before === undefined || Math.abs(longitude - before) > HALF_TURN) pieces.push([]);
    pieces.at(-1)!.push([longitude, latitude]);
    before = longitude;
  }
  return pieces.filter(({ length }) => length > 1).map((piece) => lineOf(piece, { kind }));
}

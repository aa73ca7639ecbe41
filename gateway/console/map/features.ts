import type { GeoJSONSourceSpecification } from 'maplibre-gl';

type Data = Exclude<GeoJSONSourceSpecification['data'], string | undefined>;
/** The content of a source of the map. */
export type Features = Extract<Data, { readonly type: 'FeatureCollection' }>;
export type MapFeature = Features['features'][number];
export type Place = readonly [longitude: number, latitude: number];

export const NOTHING: Features = { type: 'FeatureCollection', features: [] };

export function lineOf(places: readonly Place[], properties: Readonly<Record<string, unknown>> = {}): MapFeature {
  const coordinates = places.map((place) => [...place]);
  return { type: 'Feature', properties: { ...properties }, geometry: { type: 'LineString', coordinates } };
}

export function pointAt(longitude: number, latitude: number, properties: Record<string, unknown>): MapFeature {
  return { type: 'Feature', properties, geometry: { type: 'Point', coordinates: [longitude, latitude] } };
}

import type { LngLatBounds } from 'maplibre-gl';
import { type Features, lineOf, type MapFeature, type Place } from '../features.ts';

/** The made-up city of `npm run simulate`, as bench/simulate/city.ts lays it out around its usual centre. */
const CITY = { longitude: 13.405, latitude: 52.52, avenueMetres: 120, streetMetres: 90, halfSideMetres: 2_000 };
const METRES_PER_DEGREE = 111_320;
/** Degrees between two lines of the graticule; the widest that gives enough lines is taken. */
const STEPS = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
const LEAST_LINES = 5;

/** Meridians and parallels over a part of the earth, so that an empty map has a scale and a place. */
export function graticule(bounds: LngLatBounds): Features {
  const [west, south, east, north] = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
  const step = STEPS.find((each) => (east - west) / each >= LEAST_LINES) ?? STEPS.at(-1)!;
  const features: MapFeature[] = [];
  for (let x = Math.ceil(west / step) * step; x <= east; x += step)
    features.push(
      lineOf(
        [
          [x, south],
          [x, north],
        ],
        { kind: 'grid' },
      ),
    );
  for (let y = Math.ceil(south / step) * step; y <= north; y += step)
    features.push(
      lineOf(
        [
          [west, y],
          [east, y],
        ],
        { kind: 'grid' },
      ),
    );
  return { type: 'FeatureCollection', features };
}

/** The avenues and streets on which the demo's fleet drives. */
export function demoStreets(): Features {
  const { longitude, latitude, avenueMetres, streetMetres, halfSideMetres } = CITY;
  const east = METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
  const at = (x: number, y: number): Place => [longitude + x / east, latitude + y / METRES_PER_DEGREE];
  const avenues = Math.round(halfSideMetres / avenueMetres);
  const streets = Math.round(halfSideMetres / streetMetres);
  const [width, height] = [avenues * avenueMetres, streets * streetMetres];
  const features: MapFeature[] = [];
  for (let avenue = -avenues; avenue <= avenues; avenue++) {
    const x = avenue * avenueMetres;
    features.push(lineOf([at(x, -height), at(x, height)], { kind: avenue % 4 === 0 ? 'main' : 'side' }));
  }
  for (let street = -streets; street <= streets; street++) {
    const y = street * streetMetres;
    features.push(lineOf([at(-width, y), at(width, y)], { kind: street % 5 === 0 ? 'main' : 'side' }));
  }
  return { type: 'FeatureCollection', features };
}

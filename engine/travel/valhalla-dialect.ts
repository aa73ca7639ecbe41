import type { Place } from '../domain/assignment/round-view.ts';
import { degrees, fieldOf, plainType, type RoutingDialect } from './routing-dialect.ts';

const COSTINGS: ReadonlyMap<string, string> = new Map([
  ['foot', 'pedestrian'],
  ['bicycle', 'bicycle'],
  ['bike', 'bicycle'],
  ['scooter', 'motor_scooter'],
  ['motorcycle', 'motorcycle'],
  ['truck', 'truck'],
]);

/**
 * The matrix service of Valhalla, https://valhalla.github.io/valhalla/api/matrix/api-reference/. Vehicles without an
 * entry in the table of costings go like a car.
 */
export function valhallaDialect(baseUrl: string): RoutingDialect {
  return {
    modeOf: (vehicleType) => COSTINGS.get(plainType(vehicleType)) ?? 'auto',
    requestFor(costing, from, to) {
      const url = new URL(baseUrl);
      url.pathname = `${url.pathname.replace(/\/$/, '')}/sources_to_targets`;
      const body = { sources: from.map(location), targets: to.map(location), costing, verbose: false };
      return { url, body: JSON.stringify(body) };
    },
    rowsOf(answer) {
      const table = fieldOf(answer, 'sources_to_targets');
      // Releases before 3.2 say everything, whether they are asked to or not.
      return Array.isArray(table) ? table.map(secondsOfVerbose) : fieldOf(table, 'durations');
    },
  };
}

function location({ latitude, longitude }: Place): { lat: number; lon: number } {
  return { lat: degrees(latitude), lon: degrees(longitude) };
}

function secondsOfVerbose(row: unknown): unknown {
  return Array.isArray(row) ? row.map((cell) => fieldOf(cell, 'time')) : row;
}

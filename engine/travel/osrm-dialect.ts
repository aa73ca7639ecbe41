import type { Place } from '../domain/assignment/round-view.ts';
import { degrees, fieldOf, plainType, type RoutingDialect } from './routing-dialect.ts';

/** Stands in a base URL for the mode, where there is an engine for each. */
const PLACEHOLDER = '{mode}';
const ON_FOOT_OR_BICYCLE: ReadonlyMap<string, string> = new Map([
  ['foot', 'foot'],
  ['bicycle', 'bike'],
  ['bike', 'bike'],
]);

/**
 * The table service of OSRM, https://project-osrm.org/docs/v5.24.0/api/#table-service. An engine knows the roads of one
 * mode, regardless of the request. So a plain base URL counts as one for cars, and other modes are not asked for; with
 * `{mode}` in it, as in `http://osrm-{mode}:5000`, it is completed by `car`, `bike` or `foot`.
 */
export function osrmDialect(baseUrl: string): RoutingDialect {
  const hasOneForEach = baseUrl.includes(PLACEHOLDER);
  return {
    modeOf(vehicleType) {
      const other = ON_FOOT_OR_BICYCLE.get(plainType(vehicleType));
      if (other === undefined) return 'car';
      return hasOneForEach ? other : undefined;
    },
    requestFor(mode, from, to) {
      const url = new URL(baseUrl.replaceAll(PLACEHOLDER, mode));
      const places = [...from, ...to].map(coordinates).join(';');
      url.pathname = `${url.pathname.replace(/\/$/, '')}/table/v1/driving/${places}`;
      const ends = `sources=${indices(0, from.length)}&destinations=${indices(from.length, to.length)}`;
      url.search = `${url.search ? `${url.search}&` : ''}${ends}&annotations=duration&generate_hints=false`;
      return { url, body: null };
    },
    rowsOf: (answer) => (fieldOf(answer, 'code') === 'Ok' ? fieldOf(answer, 'durations') : undefined),
  };
}

function coordinates({ latitude, longitude }: Place): string {
  return `${degrees(longitude)},${degrees(latitude)}`;
}

function indices(first: number, count: number): string {
  return Array.from({ length: count }, (_, index) => first + index).join(';');
}

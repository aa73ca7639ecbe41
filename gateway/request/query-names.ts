import leven from 'leven';
import { LIMITS } from '../../schema/limits.ts';
import type { Route } from '../route.ts';

/** A filter by any of the client's own fields: `integrationData.<key>=<value>`. */
export const FREE_FIELD = 'integrationData';
export const FREE_FIELD_PREFIX = `${FREE_FIELD}.`;

/** The parameter by which a browser that cannot send headers opens a stream; the guards read it. */
const STREAM_TOKEN = 'token';

/** A name is near another one when at most this part of the letters of the longer one differ. */
const NEAR = 0.4;

interface KnownName {
  /** In lower case. */
  readonly spelled: string;
  readonly shown: string;
  /** The client's own key follows. */
  readonly takesKey: boolean;
}

/** The names that the query of a route may hold, made once from the schema that validates it. */
export class QueryNames {
  readonly #entries: ReadonlySet<string>;
  readonly #takesFreeFields: boolean;
  readonly #known: readonly KnownName[];

  constructor(route: Route) {
    const entries = new Set(Object.keys(route.query?.schema.entries ?? {}));
    if (route.kind === 'raw' && route.takesStreamToken) entries.add(STREAM_TOKEN);
    this.#takesFreeFields = entries.has(FREE_FIELD);
    this.#known = [...entries].map((name) => {
      const takesKey = name === FREE_FIELD;
      return { spelled: name.toLowerCase(), shown: takesKey ? `${FREE_FIELD_PREFIX}<key>` : name, takesKey };
    });
    entries.delete(FREE_FIELD);
    this.#entries = entries;
  }

  has(name: string): boolean {
    return this.#entries.has(name) || (this.#takesFreeFields && name.startsWith(FREE_FIELD_PREFIX));
  }

  /** One violation for each name, in their order, up to a bound. */
  complaintsAbout(unknown: ReadonlySet<string>): string[] {
    const { unknownParameters } = LIMITS;
    const complaints = [...unknown].slice(0, unknownParameters).map((name) => this.#complaintAbout(name));
    const others = unknown.size - complaints.length;
    if (others > 0) complaints.push(`the query has ${others} more names that are not parameters of this call`);
    return complaints;
  }

  #complaintAbout(name: string): string {
    if (name === '') return 'the query has a value without a name';
    const letters = Array.from(name);
    if (letters.length > LIMITS.parameterNameChars) {
      return `${letters.slice(0, LIMITS.parameterNameChars).join('')}… is not a parameter of this call`;
    }
    const near = this.#nearest(name.toLowerCase());
    return `${name} is not a parameter of this call${near === undefined ? '' : `; did you mean ${near}?`}`;
  }

  #nearest(name: string): string | undefined {
    let nearest: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const { spelled, shown, takesKey } of this.#known) {
      const given = takesKey ? name.replace(/[.[].*/s, '') : name;
      const distance = leven(given, spelled);
      const isNear = distance <= Math.max(1, Math.floor(NEAR * Math.max(given.length, spelled.length)));
      if (!isNear || distance >= least) continue;
      nearest = shown;
      least = distance;
    }
    return nearest;
  }
}

const namesByRoute = new WeakMap<Route, QueryNames>();

export function queryNamesOf(route: Route): QueryNames {
  let names = namesByRoute.get(route);
  if (!names) {
    names = new QueryNames(route);
    namesByRoute.set(route, names);
  }
  return names;
}

import { isStorableText } from '../../schema/fields/fields.ts';
import { listMarkOf, unmarked } from '../list-cursor.ts';
import { type Identity, isBelowApi, type QuerySchema, type Route } from '../route.ts';
import { type Parsed, parsedBy } from './parse-request.ts';
import { FREE_FIELD, FREE_FIELD_PREFIX, queryNamesOf } from './query-names.ts';

const NOTHING: Parsed<undefined> = { value: undefined };

/**
 * Parses the raw query of a request. Lists may be repeated or hold commas. Any other parameter that is given twice is a
 * violation, and so is a name that the route does not know, unless the route ignores them, however they are written. An empty value counts
 * as absent, and so does a list of commas alone. Free fields are returned together, as pairs of key and value. A cursor
 * loses the mark of its list.
 */
export function parseQuery(
  raw: string,
  route: Route,
  identity: Identity,
  params: Readonly<Record<string, string>>,
): Parsed<unknown> {
  const { query } = route;
  if (!query && (raw === '' || !isBelowApi(route))) return NOTHING;
  const { values, violations } = raw === '' ? { values: NO_VALUES, violations: [] } : splitQuery(raw, route);
  const input = query && inputOf(values, query, violations);
  const cursor = input?.['cursor'];
  if (input && typeof cursor === 'string') input['cursor'] = unmarked(cursor, listMarkOf(route, identity, params));
  const parsed = query ? parsedBy(query.schema, input) : NOTHING;
  if ('violations' in parsed) violations.push(...parsed.violations);
  return violations.length > 0 ? { violations } : parsed;
}

/** The values of each known name, in the order of the query. */
type Values = ReadonlyMap<string, readonly string[]>;

const NO_VALUES: Values = new Map();

function splitQuery(raw: string, route: Route): { readonly values: Values; readonly violations: string[] } {
  const names = queryNamesOf(route);
  const values = new Map<string, string[]>();
  const unknown = new Set<string>();
  const ignoresOthers = !isBelowApi(route) || route.query?.ignoresOthers === true;
  let isMalformed = false;
  for (const part of raw.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const text = decode(equals === -1 ? '' : part.slice(equals + 1));
    if (ignoresOthers && (name === undefined || !names.has(name))) continue;
    if (name === undefined || text === undefined) isMalformed = true;
    else if (!names.has(name)) unknown.add(name);
    else if (text !== '') {
      const texts = values.get(name);
      if (texts) texts.push(text);
      else values.set(name, [text]);
    }
  }
  const violations = isMalformed ? ['the query must be percent-encoded UTF-8 without NUL'] : [];
  if (unknown.size > 0) violations.push(...names.complaintsAbout(unknown));
  return { values, violations };
}

/** The input of the schema. A parameter that is given twice, and is no list, adds a violation. */
function inputOf(values: Values, { lists, uncut }: QuerySchema, violations: string[]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  const freeFields: [key: string, value: string][] = [];
  for (const [name, texts] of values) {
    if (lists.has(name)) {
      const listed = uncut?.has(name) ? texts : texts.flatMap((text) => text.split(',')).filter((text) => text !== '');
      if (listed.length > 0) input[name] = listed;
      continue;
    }
    if (name.startsWith(FREE_FIELD_PREFIX)) freeFields.push([name.slice(FREE_FIELD_PREFIX.length), texts[0]!]);
    else input[name] = texts[0];
    if (texts.length > 1) violations.push(`${name} must be given once`);
  }
  if (freeFields.length > 0) input[FREE_FIELD] = freeFields;
  return input;
}

function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return isStorableText(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

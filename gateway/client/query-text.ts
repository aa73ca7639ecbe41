/**
 * The query of an address with its question mark, or '' without a value; lists are joined with commas. Throws TypeError for
 * an empty list: without its name the answer would be about everything, though nothing was asked for.
 */
export function queryText(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  for (const [name, value] of given)
    if (Array.isArray(value) && value.length === 0)
      throw new TypeError(`${name} is an empty list: leave it out for everything, or do not call for nothing`);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return given.length > 0 ? `?${search}` : '';
}

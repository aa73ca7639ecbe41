/**
 * Lists the differences of `actual` from `expected`, as "path: expected …, found …". Objects may hold more than
 * expected; lists may not.
 */
export function findDifferences(expected: unknown, actual: unknown, path = ''): string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [difference(path, expected, actual)];
    return expected.flatMap((item, index) => findDifferences(item, actual[index], `${path}[${index}]`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return [difference(path, expected, actual)];
    return Object.entries(expected).flatMap(([key, value]) =>
      findDifferences(value, (actual as Record<string, unknown>)[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return Object.is(expected, actual) ? [] : [difference(path, expected, actual)];
}

function difference(path: string, expected: unknown, actual: unknown): string {
  return `${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`;
}

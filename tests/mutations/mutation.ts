/** A planted fault, and the tests that are expected to notice it. */
export interface Mutation {
  /** Path from the root. */
  readonly file: string;
  /** A text that occurs exactly once in the file: a source that drifts away from it fails loudly. */
  readonly find: string;
  readonly replace: string;
  /** One sentence: the promise that the fault breaks. */
  readonly breaks: string;
  /** Test files by parts of their paths; each part names at least one. The first failing test ends the trial. */
  readonly caughtBy: readonly string[];
}

/** Mutations of one file that the same tests are to catch, as `[find, replace, breaks]`. */
export function mutationsOf(
  file: string,
  caughtBy: readonly string[],
  changes: readonly (readonly [find: string, replace: string, breaks: string])[],
): Mutation[] {
  return changes.map(([find, replace, breaks]) => ({ file, find, replace, breaks, caughtBy }));
}

/** The source with the fault in it. Throws unless the text occurs exactly once. */
export function mutate(source: string, { file, find, replace }: Mutation): string {
  const found = source.split(find).length - 1;
  if (found !== 1) throw new Error(`${file}: the text occurs ${found} times, not once: ${find}`);
  const start = source.indexOf(find);
  return source.slice(0, start) + replace + source.slice(start + find.length);
}

/** The test files that are to notice a mutation. Throws when a part of `caughtBy` names none. */
export function catchersOf({ caughtBy, file }: Mutation, testFiles: readonly string[]): string[] {
  return caughtBy.flatMap((part) => {
    const found = testFiles.filter((path) => path.includes(part));
    if (found.length === 0) throw new Error(`${file}: no test file matches ${part}`);
    return found;
  });
}

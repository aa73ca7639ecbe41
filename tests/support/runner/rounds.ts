/** Set by the runner for `--slow`. */
export const ALL_ROUNDS_VARIABLE = 'TEST_ALL_ROUNDS';

/**
 * The rounds of a test that repeats itself with other draws: a third of `all` in the quick suite, and every one with
 * `--slow`. The draws are the same each time, so the quick suite makes the first third of the slow one's.
 */
export function rounds(all: number): number {
  return makesAll() ? all : Math.ceil(all / 3);
}

/** The same for listed cases: every third one in the quick suite, and each with `--slow`. */
export function someOf<T>(cases: readonly T[]): readonly T[] {
  return makesAll() ? cases : cases.filter((_, index) => index % 3 === 0);
}

function makesAll(): boolean {
  return Boolean(process.env[ALL_ROUNDS_VARIABLE]);
}

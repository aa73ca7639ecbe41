/** Set by the runner for `--slow`. */
export const ALL_ROUNDS_VARIABLE = 'TEST_ALL_ROUNDS';

/**
 * The rounds of a test that repeats itself with other draws: a third of `all` in the quick suite, and every one with
 * `--slow`. The draws are the same each time, so the quick suite makes the first third of the slow one's.
 */
export function rounds(all: number): number {
  return makesAll() ? all : Math.ceil(all / 3);
}

/** Listed cases often come in threes, sixes or twelves: after so many, every third one begins at another place. */
const STRETCH = 12;

/** The same for listed cases: every third one in the quick suite, and each with `--slow`. */
export function someOf<T>(cases: readonly T[]): readonly T[] {
  return makesAll() ? cases : cases.filter((_, index) => (index + Math.floor(index / STRETCH)) % 3 === 0);
}

function makesAll(): boolean {
  return Boolean(process.env[ALL_ROUNDS_VARIABLE]);
}

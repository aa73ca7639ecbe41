/** Set by the runner for `--slow`. */
export const ALL_ROUNDS_VARIABLE = 'TEST_ALL_ROUNDS';

/**
 * The rounds of a test that repeats itself with other draws: a third of `all` in the quick suite, and every one with
 * `--slow`. The draws are the same each time, so the quick suite makes the first third of the slow one's.
 */
export function rounds(all: number): number {
  return process.env[ALL_ROUNDS_VARIABLE] ? all : Math.ceil(all / 3);
}

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Far longer than anything takes: an event that has not happened by then does not happen, even on a slow and busy
 * machine.
 */
export const PATIENCE_MS = 60_000;

const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 100;

/**
 * Asks again and again until the answer is true, less often while it is not: a question may cost three processes some
 * milliseconds. A dear one has a longer `shortestPauseMs`. Rejects, naming `what`, when patience is at its end.
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  shortestPauseMs: number = SHORTEST_PAUSE_MS,
): Promise<void> {
  for (const since = performance.now(); !(await isSo()); ) {
    const waitedMs = performance.now() - since;
    assert.ok(waitedMs < PATIENCE_MS, `not within ${PATIENCE_MS / 1_000} s: ${what}`);
    await delay(Math.max(shortestPauseMs, Math.min(waitedMs / 10, LONGEST_PAUSE_MS)));
  }
}

/** Resolves once new records get a later moment than this one: two records that follow one another may share theirs. */
export function untilPast(moment: string): Promise<void> {
  return until(`the moment after ${moment}`, () => new Date().toISOString() > moment);
}

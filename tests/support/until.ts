import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Far longer than anything takes: an event that has not happened by then does not happen, even on a slow and busy
 * machine.
 */
export const PATIENCE_MS = 60_000;

const POLL_MS = 20;

/** Asks again and again until the answer is true. Rejects, naming `what`, when patience is at its end. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; !(await isSo()); await delay(POLL_MS))
    assert.ok(performance.now() < giveUpAt, `not within ${PATIENCE_MS / 1_000} s: ${what}`);
}

/** Resolves once new records get a later moment than this one: two records that follow one another may share theirs. */
export function untilPast(moment: string): Promise<void> {
  return until(`the moment after ${moment}`, () => new Date().toISOString() > moment);
}

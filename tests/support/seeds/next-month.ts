import { setTimeout as delay } from 'node:timers/promises';

/** Longer than a test needs to ask for everything that is counted by the month, even on a busy machine. */
const LONGEST_MS = 60_000;

/**
 * The first moment of the next calendar month in UTC. It waits, so that the month does not turn while the test runs.
 */
export async function nextMonth(): Promise<string> {
  for (;;) {
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    if (next.getTime() - now.getTime() > LONGEST_MS) return next.toISOString();
    await delay(1_000);
  }
}

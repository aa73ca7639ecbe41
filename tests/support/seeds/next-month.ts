import { setTimeout as delay } from 'node:timers/promises';

/** Longer than what is counted by the month takes to be asked for, on a busy machine as well. */
const LONGEST_MS = 60_000;

/** The first moment of the next calendar month in UTC, which does not come while the test runs: it is waited for. */
export async function nextMonth(): Promise<string> {
  for (;;) {
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    if (next.getTime() - now.getTime() > LONGEST_MS) return next.toISOString();
    await delay(1_000);
  }
}

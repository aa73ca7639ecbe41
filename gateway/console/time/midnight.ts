import { momentIn, wallClock } from './wall-clock.ts';

/** The last answer in each zone, and the date that it began. */
const days = new Map<string, { readonly date: string; readonly startMs: number }>();

/**
 * The moment at which the day of `nowMs` began in a zone, in milliseconds since the epoch. On a day whose midnight the clock skips, that
 * is the moment after it; where it strikes twice, the first one.
 */
export function midnightMs(nowMs: number, timeZone: string): number {
  const date = wallClock(nowMs, timeZone).slice(0, 10);
  const known = days.get(timeZone);
  if (known?.date === date) return known.startMs;
  const startMs = momentIn(`${date}T00:00`, timeZone)!;
  days.set(timeZone, { date, startMs });
  return startMs;
}

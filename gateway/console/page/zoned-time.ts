import { timeZone } from './state.ts';
import { momentIn, wallClock } from './wall-clock.ts';

/** A moment as a field for date and time holds it, in the zone of the organization: `2031-05-01T14:30`. */
export function localTime(ms: number): string {
  return wallClock(ms, timeZone.peek());
}

/** The moment of such a text, as `momentIn` reads it. */
export function momentOf(local: string): number | null {
  return momentIn(local, timeZone.peek());
}

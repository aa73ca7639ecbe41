import { momentIn, wallClock } from '../time/wall-clock.ts';
import { timeZone } from './state.ts';

/** A moment as a field for date and time holds it, in the zone of the organization: `2031-05-01T14:30`. */
export function localTime(ms: number): string {
  return wallClock(ms, timeZone.peek());
}

/** The last moment of a field for date and time: browsers then allow no year of more than four digits. */
export const LAST_TIME = '9999-12-31T23:59';

/** The moment of such a text, as `momentIn` reads it. */
export function momentOf(local: string): number | null {
  return momentIn(local, timeZone.peek());
}

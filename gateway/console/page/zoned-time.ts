import { timeZone } from './state.ts';
import { wallClock } from './wall-clock.ts';

const MINUTE_MS = 60_000;

/** A moment as a field for date and time holds it, in the zone of the organization: `2031-05-01T14:30`. */
export function localTime(ms: number): string {
  return wallClock(ms, timeZone.peek());
}

/** The moment of such a text; null for an empty or unfinished one. In an hour that a zone skips, the moment after it. */
export function momentOf(local: string): number | null {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return null;
  const offsetMs = (ms: number) => Date.parse(`${wallClock(ms, timeZone.peek())}Z`) - floorToMinute(ms);
  const guess = asUtc - offsetMs(asUtc);
  return asUtc - offsetMs(guess);
}

function floorToMinute(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

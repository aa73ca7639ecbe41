const MINUTE_MS = 60_000;
/** Longer than any day, also one on which the clock goes back. */
const LONGEST_DAY_MS = 26 * 3_600_000;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** The last answer, and the date that it began. */
  date: string;
  startMs: number;
}

const zones = new Map<string, Zone>();

/**
 * The moment at which the day of `nowMs` began in a zone, in milliseconds since the epoch. On a day whose midnight the clock skips, that
 * is the moment after it; where it strikes twice, the first one.
 */
export function midnightMs(nowMs: number, timeZone: string): number {
  const zone = zones.get(timeZone) ?? zoneOf(timeZone);
  zones.set(timeZone, zone);
  const date = zone.format.format(nowMs);
  if (date !== zone.date) {
    zone.startMs = firstMoment(zone.format, date, nowMs);
    zone.date = date;
  }
  return zone.startMs;
}

function zoneOf(timeZone: string): Zone {
  // Sweden writes dates as ISO 8601 does, so that they sort as texts.
  return { format: new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }), date: '', startMs: 0 };
}

/** Clocks change at whole minutes, so the search halves a span of minutes. */
function firstMoment(format: Intl.DateTimeFormat, date: string, nowMs: number): number {
  let inside = Math.floor(nowMs / MINUTE_MS);
  let before = inside - LONGEST_DAY_MS / MINUTE_MS;
  while (inside - before > 1) {
    const middle = Math.floor((inside + before) / 2);
    if (format.format(middle * MINUTE_MS) < date) before = middle;
    else inside = middle;
  }
  return inside * MINUTE_MS;
}

import { LIMITS } from '../../../schema/limits.ts';

interface Window {
  /** ISO 8601, like all times here. */
  readonly start: string | null;
  readonly end: string | null;
}

/** The times of one zone as people read them. */
export interface LocalTime {
  /**
   * `14:10` on the day of `now`, else with the date: `25 Nov 2026, 14:10`. Without `now` always with the date. A time that
   * the clocks show twice, when they go back, has the name of the zone: `02:30 CEST`.
   */
  moment(at: string, now?: string): string;
  /**
   * `25 Nov 2026, 14:00–16:00`, without the date and with a zone as in `moment`, and with the names of the zone where the
   * clocks change in between: `02:30 CEST–02:30 CET`. Undefined for a window without times.
   */
  window(window: Window, now?: string): string | undefined;
  /** The same with its date and zone, for mails: `25 Nov 2026, 14:00–16:00 CET`. */
  zonedWindow(window: Window): string | undefined;
  /** A moment with its date and zone, for mails: `25 Nov 2026, 14:10 CET`. */
  zonedMoment(at: string): string;
  /** `2026-11-25 14:10`, for paper; with a zone as in `moment`. */
  stamp(at: string): string;
  /** The short name that the zone has then: `CET`, `GMT+5:30`. */
  zone(at: string): string;
  /** The name of the zone all the year round: `Central European Time`. */
  readonly name: string;
}

/** Formatters are slow to make: these are kept, by zone. */
const kept = new Map<string, LocalTime>();

/** The times of an IANA zone. Throws RangeError for an unknown one. */
export function localTimeIn(timeZone: string): LocalTime {
  const known = kept.get(timeZone);
  if (known) return known;
  if (kept.size >= LIMITS.timeZonesKept) kept.clear();
  const made = newLocalTime(timeZone);
  kept.set(timeZone, made);
  return made;
}

function newLocalTime(timeZone: string): LocalTime {
  const days = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
  const hours = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const isoDays = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const longNames = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longGeneric' });
  const day = (at: string) => days.format(Date.parse(at));
  const hour = (at: string) => hours.format(Date.parse(at));
  const bare = (at: string, now?: string) =>
    now !== undefined && day(now) === day(at) ? hour(at) : `${day(at)}, ${hour(at)}`;
  const zoneNames = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'short' });
  const zone = (at: string) => nameIn(zoneNames, at);
  const isTwice = (at: string) => CHANGES_MS.some((ms) => hours.format(Date.parse(at) + ms) === hour(at));
  const zoneOf = (at: string, isWanted = false) => (isWanted || isTwice(at) ? ` ${zone(at)}` : '');
  const isAcrossChange = ({ start, end }: Window) => start !== null && end !== null && zone(start) !== zone(end);
  const window = ({ start, end }: Window, now?: string, isZoned = false) => {
    if (start !== null && end !== null) {
      const isAcross = isAcrossChange({ start, end });
      const until = day(start) === day(end) ? hour(end) : bare(end);
      return `${bare(start, now)}${zoneOf(start, isAcross)}–${until}${zoneOf(end, isAcross || isZoned)}`;
    }
    if (start !== null) return `from ${bare(start, now)}${zoneOf(start, isZoned)}`;
    return end === null ? undefined : `by ${bare(end, now)}${zoneOf(end, isZoned)}`;
  };
  return {
    moment: (at, now) => bare(at, now) + zoneOf(at),
    window: (times, now) => window(times, now),
    zonedWindow: (times) => window(times, undefined, true),
    zonedMoment: (at) => bare(at) + zoneOf(at, true),
    stamp: (at) => `${isoDays.format(Date.parse(at))} ${hour(at)}${zoneOf(at)}`,
    zone,
    name: zone(ANY_TIME) === 'UTC' ? 'UTC' : nameIn(longNames, ANY_TIME),
  };
}

/** Clocks go back by an hour, on Lord Howe Island by half of one, at Troll by two; a time that comes again is so far away. */
const CHANGES_MS = [30, 60, 120].flatMap((minutes) => [minutes * 60_000, minutes * -60_000]);

/** A time under the present rules of all zones. */
const ANY_TIME = '2025-01-01T00:00:00.000Z';

function nameIn(format: Intl.DateTimeFormat, at: string): string {
  return format.formatToParts(Date.parse(at)).find(({ type }) => type === 'timeZoneName')!.value;
}

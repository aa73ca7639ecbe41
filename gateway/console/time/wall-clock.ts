const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const OPTIONS = {
  minute: { hour: '2-digit', minute: '2-digit' },
  second: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  dayAndYear: { day: 'numeric', month: 'short', year: 'numeric' },
  // Sweden writes dates and times as ISO 8601 does.
  iso: { dateStyle: 'short', timeStyle: 'short' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

/** Formatters are slow to make: these are kept, by name and zone. */
const kept = new Map<string, Intl.DateTimeFormat>();

/** A moment as the clock of an IANA zone shows it. */
export function formatted(name: keyof typeof OPTIONS, ms: number, zone: string): string {
  const key = `${name} ${zone}`;
  const language = name === 'iso' ? 'sv-SE' : 'en-GB';
  const format = kept.get(key) ?? new Intl.DateTimeFormat(language, { ...OPTIONS[name], timeZone: zone });
  kept.set(key, format);
  return format.format(ms);
}

/** A moment as a field for date and time holds it: `2031-05-01T14:30`. */
export function wallClock(ms: number, zone: string): string {
  // Intl writes the year 2 with one digit.
  return formatted('iso', ms, zone).padStart(16, '0').replace(' ', 'T');
}

/**
 * The moment of such a text; null for an empty or unfinished one, and for a day or an hour that does not exist. `24:00` is the end of
 * a day. In an hour that a zone skips, the moment as long after the skip: 02:30 is then 03:30. In an hour that comes twice, the first one.
 */
export function momentIn(local: string, zone: string): number | null {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc) || !isDay(local.slice(0, 10))) return null;
  // The shown time has no seconds, those of the text stay.
  const seconds = asUtc % MINUTE_MS;
  const shownMs = (ms: number) => Date.parse(`${wallClock(ms, zone)}Z`) + seconds;
  // By the offsets of the days before and after: a clock changes at most once in between.
  const byOffsetOf = (ms: number) => asUtc - (shownMs(ms) - ms);
  const [before, after] = [byOffsetOf(asUtc - DAY_MS), byOffsetOf(asUtc + DAY_MS)];
  return shownMs(before) !== asUtc && shownMs(after) === asUtc ? after : before;
}

/** Browsers may read 30 February as 2 March. */
function isDay(date: string): boolean {
  const ms = Date.parse(date);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === date;
}

/** `14:02`; with the day when it is another one than that of `nowMs`, and with the year when that is another one. */
export function timeText(ms: number, nowMs: number, zone: string): string {
  const clock = formatted('minute', ms, zone);
  const [date, today] = [wallClock(ms, zone).slice(0, 10), wallClock(nowMs, zone).slice(0, 10)];
  if (date === today) return clock;
  const isThisYear = date.slice(0, 4) === today.slice(0, 4);
  return `${formatted(isThisYear ? 'day' : 'dayAndYear', ms, zone)}, ${clock}`;
}

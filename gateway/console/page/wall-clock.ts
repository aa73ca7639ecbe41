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
  return formatted('iso', ms, zone).replace(' ', 'T');
}

/** `14:02`; with the day when it is another one than that of `nowMs`, and with the year when that is another one. */
export function timeText(ms: number, nowMs: number, zone: string): string {
  const clock = formatted('minute', ms, zone);
  const [date, today] = [wallClock(ms, zone).slice(0, 10), wallClock(nowMs, zone).slice(0, 10)];
  if (date === today) return clock;
  const isThisYear = date.slice(0, 4) === today.slice(0, 4);
  return `${formatted(isThisYear ? 'day' : 'dayAndYear', ms, zone)}, ${clock}`;
}

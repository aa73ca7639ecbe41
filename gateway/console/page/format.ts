import { text } from '../text/english.ts';
import { nowMs, timeZone } from './state.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${name} ${timeZone.value}`;
  const found = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timeZone.value });
  formats.set(key, found);
  return found;
}

/** `14:02`; with the day when it is another one than today. All times are in the organization's zone. */
export function timeOf(ms: number): string {
  const day = formatOf('day', { day: 'numeric', month: 'short' });
  const clock = minuteOf(ms);
  return day.format(ms) === day.format(nowMs.peek()) ? clock : `${day.format(ms)}, ${clock}`;
}

/** `14:02` without its day: on an axis the hours are in order anyway. */
export function minuteOf(ms: number): string {
  return formatOf('clock', { hour: '2-digit', minute: '2-digit' }).format(ms);
}

export function clockOf(ms: number): string {
  return formatOf('seconds', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(ms);
}

/** `4 min`, `2 h 10 min`. */
export function spanOf(ms: number): string {
  return text.time.spans(Math.floor(Math.abs(ms) / 60_000));
}

/** `12 s ago`, `4 min ago`. */
export function agoOf(ms: number): string {
  const seconds = Math.max(0, Math.round((nowMs.value - ms) / 1_000));
  if (seconds < 5) return text.time.now;
  return text.time.ago(seconds < 60 ? text.time.seconds(seconds) : spanOf(seconds * 1_000));
}

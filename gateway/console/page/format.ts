import { text } from '../text/english.ts';
import { formatted, timeText } from '../time/wall-clock.ts';
import { nowMs, timeZone } from './state.ts';

/** `14:02`; with the day when it is another one than today, and with the year when it is of another year. In the organization's zone. */
export function timeOf(ms: number): string {
  return timeText(ms, nowMs.peek(), timeZone.value);
}

/** `14:02` without its day: on an axis the hours are in order anyway. */
export function minuteOf(ms: number): string {
  return formatted('minute', ms, timeZone.value);
}

export function clockOf(ms: number): string {
  return formatted('second', ms, timeZone.value);
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

import type { Draw } from '../city.ts';
import type { Range } from '../orders/scenarios.ts';

/** Written at once for each driver, and again when the last of them has begun. */
const SHIFTS = 40;

/** Milliseconds since the epoch; the end is not included. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export interface WorkingTime extends Span {
  readonly pause: Span;
}

/**
 * One after the other from `begin` on; without it the first has begun already, at a moment of its own for each driver.
 * They are not in time lapse: the planner knows none, and would find no order that fits into a shift of minutes.
 */
export function drawShifts(
  { work, pause, off }: { readonly work: Range; readonly pause: Range; readonly off: Range },
  draw: Draw,
  begin?: number,
): WorkingTime[] {
  const ms = ([least, most]: Range) => (least + draw(most - least + 1)) * 60_000;
  const shifts: WorkingTime[] = [];
  let from = begin === undefined ? Date.now() - draw(Math.ceil(ms(work))) : begin + ms(off);
  for (let made = 0; made < SHIFTS; made += 1) {
    const pauseFrom = from + ms(work);
    const pauseUntil = pauseFrom + ms(pause);
    const until = pauseUntil + ms(work);
    shifts.push({ from, until, pause: { from: pauseFrom, until: pauseUntil } });
    from = until + ms(off);
  }
  return shifts;
}

/** When a driver that does nothing now goes on; undefined for one that works. */
export function restEndsAt(shifts: readonly WorkingTime[], nowMs: number): number | undefined {
  const current = shifts.find(({ until }) => nowMs < until);
  if (!current) return undefined;
  if (nowMs < current.from) return current.from;
  const { pause } = current;
  return pause.from <= nowMs && nowMs < pause.until ? pause.until : undefined;
}

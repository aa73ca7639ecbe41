import type { DayStop } from '../live/protocol.ts';
import { wallClock } from '../time/wall-clock.ts';

const HOUR_MS = 3_600_000;
/** Room before and after, so that no mark stands on the edge. */
const MARGIN_MS = HOUR_MS / 4;
/** A day that is nearly empty is not blown up. */
const SHORTEST_MS = 3 * HOUR_MS;
const MOST_TICKS = 8;
/** Every clock is off UTC, and moves when it moves, by a multiple of this. */
const QUARTER_MS = HOUR_MS / 4;

/** A stretch of time across the width of a picture. */
export interface TimeScale {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whole hours of the zone's clock to name, a few of them. */
  readonly ticks: readonly number[];
}

/** The times that a stop has: what is planned, and what was promised. */
function timesOf({ row, windowStartMs, windowEndMs, pickupEtaMs }: DayStop): number[] {
  const isDone = row.endedAtMs !== null;
  const promised = isDone ? [] : [row.etaAtMs, row.dueAtMs, windowStartMs, windowEndMs, pickupEtaMs];
  return [row.endedAtMs, ...promised].filter((at) => at !== null);
}

/** From the first to the last time of the stops, now included. A promise for another day does not squeeze this one. */
export function timeScaleOf(stops: readonly DayStop[], nowMs: number, zone: string): TimeScale {
  const near = (at: number) => Math.abs(at - nowMs) < 16 * HOUR_MS;
  const times = [nowMs, ...stops.flatMap(timesOf).filter(near)];
  const fromMs = Math.min(...times) - MARGIN_MS;
  const untilMs = Math.max(Math.max(...times) + MARGIN_MS, fromMs + SHORTEST_MS);
  const hours = Math.ceil((untilMs - fromMs) / HOUR_MS / MOST_TICKS);
  const ticks: number[] = [];
  for (let at = Math.ceil(fromMs / QUARTER_MS) * QUARTER_MS; at < untilMs; at += QUARTER_MS) {
    const [hour, minute] = wallClock(at, zone).slice(11).split(':');
    if (minute === '00' && Number(hour) % hours === 0) ticks.push(at);
  }
  return { fromMs, untilMs, ticks };
}

/** The place of a moment, in percent of the width; kept within it. */
export function percentAt({ fromMs, untilMs }: TimeScale, atMs: number): number {
  return Math.min(100, Math.max(0, ((atMs - fromMs) / (untilMs - fromMs)) * 100));
}

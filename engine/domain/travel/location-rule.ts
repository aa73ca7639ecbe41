import type { Point } from '../../../schema/fleet/position.ts';
import { LIMITS } from '../../../schema/limits.ts';

/**
 * Whether nobody can have been there then. Judged from the point alone: against others the outcome would depend on
 * which of them came first.
 */
export function isImpossible(point: Point, nowMs: number): boolean {
  return isFromFuture(point, nowMs) || isNowhere(point);
}

/** Recorded in what is the future even for a clock that is somewhat fast. */
export function isFromFuture({ recordedAtMs }: Pick<Point, 'recordedAtMs'>, nowMs: number): boolean {
  return recordedAtMs > nowMs + LIMITS.pointFutureMs;
}

/** Where receivers that have no fix believe they are. */
function isNowhere({ latitude, longitude }: Point): boolean {
  return latitude === 0 && longitude === 0;
}

/** Stale: neither where it is nor that it is still there has been heard for a while. Times in ms since the epoch. */
export function isStale(
  { recordedAtMs, heardAtMs }: { readonly recordedAtMs: number; readonly heardAtMs: number },
  nowMs: number,
): boolean {
  return nowMs - Math.max(recordedAtMs, heardAtMs) > LIMITS.positionStaleMs;
}

/**
 * Serving late costs an hour of ways at once and ten times its length: more than any detour in a town that avoids it.
 * By the first, few orders are late; by the second, none is left to be very late.
 */
const LATE_MS = 3_600_000;
export const LATE_WEIGHT = 10;

/** The price of serving at `beginAt` what is due at `dueAt`; what is lost already, before `now`, cannot be saved. */
export function latePrice(beginAt: number, dueAt: number | null, now: number): number {
  if (dueAt === null || beginAt <= dueAt) return 0;
  return (dueAt < now ? 0 : LATE_MS) + LATE_WEIGHT * (beginAt - Math.max(dueAt, now));
}

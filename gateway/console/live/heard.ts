import type { PositionView } from '../../../schema/fleet/position.ts';

/** The contract calls a position stale after this long (§4). */
export const STALE_MS = 300_000;

/**
 * When a courier was heard of last. One who says that he is still there has his position received again, and it was recorded
 * when it was. The receipt of a position that is stale all the same says nothing: it came late.
 */
export function heardAtMsOf({ recordedAt, receivedAt, isStale }: PositionView): number {
  return isStale ? Date.parse(recordedAt) : Math.max(Date.parse(recordedAt), Date.parse(receivedAt));
}

/** A position grows old while nobody says anything of it. */
export function isStaleAt(heardAtMs: number, nowMs: number): boolean {
  return nowMs - heardAtMs > STALE_MS;
}

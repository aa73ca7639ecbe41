import type { TravelTime } from '../assignment/round-view.ts';
import { straightTravel } from './straight-travel.ts';

/** Ways as far as they are known at the moment. */
export interface KnownWays {
  /** The straight line stands in for what is not known. */
  readonly travel: TravelTime;
  /** How often it did so far, where the way could be learnt. */
  readonly missing: number;
  /** Learns the ways that were missing. Never rejects, and never takes longer than that. */
  learn(withinMs: number): Promise<void>;
}

export interface WaySource {
  ways(): KnownWays;
}

/** Knows nothing but straight lines, and cannot learn. */
export const STRAIGHT_WAYS: WaySource = {
  ways: () => ({ travel: straightTravel, missing: 0, learn: () => Promise.resolve() }),
};

/** Computes with what is known, and once more when the ways that were missing have been learnt. */
export async function computedOver<T>(
  source: WaySource,
  withinMs: number,
  compute: (travel: TravelTime) => T,
): Promise<T> {
  const known = source.ways();
  const computed = compute(known.travel);
  if (known.missing === 0) return computed;
  await known.learn(withinMs);
  return compute(source.ways().travel);
}

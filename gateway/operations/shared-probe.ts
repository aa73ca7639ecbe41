import type { Clock } from '../../engine/runtime/clock.ts';

/** Less than the pause between two looks of a proxy. */
const KEPT_MS = 250;

/**
 * A question to a store, asked once for all who want to know at the same time; its answer stands for a moment. Anybody
 * may ask without a key, so many must not cost the store more than one. `ask` must not reject.
 */
export function sharedProbe(ask: () => Promise<boolean>, clock: Pick<Clock, 'monotonic'>): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  /** Infinite while the store is being asked. */
  let keptUntil = 0;
  return () => {
    if (answer && clock.monotonic() < keptUntil) return answer;
    keptUntil = Number.POSITIVE_INFINITY;
    answer = ask().finally(() => {
      keptUntil = clock.monotonic() + KEPT_MS;
    });
    return answer;
  };
}

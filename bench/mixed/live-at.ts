import { setTimeout as delay } from 'node:timers/promises';
import type { TaskLives } from './task-life.ts';

/** Lives that have begun and not ended: more of them mean that the gateway cannot keep up. */
export const MOST_BEHIND = 500;

/** Begins lives at a rate, however many of the others still live. Resolves, when none is left, to the most at once. */
export async function liveAt(
  lives: TaskLives,
  perSecond: number,
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  const startedAt = performance.now();
  const living = new Set<Promise<void>>();
  let [begun, most] = [0, 0];
  let failure: unknown;
  for (;;) {
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    const elapsed = (performance.now() - startedAt) / 1_000;
    if (elapsed >= seconds || living.size >= MOST_BEHIND) break;
    for (; begun < elapsed * perSecond; begun++) {
      const life: Promise<void> = lives
        .live()
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => living.delete(life));
      living.add(life);
    }
    most = Math.max(most, living.size);
    await delay(5);
  }
  await Promise.all(living);
  if (failure !== undefined) throw failure;
  return most;
}

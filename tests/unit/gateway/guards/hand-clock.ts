import type { Clock, Scheduler } from '../../../../engine/runtime/clock.ts';

export interface HandClock {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Lets time pass and runs what falls due, in order, each after what the one before it has set going. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  at: number;
  readonly periodMs: number | undefined;
  readonly task: () => void;
}

/** Time that moves on demand; wall clock and monotonic clock are one. */
export function createHandClock(): HandClock {
  let now = 1_000_000;
  const timers = new Set<Timer>();
  const add = (delayMs: number, periodMs: number | undefined, task: () => void) => {
    const timer = { at: now + delayMs, periodMs, task };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  return {
    clock: { now: () => now, monotonic: () => now },
    scheduler: {
      after: (delayMs, task) => add(delayMs, undefined, task),
      every: (periodMs, task) => add(periodMs, periodMs, task),
      soon: setImmediate,
    },
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        const [due] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!due) break;
        now = Math.max(now, due.at);
        if (due.periodMs === undefined) timers.delete(due);
        else due.at += due.periodMs;
        due.task();
        await idle();
      }
      now = end;
      await idle();
    },
  };
}

/** Resolves when everything that could go on has gone on. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Time as the engine sees it; tests pass their own. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For timestamps that people read. */
  now(): number;
  /** Milliseconds that never jump back; counts on while the process is stopped. For leases and deadlines. */
  monotonic(): number;
}

/** Deferred work; tests pass a scheduler they turn by hand. */
export interface Scheduler {
  /** Runs `task` once after `delayMs`; the returned function cancels it. Never keeps the process alive. */
  after(delayMs: number, task: () => void): () => void;
  /** Runs `task` every `periodMs` until the returned function is called. */
  every(periodMs: number, task: () => void): () => void;
  /** Runs `task` once the events of this turn of the loop are handled. */
  soon(task: () => void): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

export const systemScheduler: Scheduler = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs).unref();
    return () => clearTimeout(timer);
  },
  every(periodMs, task) {
    const timer = setInterval(task, periodMs).unref();
    return () => clearInterval(timer);
  },
  soon(task) {
    setImmediate(task);
  },
};

/** Resolves after `delayMs`. */
export function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

let lastMs = Number.NaN;
let lastText = '';

/**
 * Milliseconds since the epoch to the one form in which times leave the engine: ISO 8601, UTC, milliseconds, `Z`.
 * Under load the same millisecond is asked for again and again, so the last one is kept.
 */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

import { LIMITS } from '../../schema/limits.ts';

/** Trips from one place. */
interface Start {
  readonly askedAt: number;
  /** Seconds; null where the engine knows no way. */
  readonly secondsTo: Map<number, number | null>;
}

/**
 * Ways that a routing engine has told, by mode and cells; the oldest starts go first. Shared by all organizations:
 * roads are the same for everybody.
 */
export class TripCache {
  readonly #starts = new Map<string, Start>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Seconds, null where there is no way, undefined where nobody has asked lately. `nowMs` is monotonic. */
  find(mode: string, from: number, to: number, nowMs: number): number | null | undefined {
    const start = this.#starts.get(keyOf(mode, from));
    if (!start || nowMs - start.askedAt >= LIMITS.tripMemoryMs) return undefined;
    return start.secondsTo.get(to);
  }

  keep(mode: string, from: number, to: number, seconds: number | null, nowMs: number): void {
    const key = keyOf(mode, from);
    let start = this.#starts.get(key);
    if (start && nowMs - start.askedAt >= LIMITS.tripMemoryMs) {
      this.#drop(key, start);
      start = undefined;
    }
    if (!start) {
      start = { askedAt: nowMs, secondsTo: new Map() };
      this.#starts.set(key, start);
    }
    if (!start.secondsTo.has(to)) this.#size += 1;
    start.secondsTo.set(to, seconds);
    for (const [oldest, trips] of this.#starts) {
      if (this.#size <= LIMITS.tripsRemembered) break;
      this.#drop(oldest, trips);
    }
  }

  #drop(key: string, { secondsTo }: Start): void {
    this.#starts.delete(key);
    this.#size -= secondsTo.size;
  }
}

function keyOf(mode: string, from: number): string {
  return `${mode} ${from}`;
}

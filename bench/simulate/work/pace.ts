import { setTimeout as delay } from 'node:timers/promises';

/** The simulated time, which may go faster than the clock. */
export class Pace {
  readonly timeLapse: number;
  readonly #startedAtMs = Date.now();

  constructor(timeLapse: number) {
    this.timeLapse = timeLapse;
  }

  /** The moment of a simulated minute, in milliseconds since the epoch. */
  msOf(minutes: number): number {
    return this.#startedAtMs + (minutes * 60_000) / this.timeLapse;
  }

  /** The same in the form of the API. */
  timeOf(minutes: number): string {
    return new Date(this.msOf(minutes)).toISOString();
  }

  /** The simulated minute that it is. */
  get now(): number {
    return ((Date.now() - this.#startedAtMs) * this.timeLapse) / 60_000;
  }

  /** Waits for so many simulated seconds, and for so many milliseconds by the clock at least. Rejects on abort. */
  async wait(seconds: number, signal: AbortSignal, leastMs = 0): Promise<void> {
    await delay(Math.max(leastMs, (seconds * 1_000) / this.timeLapse), undefined, { signal });
  }

  /** Waits until a moment by the clock, if it is still to come. Rejects on abort. */
  async until(ms: number, signal: AbortSignal): Promise<void> {
    await delay(Math.max(0, ms - Date.now()), undefined, { signal });
  }
}

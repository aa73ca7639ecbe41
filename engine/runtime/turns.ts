import { LIMITS } from '../../schema/limits.ts';
import type { Clock, Scheduler } from './clock.ts';

/**
 * Turns of the loop for work that would fill many of them: all users of one object share `turnMs` of each turn, in the
 * order of asking, and other work has the time in between.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #scheduler: Pick<Scheduler, 'soon'>;
  readonly #turnMs: number;
  readonly #waiting: (() => void)[] = [];
  /** Monotonic; undefined before the first request of this turn. */
  #endsAt: number | undefined;

  /** `turnMs`: of each turn for all who share this; one piece at least. */
  constructor(clock: Clock, scheduler: Pick<Scheduler, 'soon'>, turnMs: number = LIMITS.streamTurnMs) {
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#turnMs = turnMs;
  }

  /** To be asked before each small piece of work. Undefined while there is time left, else resolves when there is again. */
  next(): Promise<void> | undefined {
    if (this.#endsAt === undefined) {
      this.#begin();
      return undefined;
    }
    if (this.#waiting.length === 0 && this.#hasTime()) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #hasTime(): boolean {
    return this.#clock.monotonic() < this.#endsAt!;
  }

  #begin(): void {
    this.#endsAt = this.#clock.monotonic() + this.#turnMs;
    this.#scheduler.soon(() => {
      this.#endsAt = undefined;
      if (this.#waiting.length > 0) void this.#go();
    });
  }

  async #go(): Promise<void> {
    this.#begin();
    do {
      this.#waiting.shift()!();
      // A released user does its piece before the clock is looked at.
      await undefined;
    } while (this.#waiting.length > 0 && this.#hasTime());
  }
}

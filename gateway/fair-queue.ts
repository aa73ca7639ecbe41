import type { Scheduler } from '../engine/runtime/clock.ts';
import type { Refusal } from '../schema/errors.ts';
import { RefusalError } from './refusal-error.ts';

interface QueueBounds {
  /** Pieces of work that run at a time. */
  readonly atOnce: number;
  /** Those that may wait, in all and of one party. */
  readonly waiting: number;
  readonly waitingOfOne: number;
  /** Whoever has waited this long goes without; absent: waits for its turn. */
  readonly patience?: { readonly ms: number; readonly scheduler: Pick<Scheduler, 'after'> };
  /** What is said to whom it has no room for. */
  readonly full: () => Refusal;
}

interface Waiting {
  begin(): void;
}

/**
 * Runs work, a few pieces at a time. What waits is taken round robin over the parties that it is for, so that a flood
 * from one leaves the others their turn.
 */
export class FairQueue {
  readonly #bounds: QueueBounds;
  /** The next party is the first one. */
  readonly #waiting = new Map<string | number, Set<Waiting>>();
  #running = 0;
  #length = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** Rejects with a RefusalError when there is no room, or no turn in time; the work has not begun then. */
  async run<T>(party: string | number, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#bounds.atOnce) await this.#turn(party);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#handOver();
    }
  }

  #turn(party: string | number): Promise<void> {
    const { waiting, waitingOfOne, patience, full } = this.#bounds;
    const line = this.#waiting.get(party) ?? new Set();
    if (this.#length >= waiting || line.size >= waitingOfOne) throw new RefusalError(full());
    this.#waiting.set(party, line);
    this.#length += 1;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#leave(party, line, waiter);
        reject(new RefusalError(full()));
      };
      const cancel = patience?.scheduler.after(patience.ms, giveUp);
      const waiter: Waiting = {
        begin() {
          cancel?.();
          resolve();
        },
      };
      line.add(waiter);
    });
  }

  #leave(party: string | number, line: Set<Waiting>, waiter: Waiting): void {
    line.delete(waiter);
    if (line.size === 0) this.#waiting.delete(party);
    this.#length -= 1;
  }

  /** The place of what has finished goes to whoever is next. */
  #handOver(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    const [party, line] = next;
    const [waiter] = line;
    this.#leave(party, line, waiter!);
    // Behind the others, for what else it has waiting.
    if (this.#waiting.delete(party)) this.#waiting.set(party, line);
    waiter!.begin();
  }
}

import type { Scheduler } from '../engine/runtime/clock.ts';
import type { Refusal } from '../schema/errors.ts';
import { RefusalError } from './refusal-error.ts';

interface QueueBounds {
  /** The number of pieces of work that run at a time. */
  readonly atOnce: number;
  /** How many pieces of work may wait, in total and for one party. */
  readonly waiting: number;
  readonly waitingOfOne: number;
  /** How long a piece of work may wait before it is refused. Absent: it waits until its turn. */
  readonly patience?: { readonly ms: number; readonly scheduler: Pick<Scheduler, 'after'> };
  /** The error returned when the queue is full. */
  readonly full: () => Refusal;
}

interface Waiting {
  begin(): void;
}

/**
 * Runs work, a few pieces at a time. Waiting work is taken round robin over the parties that it is for, so that a flood
 * from one party does not block the others.
 */
export class FairQueue {
  readonly #bounds: QueueBounds;
  /** The first party of the map has the next turn. */
  readonly #waiting = new Map<string | number, Set<Waiting>>();
  #running = 0;
  #length = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /**
   * Rejects with a RefusalError when the queue is full or the turn does not come in time. The work has not begun then.
   */
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

  /** Gives the free place to the next party. */
  #handOver(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    const [party, line] = next;
    const [waiter] = line;
    this.#leave(party, line, waiter!);
    // Move the party to the end: its other work waits for the next round.
    if (this.#waiting.delete(party)) this.#waiting.set(party, line);
    waiter!.begin();
  }
}

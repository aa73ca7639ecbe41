import type { Scheduler } from '../engine/runtime/clock.ts';
import type { Refusal } from '../schema/errors.ts';
import { RefusalError } from './refusal-error.ts';

export interface QueueBounds {
  /** The number of pieces of work that run at a time. */
  readonly atOnce: number;
  /** How many of them one party may have. Absent: as many as there are. */
  readonly atOnceOfOne?: number;
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
  /** Pieces of work that run, by party. */
  readonly #runningOf = new Map<string | number, number>();
  #length = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /**
   * Rejects with a RefusalError when the queue is full or the turn does not come in time. The work has not begun then.
   */
  async run<T>(party: string | number, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#bounds.atOnce && this.#hasShareLeft(party)) this.#take(party);
    else await this.#turn(party);
    try {
      return await work();
    } finally {
      this.#giveBack(party);
      this.#handOver();
    }
  }

  #hasShareLeft(party: string | number): boolean {
    const { atOnce, atOnceOfOne = atOnce } = this.#bounds;
    return (this.#runningOf.get(party) ?? 0) < atOnceOfOne;
  }

  #take(party: string | number): void {
    this.#running += 1;
    this.#runningOf.set(party, (this.#runningOf.get(party) ?? 0) + 1);
  }

  #giveBack(party: string | number): void {
    this.#running -= 1;
    const left = this.#runningOf.get(party)! - 1;
    if (left > 0) this.#runningOf.set(party, left);
    else this.#runningOf.delete(party);
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

  /** Gives the free place to the next party that may have it; at most as many as there are places have their share. */
  #handOver(): void {
    for (const [party, line] of this.#waiting) {
      if (!this.#hasShareLeft(party)) continue;
      const [waiter] = line;
      this.#leave(party, line, waiter!);
      // Move the party to the end: its other work waits for the next round.
      if (this.#waiting.delete(party)) this.#waiting.set(party, line);
      this.#take(party);
      waiter!.begin();
      return;
    }
  }
}

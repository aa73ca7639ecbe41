import { LIMITS } from '../../../schema/limits.ts';
import type { SharedEvent } from './shared-event.ts';

/**
 * The newest events of one organization, bounded in number and bytes.
 *
 * Invariant: what is kept is without a gap and ends with `last`.
 */
export class RecentEvents {
  #events: (SharedEvent | undefined)[] = [];
  /** Where in the array they begin: what was before is gone, its places are given back from time to time. */
  #start = 0;
  #bytes = 0;
  #last: number | undefined;

  /** Sequence of the newest one seen, whether or not it is still kept; undefined as long as nothing is known. */
  get last(): number | undefined {
    return this.#last;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes those that are new and returns true, unless they leave a gap: then nothing is taken. */
  add(events: readonly SharedEvent[]): boolean {
    const first = events[0]!.sequence;
    this.#last ??= first - 1;
    if (first > this.#last + 1) return false;
    for (const shared of events) {
      if (shared.sequence <= this.#last) continue;
      this.#events.push(shared);
      this.#bytes += shared.event.body.length;
      this.#last = shared.sequence;
    }
    this.#trim();
    return true;
  }

  /** Events after a sequence; none when there is nothing newer, undefined when memory does not reach back that far. */
  after(sequence: number): readonly SharedEvent[] | undefined {
    if (this.#last === undefined) return undefined;
    if (sequence >= this.#last) return [];
    const first = this.#events[this.#start]?.sequence;
    if (first === undefined || first > sequence + 1) return undefined;
    return this.#events.slice(this.#start + sequence + 1 - first) as SharedEvent[];
  }

  /** Forgets the events. The next one follows `last`. */
  restartAt(last: number | undefined): void {
    this.#events = [];
    this.#start = 0;
    this.#bytes = 0;
    this.#last = last;
  }

  #trim(): void {
    const { recentEventsPerOrganization: most, recentEventBytesPerOrganization: mostBytes } = LIMITS;
    while (this.#events.length - this.#start > most || this.#bytes > mostBytes) {
      this.#bytes -= this.#events[this.#start]!.event.body.length;
      this.#events[this.#start] = undefined;
      this.#start += 1;
    }
    if (this.#start < most) return;
    this.#events = this.#events.slice(this.#start);
    this.#start = 0;
  }
}

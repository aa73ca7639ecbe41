import type { ListEventsQuery, LoggedEvent } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { LogPage, LogStore } from '../../store/log/event-log-store.ts';
import type { InTurn } from '../../store/task-lists/task-list-store.ts';

/** Events of the log after a sequence, oldest first. */
export interface FoundEvents extends Omit<LogPage, 'isCut'> {
  /**
   * Up to where there are no others of these types: the end of the log as it is known, except where the page is full or
   * the time of the search was over.
   */
  readonly upTo: number;
}

export interface LogSearchOptions {
  readonly store: Pick<LogStore, 'readAfter'>;
  /** Lets organizations take turns, one statement each; without it they do not. */
  readonly inTurn?: InTurn | undefined;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/**
 * Reads the log for callers, who may want types that are rare: it looks through a bounded part at a time, and gives its
 * turn back between them.
 */
export class LogSearch {
  readonly #options: LogSearchOptions;
  /** How far searches without a match have come, so that their next attempt goes on from there. Oldest first. */
  readonly #reached = new Map<string, number>();

  constructor(options: LogSearchOptions) {
    this.#options = options;
  }

  /**
   * As many events as fill a page, if there are. A search ends after LIMITS.logSearchMs with what it has: without a match
   * before the end of the log, the same question goes on from there.
   */
  async read(organizationId: number, { after, limit, types }: ListEventsQuery): Promise<FoundEvents> {
    if (types) return this.#search(organizationId, after, limit, types);
    const { isCut, ...page } = await this.#window(organizationId, after, limit);
    const isFull = isCut || page.events.length === limit;
    return { ...page, upTo: isFull ? page.events.at(-1)!.sequence : page.lastSequence };
  }

  async #search(organizationId: number, after: number, limit: number, types: readonly string[]): Promise<FoundEvents> {
    const question = `${organizationId} ${after} ${[...new Set(types)].sort()}`;
    const { clock } = this.#options;
    const endsAt = clock.monotonic() + LIMITS.logSearchMs;
    const events: LoggedEvent[] = [];
    let bytes = 0;
    let known = after;
    for (let from = after; ; ) {
      const page = await this.#window(organizationId, from, limit - events.length, types).catch((error: unknown) => {
        if (events.length === 0) throw error;
        return undefined;
      });
      // A turn that does not come ends the page: the next one would find the same events, and wait for the same turn.
      if (!page) return { events, lastSequence: known, keptAfter: after, upTo: from };
      const { lastSequence, keptAfter } = page;
      known = lastSequence;
      if (from > lastSequence) return { events, lastSequence, keptAfter, upTo: lastSequence };
      // Events that nobody has looked at have left the log meanwhile: the page after this one says so.
      if (keptAfter > from && events.length > 0) return { events, lastSequence, keptAfter: after, upTo: from };
      if (keptAfter > from) return { events, lastSequence, keptAfter, upTo: from };
      for (const event of page.events) {
        if (bytes >= LIMITS.logReadBytes) break;
        bytes += Buffer.byteLength(event.body);
        events.push(event);
      }
      const isFull = page.isCut || events.length === limit || bytes >= LIMITS.logReadBytes;
      from = isFull ? events.at(-1)!.sequence : Math.min(from + LIMITS.logSearchWindow, lastSequence);
      if (events.length === 0) from = this.#goOn(question, from, lastSequence);
      if (isFull || from >= lastSequence || clock.monotonic() >= endsAt)
        return { events, lastSequence, keptAfter: after, upTo: from };
    }
  }

  async #window(organizationId: number, after: number, limit: number, types?: readonly string[]): Promise<LogPage> {
    const { store, inTurn } = this.#options;
    const window = types && LIMITS.logSearchWindow;
    const read = () => store.readAfter(organizationId, after, limit, types, window);
    return inTurn ? inTurn(organizationId, read) : read();
  }

  /** Where a search goes on that has no match up to `from`: there, or where one with the same question has come to. */
  #goOn(question: string, from: number, lastSequence: number): number {
    const before = this.#reached.get(question) ?? 0;
    const reached = before > lastSequence ? from : Math.max(from, before);
    if (reached >= lastSequence) return reached;
    this.#reached.delete(question);
    if (this.#reached.size >= LIMITS.logSearches) this.#reached.delete(this.#reached.keys().next().value!);
    this.#reached.set(question, reached);
    return reached;
  }
}

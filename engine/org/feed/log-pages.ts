import type { LoggedEvent } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { LogPage, LogStore } from '../../store/log/event-log-store.ts';
import { SharedEvent } from './shared-event.ts';

/** Events right after a sequence, oldest first and without a gap, unless some are no longer kept. */
export interface SharedPage {
  readonly events: readonly SharedEvent[];
  /** How far the log reached at least. */
  readonly lastSequence: number;
  /** Events right after the sequence are no longer kept. */
  readonly expired: boolean;
}

/** The same from a fixed place on. */
type PlacedPage = SharedPage & Pick<LogPage, 'isCut'>;

export interface LogPagesOptions {
  readonly history: string;
  readonly store: Pick<LogStore, 'readAfter'>;
  /** Newer events, if it has any: it may have holes, begin late and end early. Never rejects. */
  readonly readTail?: ((organizationId: number, after: number, limit: number) => Promise<LoggedEvent[]>) | undefined;
  readonly clock: Clock;
}

/**
 * The log in pages at fixed places, from Redis, else from Postgres. Readers who come back together, from about the same
 * place, share one query and its events; a full page never changes and is kept for a moment.
 */
export class LogPages {
  readonly #options: LogPagesOptions;
  /** Being read, by source, organization and the sequence before the page. */
  readonly #reading = new Map<string, Promise<PlacedPage>>();
  /** Oldest first. */
  readonly #kept = new Map<string, { readonly page: PlacedPage; readonly until: number }>();

  constructor(options: LogPagesOptions) {
    this.#options = options;
  }

  /** Reads in progress may be shared, so a page may end earlier than the log. Rejects as Postgres does. */
  async readAfter(organizationId: number, after: number): Promise<SharedPage> {
    const start = after - (after % LIMITS.catchUpEvents);
    const place = `${organizationId}-${start}`;
    const kept = this.#kept.get(place);
    if (kept && kept.until > this.#options.clock.monotonic()) return partOf(kept.page, after);
    if (this.#options.readTail) {
      const tail = await this.#share(`tail-${place}`, () => this.#readTail(organizationId, start));
      const events = withoutGap(tail.events, after);
      if (events.length > 0) return { events, lastSequence: events.at(-1)!.sequence, expired: false };
    }
    const page = await this.#share(place, () => this.#readLog(organizationId, start, place));
    if (!endsBefore(page, after)) return partOf(page, after);
    const own = `${organizationId}-${after}`;
    return partOf(await this.#share(own, () => this.#readLog(organizationId, after, own)), after);
  }

  /** Forgets what is kept: the log is not what it was. */
  forget(): void {
    this.#kept.clear();
  }

  /** Forgets what has been kept for long enough. */
  sweep(): void {
    const now = this.#options.clock.monotonic();
    for (const [place, { until }] of this.#kept) if (until <= now) this.#kept.delete(place);
  }

  #share(key: string, read: () => Promise<PlacedPage>): Promise<PlacedPage> {
    const known = this.#reading.get(key);
    if (known) return known;
    const reading = read().finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #readTail(organizationId: number, start: number): Promise<PlacedPage> {
    const events = await this.#options.readTail!(organizationId, start, LIMITS.catchUpEvents);
    return { events: this.#shared(events), isCut: false, lastSequence: 0, expired: false };
  }

  async #readLog(organizationId: number, start: number, place: string): Promise<PlacedPage> {
    const { store, clock } = this.#options;
    const read = await store.readAfter(organizationId, start, LIMITS.catchUpEvents);
    const { isCut, lastSequence, keptAfter } = read;
    const page = { events: this.#shared(read.events), isCut, lastSequence, expired: keptAfter > start };
    let bytes = 0;
    for (const { body } of read.events) bytes += body.length;
    const isFull = read.events.length === LIMITS.catchUpEvents && !page.expired;
    if (!isFull || bytes > LIMITS.logPageBytes) return page;
    if (this.#kept.size >= LIMITS.logPages) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(place, { page, until: clock.monotonic() + LIMITS.logPageKeptMs });
    return page;
  }

  #shared(events: readonly LoggedEvent[]): SharedEvent[] {
    return events.map((event) => new SharedEvent(event, this.#options.history));
  }
}

/** Whether large events end a page, which begins at its fixed place, before the first one that is asked for. */
function endsBefore({ events, isCut }: PlacedPage, after: number): boolean {
  return isCut && events.at(-1)!.sequence <= after;
}

/** A page begins before what is asked for: of a whole log the next event is in it, if there is one at all. */
function partOf({ events, lastSequence }: PlacedPage, after: number): SharedPage {
  const wanted = events.filter(({ sequence }) => sequence > after);
  const next = wanted[0]?.sequence;
  return { events: wanted, lastSequence, expired: next === undefined ? after < lastSequence : next > after + 1 };
}

function withoutGap(events: readonly SharedEvent[], after: number): SharedEvent[] {
  const following: SharedEvent[] = [];
  for (const shared of events) if (shared.sequence === after + following.length + 1) following.push(shared);
  return following;
}

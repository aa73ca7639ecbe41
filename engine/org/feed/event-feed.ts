import type { LoggedEvent } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { EventBus } from '../../bus/event-bus.ts';
import type { Clock, Scheduler } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { createOutage, type Outage } from '../../runtime/outage.ts';
import type { LogStore } from '../../store/log/event-log-store.ts';
import { HeadQuestions } from './head-questions.ts';
import { LogPages, type SharedPage } from './log-pages.ts';
import { RecentEvents } from './recent-events.ts';
import { SharedEvent } from './shared-event.ts';

/** Committed events that are handed over together: all of those with `after` < sequence <= `last`, in order. */
export interface EventBatch {
  readonly after: number;
  readonly last: number;
  /** Empty when memory could not hold them until they were handed over: they are read from the log. */
  readonly events: readonly SharedEvent[];
}

export interface FeedSubscriber {
  /** One batch after another; a gap may lie between two of them. The next one comes when the promise has resolved. */
  onEvents(batch: EventBatch): Promise<void>;
  /**
   * The log ends before events that were sent, which no committed event does: the subscriber's knowledge may be undone.
   */
  onLogCut(): void;
}

/**
 * The state of one organization in the feed.
 * - `watched`: it has subscribers; published events are remembered and handed over in ticks.
 * - `lingering`: the last subscriber has left; published events are remembered for those that come back.
 */
interface Channel {
  readonly organizationId: number;
  readonly subscribers: Set<FeedSubscriber>;
  readonly recent: RecentEvents;
  /** Up to where subscribers have been handed what was published; undefined as long as nothing is known. */
  told: number | undefined;
  isTelling: boolean;
  /** Monotonic: when the next tick may be. */
  restsUntil: number;
  isFilling: boolean;
  /** The sequence seen at the last comparison with Postgres. */
  seenAtCheck: number | undefined;
  /** Monotonic; undefined while it is watched. */
  leftAt: number | undefined;
}

/** The way of events from and to other processes. */
export type FeedBus = Pick<EventBus, 'send' | 'listen' | 'follow' | 'readTail' | 'forgetTail' | 'onEvents'>;

export interface EventFeedOptions {
  readonly history: string;
  readonly store: LogStore;
  /** Brings what other processes commit, and takes what this one does. */
  readonly bus?: FeedBus | undefined;
  /** Whether this process commits for the organization, so that it needs no message about its commits. */
  readonly isOwned: (organizationId: number) => boolean;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/**
 * Committed events for the streams of this process. Memory first, then Redis, then Postgres. Once a second the heads are
 * compared with Postgres, so that what another process committed, or a lost hand-over, cannot hide at the tail.
 *
 * Invariant: what is in memory is committed, and follows without a gap; where something is missing it is read from the
 * log, once for all subscribers of the organization.
 */
export class EventFeed {
  readonly history: string;
  readonly #options: EventFeedOptions;
  readonly #pages: LogPages;
  readonly #heads: HeadQuestions;
  readonly #channels = new Map<number, Channel>();
  /** The channels without subscribers; the one that was left first is first. */
  readonly #lingering = new Set<Channel>();
  #recentBytes = 0;
  #isComparing = false;
  /** Postgres could not be asked the last time. */
  readonly #outage: Outage;
  readonly #cancelCheck: () => void;

  constructor(options: EventFeedOptions) {
    const { history, store, bus, clock, scheduler } = options;
    this.history = history;
    this.#options = options;
    this.#outage = createOutage(options.log, 'reading the log for streams');
    this.#pages = new LogPages({ history, store, clock, readTail: bus && ((...asked) => bus.readTail(...asked)) });
    this.#heads = new HeadQuestions(store);
    bus?.onEvents((...told) => this.#take(...told));
    this.#cancelCheck = scheduler.every(LIMITS.headCheckMs, () => {
      this.#upkeep();
      void this.compareHeads();
    });
  }

  /** Organizations of which something is remembered. */
  get size(): number {
    return this.#channels.size;
  }

  /** Starts handing over what is published from now on; the returned function ends it. */
  subscribe(organizationId: number, subscriber: FeedSubscriber): () => void {
    const channel = this.#channels.get(organizationId) ?? this.#open(organizationId);
    if (this.#lingering.delete(channel)) {
      channel.leftAt = undefined;
      channel.told = channel.recent.last;
    }
    channel.subscribers.add(subscriber);
    return () => {
      if (!channel.subscribers.delete(subscriber) || channel.subscribers.size > 0) return;
      channel.leftAt = this.#options.clock.monotonic();
      this.#lingering.add(channel);
      if (this.#lingering.size > LIMITS.lingeringFeeds) this.#forgetOldest();
    };
  }

  /** Accepts the commits of this process. */
  publish(organizationId: number, events: readonly LoggedEvent[]): void {
    this.#options.bus?.send(organizationId, events);
    this.#take(organizationId, events, events.at(-1)!.sequence);
  }

  /** The sequence up to which subscribers have events, or are getting them. */
  toldUpTo(organizationId: number): number {
    return this.#channels.get(organizationId)?.told ?? 0;
  }

  /** Events right after a sequence from memory; undefined when it does not reach back that far. */
  recentAfter(organizationId: number, after: number): readonly SharedEvent[] | undefined {
    return this.#channels.get(organizationId)?.recent.after(after);
  }

  /** The same from the log. Rejects when Postgres cannot be asked. */
  readAfter(organizationId: number, after: number): Promise<SharedPage> {
    return this.#asked(this.#pages.readAfter(organizationId, after));
  }

  /**
   * The end of the log. An owner knows it, and asks only when a later sequence is wanted: after the organization was
   * elsewhere for a while it may know less. Rejects when Postgres must be asked and cannot be.
   */
  async lastSequence(organizationId: number, wanted = 0): Promise<number> {
    const known = this.#channels.get(organizationId)?.recent.last;
    if (known !== undefined && wanted <= known && this.#options.isOwned(organizationId)) return known;
    const head = await this.#asked(this.#heads.ask(organizationId));
    const channel = this.#channels.get(organizationId);
    if (channel && channel.recent.last === undefined) startAt(channel, head);
    return head;
  }

  /** Looks for what was not published here, one comparison at a time. Never rejects. */
  async compareHeads(): Promise<void> {
    const watched = [...this.#channels.values()].filter(({ leftAt }) => leftAt === undefined);
    if (watched.length === 0 || this.#isComparing) return;
    this.#isComparing = true;
    const seenBefore = watched.map(({ recent }) => recent.last);
    try {
      const ids = watched.map(({ organizationId }) => organizationId);
      const heads = await this.#asked(this.#options.store.lastSequences(ids));
      watched.forEach((channel, index) => {
        this.#compare(channel, heads.get(channel.organizationId) ?? 0, seenBefore[index]);
      });
    } catch (error) {
      // `#asked` logged the outage when it began.
      this.#options.log.debug({ err: error }, 'stream heads could not be compared');
    }
    this.#isComparing = false;
  }

  stop(): void {
    this.#cancelCheck();
  }

  #compare(channel: Channel, head: number, seenBefore: number | undefined): void {
    const { organizationId, seenAtCheck, recent } = channel;
    if (this.#channels.get(organizationId) !== channel) return;
    // Events that were committed before the question are in the answer.
    if (seenBefore !== undefined && head < seenBefore) return this.#cut(channel, head);
    channel.seenAtCheck = recent.last;
    // An organization that moved since the last comparison is being published here; one that stands still and lags has
    // missed events.
    const isMoving = recent.last !== seenAtCheck && this.#options.isOwned(organizationId);
    if (recent.last !== undefined && head > recent.last && !isMoving) void this.#fill(channel, head);
  }

  /** Postgres has lost commits, as when a replica takes over that had not had them. */
  #cut(channel: Channel, head: number): void {
    const { organizationId, recent, subscribers } = channel;
    const { log, bus } = this.#options;
    log.error(
      { organizationId, told: recent.last, head },
      'the log ends before events that streams have: they are sent back',
    );
    this.#recentBytes -= recent.bytes;
    startAt(channel, head);
    this.#pages.forget();
    bus?.forgetTail(organizationId);
    for (const subscriber of [...subscribers]) subscriber.onLogCut();
  }

  /** Logs an outage once, and its end once, for any number of readers. */
  async #asked<T>(question: Promise<T>): Promise<T> {
    try {
      const answer = await question;
      this.#outage.worked();
      return answer;
    } catch (error) {
      this.#outage.failed(error);
      throw error;
    }
  }

  #open(organizationId: number): Channel {
    const channel: Channel = {
      organizationId,
      subscribers: new Set(),
      recent: new RecentEvents(),
      told: undefined,
      isTelling: false,
      restsUntil: 0,
      isFilling: false,
      seenAtCheck: undefined,
      leftAt: undefined,
    };
    this.#channels.set(organizationId, channel);
    const { bus, isOwned } = this.#options;
    if (bus && !isOwned(organizationId)) bus.listen(organizationId);
    return channel;
  }

  /** Events that follow each other up to `last`, or none when there were too many bytes of them to come along. */
  #take(organizationId: number, events: readonly LoggedEvent[], last: number): void {
    const channel = this.#channels.get(organizationId);
    if (!channel) return;
    const shared = events.map((event) => new SharedEvent(event, this.history));
    if (shared.length === 0 || !this.#remember(channel, shared)) void this.#fill(channel, last);
  }

  /** False when they leave a gap. */
  #remember(channel: Channel, events: readonly SharedEvent[]): boolean {
    const { recent } = channel;
    const before = recent.bytes;
    if (!recent.add(events)) return false;
    channel.told ??= events[0]!.sequence - 1;
    this.#recentBytes += recent.bytes - before;
    if (this.#recentBytes > LIMITS.recentEventBytes) this.#makeRoom();
    this.#wake(channel);
    return true;
  }

  #wake(channel: Channel): void {
    const { recent, told, isTelling, subscribers, restsUntil } = channel;
    if (isTelling || subscribers.size === 0 || recent.last === told) return;
    channel.isTelling = true;
    const { clock, scheduler } = this.#options;
    const restMs = restsUntil - clock.monotonic();
    const tell = () => {
      channel.isTelling = false;
      // Subscribers may have left and others come since, who have found in memory what is there.
      if (recent.last !== channel.told) void this.#tell(channel);
    };
    // Callers that wait for the commit get their answers first; later events of the same turn go along.
    if (restMs <= 0) scheduler.soon(tell);
    else scheduler.after(restMs, tell);
  }

  /**
   * One tick. After it others have as long as it took, and `longestStreamTickMs` at most: who has so many streams that a
   * tick takes longer has less than half of the time for other work, which gets its turns amid the tick, too.
   */
  async #tell(channel: Channel): Promise<void> {
    const { clock, log } = this.#options;
    const beganAt = clock.monotonic();
    const { recent, subscribers } = channel;
    channel.isTelling = true;
    const batch = batchAfter(recent, channel.told!);
    channel.told = batch.last;
    for (const subscriber of subscribers) {
      await subscriber.onEvents(batch).catch((error: unknown) => {
        log.error({ err: error, organizationId: channel.organizationId }, 'events could not be handed to streams');
      });
    }
    const endedAt = clock.monotonic();
    channel.restsUntil =
      endedAt + Math.min(Math.max(endedAt - beganAt, LIMITS.streamTickMs), LIMITS.longestStreamTickMs);
    channel.isTelling = false;
    this.#wake(channel);
  }

  /** Reads what was not published here, up to a sequence. Never rejects: what is not found now is missed again later. */
  async #fill(channel: Channel, upTo: number): Promise<void> {
    if (channel.leftAt !== undefined || channel.isFilling) return;
    channel.isFilling = true;
    const { organizationId, recent } = channel;
    try {
      while (recent.last! < upTo) {
        const { events, lastSequence, expired } = await this.readAfter(organizationId, recent.last!);
        if (channel.leftAt !== undefined) break;
        if (expired) this.#skipTo(channel, lastSequence);
        else if (events.length === 0 || !this.#remember(channel, events)) break;
      }
    } catch (error) {
      // `#asked` logged the outage when it began.
      this.#options.log.debug({ err: error, organizationId }, 'what streams miss could not be read');
    }
    channel.isFilling = false;
  }

  #skipTo(channel: Channel, last: number): void {
    this.#recentBytes -= channel.recent.bytes;
    channel.recent.restartAt(last);
    this.#wake(channel);
  }

  #upkeep(): void {
    const { clock, bus, isOwned } = this.#options;
    const leftBefore = clock.monotonic() - LIMITS.feedLingerMs;
    for (const channel of this.#lingering) {
      if (channel.leftAt! > leftBefore) break;
      this.#forget(channel);
    }
    this.#pages.sweep();
    bus?.follow(new Set([...this.#channels.keys()].filter((organizationId) => !isOwned(organizationId))));
  }

  #forgetOldest(): void {
    const [oldest] = this.#lingering;
    if (oldest) this.#forget(oldest);
  }

  #forget(channel: Channel): void {
    this.#recentBytes -= channel.recent.bytes;
    this.#lingering.delete(channel);
    this.#channels.delete(channel.organizationId);
  }

  /**
   * Memory is short: those go first whom nobody watches, then others lose what they remember and read the log instead,
   * in turn.
   */
  #makeRoom(): void {
    while (this.#recentBytes > LIMITS.recentEventBytes && this.#lingering.size > 0) this.#forgetOldest();
    let left = this.#channels.size;
    for (const channel of this.#channels.values()) {
      if (left === 0 || this.#recentBytes <= LIMITS.recentEventBytes) return;
      left -= 1;
      this.#channels.delete(channel.organizationId);
      this.#channels.set(channel.organizationId, channel);
      if (channel.recent.bytes > 0) this.#skipTo(channel, channel.recent.last!);
    }
  }
}

function batchAfter(recent: RecentEvents, after: number): EventBatch {
  const events = recent.after(after);
  if (!events) return { after, last: recent.last!, events: [] };
  let end = 0;
  for (let chars = 0; end < events.length; end += 1) {
    chars += events[end]!.event.body.length;
    if (end > 0 && chars > LIMITS.streamBatchChars) break;
  }
  const together = events.slice(0, end);
  return { after, last: together.at(-1)!.sequence, events: together };
}

function startAt(channel: Channel, head: number): void {
  channel.recent.restartAt(head);
  channel.told = head;
}

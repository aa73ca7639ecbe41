import { formatPosition, type LoggedEvent } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Scheduler } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { LogPage, LogStore } from '../store/log-store.ts';

/** A committed event on its way to many readers: its stream frame is encoded once, when the first one needs it. */
export class SharedEvent {
  readonly event: LoggedEvent;
  readonly #history: string;
  #frame: string | undefined;
  #subject: EventSubject | undefined;

  constructor(event: LoggedEvent, history: string) {
    this.event = event;
    this.#history = history;
  }

  /** The event in the form of a server-sent event stream. */
  get frame(): string {
    const { sequence, type, body } = this.event;
    this.#frame ??= `id: ${formatPosition(this.#history, sequence)}\nevent: ${type}\ndata: ${body}\n\n`;
    return this.#frame;
  }

  /** Read from the event once, when the first filter asks. */
  get subject(): EventSubject {
    this.#subject ??= subjectOf(this.event.body);
    return this.#subject;
  }
}

/** Whom and what an event is about; null where it is about none. */
interface EventSubject {
  readonly taskId: number | null;
  /** Whoever has the task, and whoever it was taken from. */
  readonly agentIds: readonly number[];
}

function subjectOf(body: string): EventSubject {
  const { data } = JSON.parse(body) as {
    readonly data: {
      readonly task?: { readonly id: number; readonly agentId: number | null };
      readonly agent?: { readonly id: number };
      readonly previousAgentId?: number | null;
    };
  };
  const agentIds = [data.agent?.id, data.task?.agentId, data.previousAgentId].filter((id) => id != null);
  return { taskId: data.task?.id ?? null, agentIds };
}

export interface FeedSubscriber {
  /** Committed events in order. May repeat what the subscriber has seen, and may leave a gap: both show in `sequence`. */
  onEvents(events: readonly SharedEvent[]): void;
  /** Postgres holds more than was published here: up to `lastSequence`. */
  onBehind(lastSequence: number): void;
}

interface Channel {
  readonly subscribers: Set<FeedSubscriber>;
  /** Recent events without a gap, oldest first. */
  recent: SharedEvent[];
  recentBytes: number;
  lastSequence: number | undefined;
  /** What `lastSequence` was at the last comparison with Postgres. */
  seenAtCheck: number | undefined;
}

/**
 * Committed events for the streams of this process. Memory first, Postgres for what memory no longer holds. Once a
 * second the heads are compared with Postgres, so that what another process committed, or a lost hand-over, cannot
 * hide at the tail.
 */
export class EventFeed {
  readonly history: string;
  readonly #store: LogStore;
  readonly #log: Log;
  readonly #channels = new Map<number, Channel>();
  readonly #cancelCheck: () => void;

  constructor(history: string, store: LogStore, scheduler: Scheduler, log: Log) {
    this.history = history;
    this.#store = store;
    this.#log = log;
    this.#cancelCheck = scheduler.every(LIMITS.headCheckMs, () => void this.compareHeads());
  }

  /** Starts handing over what is published from now on; the returned function ends it. */
  subscribe(organizationId: number, subscriber: FeedSubscriber): () => void {
    const channel = this.#channels.get(organizationId) ?? newChannel();
    this.#channels.set(organizationId, channel);
    channel.subscribers.add(subscriber);
    return () => {
      channel.subscribers.delete(subscriber);
      if (channel.subscribers.size === 0) this.#channels.delete(organizationId);
    };
  }

  publish(organizationId: number, events: readonly LoggedEvent[]): void {
    const channel = this.#channels.get(organizationId);
    if (!channel) return;
    const shared = events.map((event) => new SharedEvent(event, this.history));
    keepRecent(channel, shared);
    for (const subscriber of channel.subscribers) subscriber.onEvents(shared);
  }

  /** Events right after a sequence from memory; none when there are none, or when memory does not reach back that far. */
  recentAfter(organizationId: number, after: number): readonly SharedEvent[] {
    const recent = this.#channels.get(organizationId)?.recent ?? [];
    const first = recent[0]?.event.sequence;
    return first === undefined || first > after + 1 ? [] : recent.slice(after + 1 - first);
  }

  /** Events after a sequence from Postgres. */
  async readAfter(organizationId: number, after: number): Promise<Omit<LogPage, 'events'> & { events: SharedEvent[] }> {
    const page = await this.#store.readAfter(organizationId, after, LIMITS.catchUpEvents);
    return { ...page, events: page.events.map((event) => new SharedEvent(event, this.history)) };
  }

  async lastSequence(organizationId: number): Promise<number> {
    return (await this.#store.lastSequences([organizationId])).get(organizationId) ?? 0;
  }

  /** Tells subscribers what they miss. Never rejects. */
  async compareHeads(): Promise<void> {
    if (this.#channels.size === 0) return;
    try {
      const heads = await this.#store.lastSequences([...this.#channels.keys()]);
      for (const [organizationId, channel] of this.#channels) {
        const head = heads.get(organizationId) ?? 0;
        const { lastSequence, seenAtCheck } = channel;
        channel.seenAtCheck = lastSequence;
        // What moved since the last comparison is being published; what stands still and lags has been missed.
        const moving = lastSequence !== undefined && lastSequence !== seenAtCheck;
        if (moving || head <= (lastSequence ?? -1)) continue;
        for (const subscriber of channel.subscribers) subscriber.onBehind(head);
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'stream heads could not be compared');
    }
  }

  stop(): void {
    this.#cancelCheck();
  }
}

function newChannel(): Channel {
  return { subscribers: new Set(), recent: [], recentBytes: 0, lastSequence: undefined, seenAtCheck: undefined };
}

function keepRecent(channel: Channel, events: readonly SharedEvent[]): void {
  const first = events[0]!.event.sequence;
  if (channel.lastSequence !== undefined && first !== channel.lastSequence + 1) {
    channel.recent = [];
    channel.recentBytes = 0;
  }
  for (const shared of events) {
    channel.recent.push(shared);
    channel.recentBytes += shared.event.body.length;
  }
  channel.lastSequence = events.at(-1)!.event.sequence;
  let surplus = 0;
  while (
    channel.recent.length - surplus > LIMITS.recentEventsPerOrganization ||
    channel.recentBytes > LIMITS.recentEventBytesPerOrganization
  ) {
    channel.recentBytes -= channel.recent[surplus]!.event.body.length;
    surplus += 1;
  }
  if (surplus > 0) channel.recent = channel.recent.slice(surplus);
}

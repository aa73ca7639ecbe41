import type { LoggedEvent } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { type EventTailStore, parseBareSequence, parseEventLine } from '../store/log/event-tail-store.ts';
import type { Redis } from '../store/redis.ts';
import type { RedisKeys } from '../store/redis-keys.ts';

export interface EventBusOptions {
  readonly tail: EventTailStore;
  /** For commands; fails while Redis is away. */
  readonly redis: Pick<Redis, 'publish'>;
  /** A connection of its own, that waits for Redis and subscribes again when it is back. */
  readonly subscriber: Pick<Redis, 'on' | 'subscribe' | 'unsubscribe'>;
  readonly keys: Pick<RedisKeys, 'listening' | 'events'>;
  /** No other process has it. */
  readonly processId: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** `last` is the sequence of the newest of the events, or of one that was not sent: then there are none. */
type Listener = (organizationId: number, events: readonly LoggedEvent[], last: number) => void;

/** Committed events that wait until those before them are in Redis. */
interface Outbox {
  events: LoggedEvent[];
}

/**
 * Carries committed events to other processes. A process with streams of an organization that another process owns
 * announces that once a second; the owner sends its commits as long as it hears that, and otherwise nothing. Everything
 * here may be lost, come twice or late: the receiver has the sequences to check, and the log to read.
 */
export class EventBus {
  readonly #options: EventBusOptions;
  /** Organizations that other processes listen to, with the monotonic time until which that holds. */
  readonly #wanted = new Map<number, number>();
  readonly #outboxes = new Map<number, Outbox>();
  #queuedChars = 0;
  /** Organizations that this process listens to, by their channels. */
  readonly #listening = new Map<string, number>();
  #listener: Listener = () => {};
  #tailAwayUntil = 0;

  constructor(options: EventBusOptions) {
    const { subscriber, keys } = options;
    this.#options = options;
    subscriber.on('message', (channel: string, message: string) => this.#onMessage(channel, message));
    this.#subscribe(keys.listening);
  }

  /** Called with the commits of other processes: events in order, without a gap between them. */
  onEvents(listener: Listener): void {
    this.#listener = listener;
  }

  /** Sends committed events, if another process listens. Never waits and never throws. */
  send(organizationId: number, events: readonly LoggedEvent[]): void {
    if (this.#wanted.size === 0) return;
    const until = this.#wanted.get(organizationId);
    if (until === undefined || until < this.#options.clock.monotonic()) return;
    let chars = 0;
    for (const { body } of events) chars += body.length;
    // A hole at the other side, which reads the log.
    if (this.#queuedChars + chars > LIMITS.eventBusChars) return;
    this.#queuedChars += chars;
    const outbox = this.#outboxes.get(organizationId);
    if (outbox) outbox.events.push(...events);
    else void this.#handOver(organizationId, events);
  }

  /** Receives other processes' commits of an organization, from soon on. */
  listen(organizationId: number): void {
    const channel = this.#options.keys.events(organizationId);
    if (this.#listening.has(channel)) return;
    this.#listening.set(channel, organizationId);
    this.#subscribe(channel);
    this.#announce([organizationId]);
  }

  /** Announces the organizations that this process listens to, and stops listening to others. Call it once a second. */
  follow(organizationIds: ReadonlySet<number>): void {
    for (const [channel, organizationId] of this.#listening) {
      if (organizationIds.has(organizationId)) continue;
      this.#listening.delete(channel);
      this.#options.subscriber.unsubscribe(channel).catch((error) => this.#warn(error));
    }
    for (const organizationId of organizationIds) this.listen(organizationId);
    const all = [...organizationIds];
    for (let at = 0; at < all.length; at += LIMITS.organizationsPerAnnouncement)
      this.#announce(all.slice(at, at + LIMITS.organizationsPerAnnouncement));
    const now = this.#options.clock.monotonic();
    for (const [organizationId, until] of this.#wanted) if (until < now) this.#wanted.delete(organizationId);
  }

  /** Events after a sequence that Redis holds, perhaps with holes. Never rejects: none while Redis is away. */
  async readTail(organizationId: number, after: number, limit: number): Promise<LoggedEvent[]> {
    const { clock, tail } = this.#options;
    if (clock.monotonic() < this.#tailAwayUntil) return [];
    try {
      return await tail.readAfter(organizationId, after, limit);
    } catch (error) {
      this.#tailAwayUntil = clock.monotonic() + LIMITS.eventTailRetryMs;
      this.#warn(error);
      return [];
    }
  }

  /** Empties the tail so far. Never waits and never throws. */
  forgetTail(organizationId: number): void {
    this.#options.tail.forget(organizationId).catch((error) => this.#warn(error));
  }

  async #handOver(organizationId: number, first: readonly LoggedEvent[]): Promise<void> {
    const outbox: Outbox = { events: [...first] };
    this.#outboxes.set(organizationId, outbox);
    while (outbox.events.length > 0) {
      const { events } = outbox;
      outbox.events = [];
      try {
        await this.#options.tail.append(organizationId, events);
      } catch (error) {
        this.#warn(error);
      }
      for (const { body } of events) this.#queuedChars -= body.length;
    }
    this.#outboxes.delete(organizationId);
  }

  #announce(organizationIds: readonly number[]): void {
    const { redis, keys, processId } = this.#options;
    redis.publish(keys.listening, `${processId} ${organizationIds.join(',')}`).catch((error) => this.#warn(error));
  }

  #subscribe(channel: string): void {
    this.#options.subscriber.subscribe(channel).catch((error) => this.#warn(error));
  }

  #onMessage(channel: string, message: string): void {
    if (channel === this.#options.keys.listening) return this.#onAnnouncement(message);
    const organizationId = this.#listening.get(channel);
    if (organizationId === undefined) return;
    const lines = message.split('\n');
    const events = lines.flatMap((line) => parseEventLine(organizationId, line) ?? []);
    let start = 0;
    for (let at = 1; at <= events.length; at += 1) {
      if (events[at]?.sequence === events[at - 1]!.sequence + 1) continue;
      this.#listener(organizationId, events.slice(start, at), events[at - 1]!.sequence);
      start = at;
    }
    // One amid others is a hole before the next.
    const last = parseBareSequence(lines.at(-1)!);
    if (last !== undefined) this.#listener(organizationId, [], last);
  }

  #onAnnouncement(message: string): void {
    const [processId, organizationIds = ''] = message.split(' ');
    if (processId === this.#options.processId) return;
    const until = this.#options.clock.monotonic() + LIMITS.announcementMs;
    for (const text of organizationIds.split(',')) {
      const organizationId = Number(text);
      if (!Number.isSafeInteger(organizationId)) continue;
      if (this.#wanted.has(organizationId) || this.#wanted.size < LIMITS.announcedOrganizations)
        this.#wanted.set(organizationId, until);
    }
  }

  /** The log has the lost events, and the connection's own error event reports that Redis is away. */
  #warn(error: unknown): void {
    this.#options.log.debug({ err: error }, 'events could not be exchanged with other processes');
  }
}

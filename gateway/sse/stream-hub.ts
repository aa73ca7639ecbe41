import type { EventFeed } from '../../engine/org/event-feed.ts';
import type { Positions } from '../../engine/positions/positions.ts';
import type { Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { StreamEventsQuery } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Headers, Reply } from '../http/port.ts';
import type { Identity } from '../route.ts';
import type { LastingReplies } from './lasting-replies.ts';
import { OrganizationStream, type StreamOptions, wantsPositions } from './organization-stream.ts';

export interface StreamHubOptions {
  readonly feed: EventFeed;
  readonly positions: Pick<Positions, 'subscribe' | 'hasRoom'>;
  readonly replies: LastingReplies;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** All open streams of the process: their bounds, their heartbeat, their end. */
export class StreamHub {
  readonly #feed: EventFeed;
  readonly #positions: Pick<Positions, 'subscribe' | 'hasRoom'>;
  readonly #log: Log;
  readonly #replies: LastingReplies;
  readonly #streams = new Set<OrganizationStream>();
  readonly #countByOrganization = new Map<number, number>();
  readonly #cancelHeartbeat: () => void;

  constructor({ feed, positions, replies, scheduler, log }: StreamHubOptions) {
    this.#feed = feed;
    this.#positions = positions;
    this.#replies = replies;
    this.#log = log;
    this.#cancelHeartbeat = scheduler.every(LIMITS.heartbeatMs, () => {
      for (const stream of this.#streams) stream.heartbeat();
    });
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Whether one more stream of the organization, which asks for this, is within the bounds. */
  hasRoom(organizationId: number, query: StreamEventsQuery): boolean {
    const own = this.#countByOrganization.get(organizationId) ?? 0;
    const isWithin = this.#streams.size < LIMITS.streamsPerProcess && own < LIMITS.streamsPerOrganization;
    return isWithin && (!wantsPositions(query) || this.#positions.hasRoom(organizationId, query));
  }

  /** To be called in the turn in which the caller was let in: later changes of its access close the stream. */
  open(
    identity: Identity,
    reply: Reply,
    request: Pick<StreamOptions, 'query' | 'lastEventId'> & { readonly replyHeaders: Headers },
  ): void {
    const stream = reply.openStream(200, [
      ['Content-Type', 'text/event-stream; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ['X-Accel-Buffering', 'no'],
      ...request.replyHeaders,
    ]);
    const { organizationId } = identity;
    this.#count(organizationId, 1);
    const release = this.#replies.hold(identity, () => opened.close());
    const { query, lastEventId } = request;
    const opened: OrganizationStream = new OrganizationStream({
      feed: this.#feed,
      positions: this.#positions,
      log: this.#log,
      organizationId,
      stream,
      query,
      lastEventId,
      onEnd: () => {
        release();
        this.#streams.delete(opened);
        this.#count(organizationId, -1);
      },
    });
    this.#streams.add(opened);
    void opened.start();
  }

  /** Sends every client elsewhere. */
  stop(): void {
    this.#cancelHeartbeat();
    for (const stream of [...this.#streams]) stream.reconnect();
  }

  #count(organizationId: number, by: number): void {
    const count = (this.#countByOrganization.get(organizationId) ?? 0) + by;
    if (count === 0) this.#countByOrganization.delete(organizationId);
    else this.#countByOrganization.set(organizationId, count);
  }
}

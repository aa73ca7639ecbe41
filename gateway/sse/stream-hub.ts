import type { EventFeed } from '../../engine/org/event-feed.ts';
import type { Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Headers, Reply } from '../http/port.ts';
import { OrganizationStream, type StreamOptions } from './organization-stream.ts';

/** All open streams of the process: their bounds, their heartbeat, their end. */
export class StreamHub {
  readonly #feed: EventFeed;
  readonly #log: Log;
  readonly #streams = new Set<OrganizationStream>();
  readonly #countByOrganization = new Map<number, number>();
  readonly #cancelTimers: readonly (() => void)[];

  constructor(feed: EventFeed, scheduler: Scheduler, log: Log) {
    this.#feed = feed;
    this.#log = log;
    this.#cancelTimers = [
      scheduler.every(LIMITS.heartbeatMs, () => {
        for (const stream of this.#streams) stream.heartbeat();
      }),
      scheduler.every(LIMITS.streamRecheckMs, () => {
        for (const stream of this.#streams) void stream.recheck();
      }),
    ];
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Whether one more stream of the organization is within the bounds. */
  hasRoom(organizationId: number): boolean {
    const own = this.#countByOrganization.get(organizationId) ?? 0;
    return this.#streams.size < LIMITS.streamsPerProcess && own < LIMITS.streamsPerOrganization;
  }

  open(
    organizationId: number,
    reply: Reply,
    request: Pick<StreamOptions, 'query' | 'lastEventId' | 'isAllowed'> & { readonly replyHeaders: Headers },
  ): void {
    const stream = reply.openStream(200, [
      ['Content-Type', 'text/event-stream; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ['X-Accel-Buffering', 'no'],
      ...request.replyHeaders,
    ]);
    this.#count(organizationId, 1);
    const { query, lastEventId, isAllowed } = request;
    const opened: OrganizationStream = new OrganizationStream({
      feed: this.#feed,
      log: this.#log,
      organizationId,
      stream,
      query,
      lastEventId,
      isAllowed,
      onEnd: () => {
        this.#streams.delete(opened);
        this.#count(organizationId, -1);
      },
    });
    this.#streams.add(opened);
    void opened.start();
  }

  /** Sends every client elsewhere. */
  stop(): void {
    for (const cancel of this.#cancelTimers) cancel();
    for (const stream of [...this.#streams]) stream.reconnect();
  }

  #count(organizationId: number, by: number): void {
    const count = (this.#countByOrganization.get(organizationId) ?? 0) + by;
    if (count === 0) this.#countByOrganization.delete(organizationId);
    else this.#countByOrganization.set(organizationId, count);
  }
}

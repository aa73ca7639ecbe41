import type { EventFeed, SharedEvent } from '../../engine/org/event-feed.ts';
import type { Positions } from '../../engine/positions/positions.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { formatPosition, parsePosition, type StreamEventsQuery } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ReplyStream } from '../http/port.ts';

/** Why a stream goes on from another place than it was asked to; told in `stream.resync`. */
type ResyncReason = 'history_changed' | 'position_unknown' | 'events_expired';

export interface StreamOptions {
  readonly feed: EventFeed;
  readonly positions: Pick<Positions, 'subscribe'>;
  readonly log: Log;
  readonly organizationId: number;
  readonly stream: ReplyStream;
  readonly query: StreamEventsQuery;
  /** What the client saw last: a header or a parameter, as it came. */
  readonly lastEventId: string | undefined;
  readonly onEnd: () => void;
}

/**
 * One client's view of an organization's log.
 *
 * - `starting`: finding the place to go on from; live events are ignored, the log has them.
 * - `catching-up`: reading the log from memory or Postgres up to what is live.
 * - `live`: handing over what is published, while it follows what was sent without a gap.
 * - `ended`.
 *
 * Invariant: events leave in the order of their sequence, each once; a gap in what was published leads back to
 * `catching-up`, and one that cannot be filled is told by `stream.resync`.
 */
export class OrganizationStream {
  readonly #options: StreamOptions;
  #phase: 'starting' | 'catching-up' | 'live' | 'ended' = 'starting';
  #sent = 0;
  readonly #unsubscribe: () => void;
  readonly #unsubscribePositions: () => void;

  constructor(options: StreamOptions) {
    this.#options = options;
    const { feed, organizationId, stream } = options;
    this.#unsubscribe = feed.subscribe(organizationId, {
      onEvents: (events) => this.#onEvents(events),
      onBehind: (lastSequence) => this.#onBehind(lastSequence),
    });
    this.#unsubscribePositions = this.#watchPositions();
    stream.onClose(() => this.#end());
  }

  /** Where agents are is not in the log: it is told as it is by then, and only to who takes it. */
  #watchPositions(): () => void {
    const { positions, organizationId, stream, query } = this.#options;
    const { bbox, agentIds, taskIds } = query;
    if (!wantsPositions(query)) return () => {};
    return positions.subscribe(
      organizationId,
      { bbox, agentIds, taskIds },
      {
        isReady: () => this.#phase === 'live' && stream.isIdle,
        onFrame: (frame) => stream.writeShared(frame),
      },
    );
  }

  /** Finds the place to start from, says so, and goes live. Never rejects. */
  async start(): Promise<void> {
    try {
      const { feed, organizationId, lastEventId } = this.#options;
      const head = await feed.lastSequence(organizationId);
      if (this.#phase === 'ended') return;
      const wanted = lastEventId === undefined || lastEventId === '' ? undefined : parsePosition(lastEventId);
      const reason = lastEventId ? this.#obstacle(wanted, head) : undefined;
      this.#sent = wanted && !reason ? wanted.sequence : head;
      this.#control('stream.ready', { history: feed.history, position: this.#position() });
      if (reason) this.#control('stream.resync', { reason, position: this.#position() });
      await this.#catchUp();
    } catch (error) {
      this.#fail(error);
    }
  }

  heartbeat(): void {
    this.#options.stream.write(': heartbeat\n\n');
  }

  /** Ends the stream: what its caller's access rests on has changed, and who comes back is asked anew. */
  close(): void {
    this.#options.stream.close();
  }

  /** Tells the client to come back soon, here or elsewhere, and ends. */
  reconnect(): void {
    this.#options.stream.write('retry: 1000\nevent: stream.reconnect\ndata: {}\n\n');
    this.#options.stream.close();
  }

  #obstacle(wanted: ReturnType<typeof parsePosition>, head: number): ResyncReason | undefined {
    if (!wanted) return 'position_unknown';
    if (wanted.history !== this.#options.feed.history) return 'history_changed';
    return wanted.sequence > head ? 'position_unknown' : undefined;
  }

  #onEvents(events: readonly SharedEvent[]): void {
    if (this.#phase !== 'live') return;
    const first = events[0]!.event.sequence;
    if (first > this.#sent + 1) {
      void this.#catchUp();
      return;
    }
    this.#deliver(events);
  }

  #onBehind(lastSequence: number): void {
    if (this.#phase === 'live' && lastSequence > this.#sent) void this.#catchUp();
  }

  /** Hands over what the log has beyond what was sent, until nothing more was published meanwhile. */
  async #catchUp(): Promise<void> {
    this.#phase = 'catching-up';
    const { feed, organizationId } = this.#options;
    try {
      for (;;) {
        const recent = feed.recentAfter(organizationId, this.#sent);
        if (recent.length > 0) {
          this.#deliver(recent);
          break;
        }
        const page = await feed.readAfter(organizationId, this.#sent);
        if (this.#isEnded()) return;
        if (page.expired) {
          this.#sent = page.lastSequence;
          this.#control('stream.resync', {
            reason: 'events_expired' satisfies ResyncReason,
            position: this.#position(),
          });
        } else {
          this.#deliver(page.events);
        }
        // What was published while Postgres was read is in memory now, if anything was.
        if (page.events.length < LIMITS.catchUpEvents && feed.recentAfter(organizationId, this.#sent).length === 0)
          break;
      }
      if (!this.#isEnded()) this.#phase = 'live';
    } catch (error) {
      this.#fail(error);
    }
  }

  #deliver(events: readonly SharedEvent[]): void {
    const { types, taskIds, agentIds } = this.#options.query;
    let frames = '';
    for (const shared of events) {
      const { sequence, type } = shared.event;
      if (sequence <= this.#sent) continue;
      this.#sent = sequence;
      if (types && !types.includes(type)) continue;
      if (taskIds && !taskIds.includes(shared.subject.taskId ?? 0)) continue;
      if (agentIds && !shared.subject.agentIds.some((id) => agentIds.includes(id))) continue;
      frames += shared.frame;
    }
    if (frames !== '') this.#options.stream.write(frames);
  }

  #control(event: string, data: object): void {
    this.#options.stream.write(`id: ${this.#position()}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #position(): string {
    return formatPosition(this.#options.feed.history, this.#sent);
  }

  #isEnded(): boolean {
    return this.#phase === 'ended';
  }

  /** A stream that cannot go on ends; the client resumes from what it saw last. */
  #fail(error: unknown): void {
    if (this.#phase === 'ended') return;
    this.#options.log.warn({ err: error, organizationId: this.#options.organizationId }, 'a stream could not go on');
    this.#options.stream.close();
  }

  #end(): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    this.#unsubscribe();
    this.#unsubscribePositions();
    this.#options.onEnd();
  }
}

export function wantsPositions({ types }: StreamEventsQuery): boolean {
  return !types || types.includes('agent.locations_updated');
}

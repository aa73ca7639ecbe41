import type { EventBatch, EventFeed } from '../../engine/org/feed/event-feed.ts';
import type { SharedEvent } from '../../engine/org/feed/shared-event.ts';
import type { Positions } from '../../engine/positions/positions.ts';
import { type Clock, isoTime } from '../../engine/runtime/clock.ts';
import { DeadlineError } from '../../engine/runtime/deadline.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { Turns } from '../../engine/runtime/turns.ts';
import { isStoreAway } from '../../engine/store/postgres.ts';
import { formatPosition, parsePosition, type StreamEventsQuery } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import { API_VERSION } from '../../schema/version.ts';
import type { ReplyStream, StreamEnd } from '../http/port.ts';
import type { Audiences, Membership } from './audience.ts';
import { createEventFilter, type Hearer } from './event-filter.ts';
import type { Piece } from './shared-pieces.ts';
import type { ResyncReason, StreamCounts } from './stream-counts.ts';

export interface StreamOptions {
  readonly feed: Pick<EventFeed, 'history' | 'lastSequence' | 'toldUpTo' | 'recentAfter' | 'readAfter'>;
  readonly audiences: Audiences;
  /** Shared by all who catch up. */
  readonly turns: Turns;
  readonly positions: Pick<Positions, 'subscribe'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Which it tells its client; the hub keeps it. */
  readonly heartbeatMs: number;
  readonly organizationId: number;
  readonly stream: ReplyStream;
  readonly counts: StreamCounts;
  readonly query: StreamEventsQuery & Hearer;
  /** The client's last event: a header or a parameter, as it came. */
  readonly lastEventId: string | undefined;
  readonly onEnd: () => void;
}

/**
 * One client's view of an organization's log.
 * - `starting`: finding the place to go on from; live events are ignored, the log has them.
 * - `catching-up`: reading the log up to the place of live streams, piece by piece as the client takes it; live events
 * are ignored.
 * - `live`: handing over its audience's events, while they follow the sent ones without a gap.
 * - `ended`.
 * Invariant: events leave in the order of their sequence, each once; a published gap leads back to `catching-up`, and
 * one that cannot be filled is a `stream.resync`.
 */
export class OrganizationStream {
  readonly #options: StreamOptions;
  readonly #membership: Membership;
  readonly #unsubscribePositions: () => void;
  #phase: 'starting' | 'catching-up' | 'live' | 'ended' = 'starting';
  #sent = 0;
  /** Up to here the client has an id to resume from: nothing that it wants lies between that and this. */
  #named = 0;

  constructor(options: StreamOptions) {
    this.#options = options;
    const { audiences, organizationId, query } = options;
    this.#membership = audiences.join(organizationId, createEventFilter(query), this);
    this.#unsubscribePositions = this.#watchPositions();
  }

  /** Positions are not in the log: they are sent as they are at the moment, and only to clients that take them. */
  #watchPositions(): () => void {
    const { positions, organizationId, stream, query } = this.#options;
    const { bbox, agentIds, taskIds } = query;
    if (!wantsPositions(query)) return () => {};
    return positions.subscribe(
      organizationId,
      { bbox, agentIds, taskIds },
      {
        isReady: () => this.#phase === 'live' && stream.isIdle,
        onFrame: (pieces) => stream.writeShared(...pieces),
      },
    );
  }

  /** Finds the place to start from, says so, and goes live; ends at once when the client has left. Never rejects. */
  async start(): Promise<void> {
    const { feed, organizationId, lastEventId, stream, counts } = this.#options;
    stream.onClose((end) => this.#end(end));
    if (this.#isEnded()) return;
    try {
      const wanted = lastEventId ? parsePosition(lastEventId) : undefined;
      const isOurs = wanted?.history === feed.history;
      const head = await feed.lastSequence(organizationId, isOurs ? wanted.sequence : 0);
      if (this.#isEnded()) return;
      const reason = lastEventId ? this.#obstacle(wanted, head) : undefined;
      this.#sent = wanted && !reason ? wanted.sequence : head;
      const ready = this.#ready();
      // A client that is cut off in between has not accepted the new place, and gets it again.
      if (reason) this.#options.stream.write(frameOf('stream.ready', ready));
      else this.#control('stream.ready', ready);
      if (reason) this.#resync(reason);
      else if (wanted) counts.resumed += 1;
      await this.#catchUp(head);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The first message: where the stream begins, and how a client finds out that the gateway is silent. */
  #ready() {
    const { feed, organizationId, clock, heartbeatMs } = this.#options;
    return {
      history: feed.history,
      position: this.#position(),
      organizationId,
      serverTime: isoTime(clock.now()),
      version: API_VERSION,
      heartbeatMs,
      reconnectAfterMs: 2 * heartbeatMs + LIMITS.streamSilenceMarginMs,
    };
  }

  /** Tells the client how far it has come, too: an id without data is an event for nobody, and a place to resume from. */
  heartbeat(): void {
    this.#options.stream.write(`: heartbeat\n${this.#newId()}\n`);
  }

  /**
   * Ends the stream now: its caller's access has changed, and a client that comes back is checked again. The queue of a
   * slow client is not sent any more.
   */
  close(): void {
    const { stream } = this.#options;
    if (stream.isIdle) stream.close();
    else stream.abort();
  }

  /** Tells the client to come back after that time, here or elsewhere, and ends. */
  reconnect(afterMs: number): void {
    this.#options.stream.write(`${this.#newId()}retry: ${afterMs}\n${frameOf('stream.reconnect', {})}`);
    this.#options.stream.close();
  }

  /** The log is shorter than the client's knowledge of it: it resumes, and gets a resync. */
  onLogCut(): void {
    this.close();
  }

  /** The events of its audience. */
  onBatch({ after, last, events }: EventBatch, frames: Buffer | undefined): void {
    if (this.#phase !== 'live' || last <= this.#sent) return;
    const { stream } = this.#options;
    const isWhole = this.#sent === after && events.length > 0;
    const isLarge = frames !== undefined && frames.length > LIMITS.streamQueueBytes;
    if (isWhole && (!isLarge || stream.isIdle)) this.#hand({ upTo: last, bytes: frames });
    else void this.#catchUp(last);
  }

  #obstacle(wanted: ReturnType<typeof parsePosition>, head: number): ResyncReason | undefined {
    if (!wanted) return 'position_unknown';
    if (wanted.history !== this.#options.feed.history) return 'history_changed';
    return wanted.sequence > head ? 'position_unknown' : undefined;
  }

  /** Hands over what the log has beyond what was sent, at least up to a sequence, and goes live. Never rejects. */
  async #catchUp(upTo: number): Promise<void> {
    this.#phase = 'catching-up';
    const { feed, organizationId } = this.#options;
    try {
      for (let attempts = 0; !this.#isEnded(); ) {
        // Not to what is newest: who is where all others are gets what they get.
        const target = Math.max(upTo, feed.toldUpTo(organizationId));
        if (this.#sent >= target) {
          this.#phase = 'live';
          return;
        }
        const recent = feed.recentAfter(organizationId, this.#sent);
        if (recent && recent.length > 0) {
          await this.#handOver(recent, target);
          continue;
        }
        const page = await feed.readAfter(organizationId, this.#sent);
        if (this.#isEnded()) return;
        if (page.expired) {
          this.#sent = page.lastSequence;
          this.#resync('events_expired');
        } else if (page.events.length > 0) {
          attempts = 0;
          await this.#handOver(page.events, target);
        } else if (attempts++ > 0) {
          // The first page may have been on its way before the event was committed, the second one cannot.
          throw new Error(`the log ends at ${this.#sent}, before ${target}`);
        }
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Hands over the events that follow what was sent, piece by piece. Leaves when it had to wait for the client: who is
   * slow holds on to no events, and asks for them again. Never resolves when the client leaves meanwhile.
   */
  async #handOver(events: readonly SharedEvent[], target: number): Promise<void> {
    const { stream, turns } = this.#options;
    const first = events[0]!.sequence;
    const last = Math.min(events.at(-1)!.sequence, target);
    while (this.#sent < last) {
      if (!stream.isIdle) return new Promise((resolve) => stream.onIdle(resolve));
      const turn = turns.next();
      if (turn) await turn;
      if (this.#isEnded()) return;
      // Where agents are may have been written meanwhile.
      if (stream.isIdle) this.#hand(this.#membership.pieceOf(events, this.#sent + 1 - first, last));
    }
  }

  /** Sent means written: an id is true at any moment. */
  #hand({ upTo, bytes }: Piece): void {
    this.#sent = upTo;
    if (!bytes) return;
    this.#named = upTo;
    const { stream } = this.#options;
    // A single event may be larger than a queue may be: it is the only one, and bounded in time.
    if (bytes.length > LIMITS.streamQueueBytes) stream.writeShared(bytes);
    else stream.write(bytes);
  }

  #resync(reason: ResyncReason): void {
    this.#options.counts.resynced[reason] += 1;
    this.#control('stream.resync', { reason, position: this.#position() });
  }

  #control(event: string, data: object): void {
    this.#named = this.#sent;
    this.#options.stream.write(`id: ${this.#position()}\n${frameOf(event, data)}`);
  }

  /** A line with the id of what was sent last, if the client does not know it. */
  #newId(): string {
    if (this.#phase === 'starting' || this.#named === this.#sent) return '';
    this.#named = this.#sent;
    return `id: ${this.#position()}\n`;
  }

  #position(): string {
    return formatPosition(this.#options.feed.history, this.#sent);
  }

  #isEnded(): boolean {
    return this.#phase === 'ended';
  }

  /** A stream that cannot go on ends; the client resumes from what it saw last. */
  #fail(error: unknown): void {
    if (this.#isEnded()) return;
    const { log, organizationId, stream } = this.#options;
    // The feed reports a store that is away, once for all streams.
    const level = isStoreAway(error) || error instanceof DeadlineError ? 'debug' : 'warn';
    log[level]({ err: error, organizationId }, 'a stream could not go on');
    stream.close();
  }

  #end(end: StreamEnd): void {
    if (this.#isEnded()) return;
    if (end === 'slow') this.#options.counts.cutOff += 1;
    this.#phase = 'ended';
    this.#membership.leave();
    this.#unsubscribePositions();
    this.#options.onEnd();
  }
}

function frameOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function wantsPositions({ types }: Pick<StreamEventsQuery, 'types'>): boolean {
  return !types || types.includes('agent.locations_updated');
}

import type { EventFeed } from '../../engine/org/feed/event-feed.ts';
import type { Positions } from '../../engine/positions/positions.ts';
import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { RandomSource } from '../../engine/runtime/random.ts';
import { Turns } from '../../engine/runtime/turns.ts';
import { type Refusal, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Headers, Reply } from '../http/port.ts';
import type { Identity } from '../route.ts';
import { Audiences } from './audience.ts';
import type { LastingReplies } from './lasting-replies.ts';
import { OrganizationStream, type StreamOptions } from './organization-stream.ts';
import { noStreams } from './stream-counts.ts';

export interface StreamHubOptions {
  readonly feed: EventFeed;
  readonly positions: Pick<Positions, 'subscribe'>;
  readonly replies: LastingReplies;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly log: Log;
  readonly heartbeatMs: number;
}

/** All open streams of the process: their bounds, their heartbeat, their end. */
export class StreamHub {
  readonly #options: StreamHubOptions;
  /** Live streams have turns of their own, so that what happens now does not wait behind thousands who read what was. */
  readonly #liveTurns: Turns;
  readonly #catchUpTurns: Turns;
  readonly #audiences: Audiences;
  readonly #streams = new Set<OrganizationStream>();
  readonly counts = noStreams();
  /** How many streams are open, by the key of their bound. */
  readonly #counts = new Map<string, number>();
  readonly #cancelHeartbeat: () => void;
  #isStopping = false;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    const { feed, clock, scheduler, heartbeatMs } = options;
    this.#liveTurns = new Turns(clock, scheduler);
    this.#catchUpTurns = new Turns(clock, scheduler);
    this.#audiences = new Audiences(feed, this.#liveTurns);
    this.#cancelHeartbeat = scheduler.every(heartbeatMs, () => void this.#beat());
  }

  get size(): number {
    return this.#streams.size;
  }

  /**
   * Why one more stream is out of bounds: RATE_LIMITED for the caller's own and its organization's,
   * which closing a stream helps, OVERLOADED for the process's and while it stops, which another process may take.
   */
  refusalOf(identity: Identity): Refusal | undefined {
    if (this.#isStopping || this.#streams.size >= LIMITS.streamsPerProcess) return refusal('OVERLOADED');
    for (const { key, most, whose } of boundsOf(identity)) {
      if ((this.#counts.get(key) ?? 0) < most) continue;
      const details = { retryAfterSeconds: LIMITS.streamRefusedSeconds };
      return refusal('RATE_LIMITED', `The ${whose} has as many streams as it may have`, details);
    }
    return undefined;
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
    const { feed, positions, clock, log, replies, heartbeatMs } = this.#options;
    this.#count(identity, 1);
    const release = replies.hold(identity, () => opened.close());
    const { query, lastEventId } = request;
    const opened: OrganizationStream = new OrganizationStream({
      feed,
      audiences: this.#audiences,
      turns: this.#catchUpTurns,
      positions,
      clock,
      log,
      heartbeatMs,
      organizationId: identity.organizationId,
      stream,
      counts: this.counts,
      query,
      lastEventId,
      onEnd: () => {
        release();
        this.#streams.delete(opened);
        this.#count(identity, -1);
      },
    });
    this.#streams.add(opened);
    this.counts.opened += 1;
    void opened.start();
  }

  /** Sends every client elsewhere, and lets in no other. */
  stop(): void {
    this.#isStopping = true;
    this.#cancelHeartbeat();
    for (const stream of [...this.#streams]) stream.reconnect(this.#reconnectMs());
  }

  async #beat(): Promise<void> {
    for (const stream of this.#streams) {
      const turn = this.#liveTurns.next();
      if (turn) await turn;
      stream.heartbeat();
    }
  }

  #reconnectMs(): number {
    const { firstReconnectMs: first, lastReconnectMs: last } = LIMITS;
    const share = Number.parseInt(this.#options.random.text(4, '0123456789abcdef'), 16) / 0xffff;
    return first + Math.round((last - first) * share);
  }

  #count(identity: Identity, by: number): void {
    for (const { key } of boundsOf(identity)) {
      const count = (this.#counts.get(key) ?? 0) + by;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
    }
  }
}

function boundsOf({ organizationId, caller: { type, id } }: Identity) {
  const isChannel = type === 'channel';
  return [
    { key: `organization ${organizationId}`, most: LIMITS.streamsPerOrganization, whose: 'organization' },
    {
      key: `${type} ${id}`,
      most: isChannel ? LIMITS.streamsPerChannel : LIMITS.streamsPerUser,
      whose: isChannel ? 'channel' : 'user',
    },
  ];
}

import type { EventBatch, EventFeed, FeedSubscriber } from '../../engine/org/feed/event-feed.ts';
import type { SharedEvent } from '../../engine/org/feed/shared-event.ts';
import type { Turns } from '../../engine/runtime/turns.ts';
import type { EventFilter } from './event-filter.ts';
import { cutPiece, type Piece, SharedPieces } from './shared-pieces.ts';

export interface AudienceMember {
  /** The published events, and those that the audience wants as bytes of a stream, if any. */
  onBatch(batch: EventBatch, frames: Buffer | undefined): void;
  /** See FeedSubscriber. */
  onLogCut(): void;
}

/** One stream's place in an audience. */
export interface Membership {
  /** The next piece of the log for it: of these events, which follow each other, from a place on and none after `last`. */
  pieceOf(events: readonly SharedEvent[], at: number, last: number): Piece;
  leave(): void;
}

/** Streams of one organization that asked for the same: what is published is picked, joined and encoded once for all. */
class Audience implements FeedSubscriber {
  readonly #id: number;
  readonly #filter: EventFilter;
  readonly #turns: Turns;
  readonly #pieces: SharedPieces;
  readonly #members = new Set<AudienceMember>();

  /** `id` is never given again: an organization's log may become another one. */
  constructor(id: number, filter: EventFilter, turns: Turns, pieces: SharedPieces) {
    this.#id = id;
    this.#filter = filter;
    this.#turns = turns;
    this.#pieces = pieces;
  }

  get size(): number {
    return this.#members.size;
  }

  add(member: AudienceMember): void {
    this.#members.add(member);
  }

  remove(member: AudienceMember): void {
    this.#members.delete(member);
  }

  /** In steps: a batch for thousands of streams, or of audiences, would keep everybody else waiting. */
  async onEvents(batch: EventBatch): Promise<void> {
    await this.#turns.next();
    let text = '';
    for (const shared of batch.events) if (this.#filter.wants(shared)) text += this.#filter.frameOf(shared);
    const frames = text === '' ? undefined : Buffer.from(text);
    for (const member of this.#members) {
      const turn = this.#turns.next();
      if (turn) await turn;
      member.onBatch(batch, frames);
    }
  }

  onLogCut(): void {
    for (const member of [...this.#members]) member.onLogCut();
  }

  pieceOf(events: readonly SharedEvent[], at: number, last: number): Piece {
    const key = `${this.#id} ${events[at]!.sequence}`;
    const known = this.#pieces.find(key);
    if (known) return known;
    const piece = cutPiece(this.#filter, events, at, last);
    if (this.#members.size > 1) this.#pieces.keep(key, piece);
    return piece;
  }
}

interface OpenAudience {
  readonly audience: Audience;
  readonly close: () => void;
}

/** The audiences of the process, by organization and what they asked for; each exists as long as somebody is in it. */
export class Audiences {
  readonly #feed: Pick<EventFeed, 'subscribe'>;
  readonly #turns: Turns;
  readonly #pieces = new SharedPieces();
  readonly #open = new Map<string, OpenAudience>();
  #lastId = 0;

  constructor(feed: Pick<EventFeed, 'subscribe'>, turns: Turns) {
    this.#feed = feed;
    this.#turns = turns;
  }

  join(organizationId: number, filter: EventFilter, member: AudienceMember): Membership {
    const key = `${organizationId} ${filter.key}`;
    const opened = this.#open.get(key) ?? this.#create(key, organizationId, filter);
    const { audience, close } = opened;
    audience.add(member);
    return {
      pieceOf: (events, at, last) => audience.pieceOf(events, at, last),
      leave: () => {
        audience.remove(member);
        if (audience.size > 0 || this.#open.get(key) !== opened) return;
        this.#open.delete(key);
        close();
      },
    };
  }

  #create(key: string, organizationId: number, filter: EventFilter): OpenAudience {
    this.#lastId += 1;
    const audience = new Audience(this.#lastId, filter, this.#turns, this.#pieces);
    const opened = { audience, close: this.#feed.subscribe(organizationId, audience) };
    this.#open.set(key, opened);
    return opened;
  }
}

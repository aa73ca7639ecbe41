import type { EventFeed, FeedSubscriber } from '../../engine/org/feed/event-feed.ts';
import { type Clock, isoTime, type Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { Turns } from '../../engine/runtime/turns.ts';
import { isStoreAway } from '../../engine/store/postgres.ts';
import { type Refusal, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { TrackedPosition } from '../../schema/tasks/tracking.ts';
import type { Headers, Reply, ReplyStream } from '../http/port.ts';
import { RefusalError } from '../refusal-error.ts';
import type { Identity } from '../route.ts';
import type { LastingReplies } from '../sse/lasting-replies.ts';
import type { Link, Tracking } from './open-tracking.ts';
import { changingParts, digestOf, digestOfPage, hasOtherLetterhead, tellingOf } from './tracking-page.ts';
import { expectedAt, type PageTask } from './tracking-parts.ts';

export interface TrackingStreamsOptions {
  readonly tracking: Tracking;
  readonly feed: Pick<EventFeed, 'subscribe'>;
  readonly replies: LastingReplies;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly heartbeatMs: number;
}

export interface OpenPage {
  readonly link: Link;
  readonly token: string;
  /** The digest of what the page shows already. */
  readonly seen: string | undefined;
  readonly identity: Identity;
  readonly replyHeaders: Headers;
}

/** Pages of one organization, which one subscription to its log serves. */
interface Watch {
  readonly pages: Set<Page>;
  readonly unsubscribe: () => void;
}

interface Page {
  readonly organizationId: number;
  readonly token: string;
  readonly stream: ReplyStream;
  /** The digests of its content: of each part, once it has been looked at, and of all together. */
  parts: ReadonlyMap<string, string>;
  digest: string | undefined;
  link: Link;
  /** When it was looked at. ISO 8601. */
  toldAt: string;
  /** When the agents of its tasks on the way were seen. */
  seenAt: ReadonlyMap<number, string>;
  /** Something about its tasks has changed. */
  isBehind: boolean;
  isLooking: boolean;
  /** It was sent a reload for its letterhead. */
  isToReload: boolean;
}

/**
 * Open pages. Events of their tasks, and the movement of an agent on the way, are sent once a tick, as the changed
 * parts of the page; everything comes from memory.
 */
export class TrackingStreams {
  readonly #options: TrackingStreamsOptions;
  /** So that requests wait for a few pages at most, not for all pages of a tick. */
  readonly #turns: Turns;
  readonly #watches = new Map<number, Watch>();
  readonly #pages = new Set<Page>();
  readonly #countByToken = new Map<string, number>();
  readonly #cancelTick: () => void;
  readonly #cancelHeartbeat: () => void;
  #isStopping = false;

  constructor(options: TrackingStreamsOptions) {
    this.#options = options;
    const { clock, scheduler, heartbeatMs } = options;
    this.#turns = new Turns(clock, scheduler);
    this.#cancelTick = scheduler.every(LIMITS.trackingTellMs, () => this.#tick());
    this.#cancelHeartbeat = scheduler.every(heartbeatMs, () => {
      for (const { stream } of this.#pages) stream.write(': heartbeat\n\n');
    });
  }

  get size(): number {
    return this.#pages.size;
  }

  /** Why one more page of a link is out of bounds. */
  refusalOf(token: string): Refusal | undefined {
    if (this.#isStopping || this.#pages.size >= LIMITS.trackingStreams) return refusal('OVERLOADED');
    const isFull = (this.#countByToken.get(token) ?? 0) >= LIMITS.trackingStreamsPerLink;
    return isFull
      ? refusal('RATE_LIMITED', undefined, { retryAfterSeconds: LIMITS.trackingRefusedSeconds })
      : undefined;
  }

  /** To be called in the turn in which the link was found to show something. */
  open(reply: Reply, { link, token, seen, identity, replyHeaders }: OpenPage): void {
    const stream = reply.openStream(200, [
      ['Content-Type', 'text/event-stream; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ['X-Accel-Buffering', 'no'],
      ['Referrer-Policy', 'no-referrer'],
      ...replyHeaders,
    ]);
    const { organizationId } = link;
    const page: Page = {
      organizationId,
      token,
      stream,
      parts: new Map(),
      digest: seen,
      link,
      toldAt: isoTime(this.#options.clock.now()),
      seenAt: new Map(),
      isBehind: true,
      isLooking: false,
      isToReload: false,
    };
    const release = this.#options.replies.hold({ ...identity, organizationId }, () => close(page));
    this.#add(page);
    stream.onClose(() => {
      release();
      this.#remove(page);
    });
    void this.#look(page);
  }

  /** Lets no page in, and sends those that are open elsewhere. */
  stop(): void {
    this.#isStopping = true;
    this.#cancelTick();
    this.#cancelHeartbeat();
    for (const { stream } of [...this.#pages]) {
      stream.write(`retry: ${LIMITS.lastReconnectMs}\n\n`);
      stream.close();
    }
  }

  #tick(): void {
    const now = this.#options.clock.now();
    for (const page of this.#pages) {
      if (now >= page.link.diesAtMs) close(page);
      // A slow page gets the present state once it is ready.
      else if (page.stream.isIdle) void this.#look(page);
    }
  }

  /** Tells a page what has changed; ends it when its link shows nothing any more. Never rejects. */
  async #look(page: Page): Promise<void> {
    if (page.isLooking) return;
    page.isLooking = true;
    const { tracking } = this.#options;
    try {
      if (!page.isBehind && !(await this.#hasMoved(page))) return;
      const turn = this.#turns.next();
      if (turn) await turn;
      page.isBehind = false;
      const link = await tracking.follow(page.token);
      if (!link) return close(page);
      this.#tell(page, link, await pageTasks(tracking, link));
    } catch (error) {
      // While the organization moves to another process, or a store is away, there is nothing to tell from here.
      const isForeseen = error instanceof RefusalError || isStoreAway(error);
      if (!isForeseen) this.#options.log.warn({ err: error }, 'a tracking page could not go on');
      close(page);
    } finally {
      page.isLooking = false;
    }
  }

  /**
   * Whether an agent was seen again, or has other stops before, or the time has passed at which he was expected: nothing
   * else changes without an event.
   */
  async #hasMoved({ link, seenAt, toldAt }: Page): Promise<boolean> {
    const { tracking, clock } = this.#options;
    const now = isoTime(clock.now());
    for (const task of link.tasks) {
      if (expectedAt(task.shown, now) !== expectedAt(task.shown, toldAt)) return true;
      if (tracking.stopsBefore(link.organizationId, task) !== task.shown.stopsBefore) return true;
      if (task.agentId === null) continue;
      const position = await tracking.locate(link.organizationId, task);
      if (seenOf(position) !== seenAt.get(task.shown.id)) return true;
    }
    return false;
  }

  #tell(page: Page, link: Link, tasks: readonly PageTask[]): void {
    const telling = tellingOf(link, page.token, this.#options.clock.now());
    const parts = changingParts(link, tasks, telling);
    const digests = new Map([...parts].map(([id, part]) => [id, digestOf(part)]));
    const digest = digestOfPage(link, parts);
    if (hasOtherLetterhead(page.digest, digest)) {
      // It shows what it had until it loads again, which waits for somebody who writes in it: no part of the new zone comes before.
      if (!page.isToReload) page.stream.write(RELOAD);
      page.isToReload = true;
    } else {
      if (digest !== page.digest) {
        const changed = [...parts].filter(([id]) => page.parts.get(id) !== digests.get(id));
        page.stream.write(frameOf(digest, Object.fromEntries(changed)));
      }
      page.parts = digests;
      page.digest = digest;
    }
    page.link = link;
    page.toldAt = telling.now;
    page.seenAt = new Map(tasks.map(({ shown, position }) => [shown.id, seenOf(position)]));
  }

  #add(page: Page): void {
    this.#pages.add(page);
    this.#countByToken.set(page.token, (this.#countByToken.get(page.token) ?? 0) + 1);
    const { organizationId } = page;
    const watch = this.#watches.get(organizationId) ?? this.#watch(organizationId);
    watch.pages.add(page);
  }

  #remove(page: Page): void {
    this.#pages.delete(page);
    const left = this.#countByToken.get(page.token)! - 1;
    if (left === 0) this.#countByToken.delete(page.token);
    else this.#countByToken.set(page.token, left);
    const watch = this.#watches.get(page.organizationId)!;
    watch.pages.delete(page);
    if (watch.pages.size > 0) return;
    watch.unsubscribe();
    this.#watches.delete(page.organizationId);
  }

  #watch(organizationId: number): Watch {
    const pages = new Set<Page>();
    const subscriber: FeedSubscriber = {
      async onEvents({ events }) {
        const changed = new Set(events.map(({ subject }) => subject.taskId));
        for (const page of pages) {
          // None were kept: any task may have changed.
          page.isBehind ||= events.length === 0 || isAbout(page.link, changed);
        }
      },
      onLogCut() {
        for (const page of [...pages]) close(page);
      },
    };
    const watch = { pages, unsubscribe: this.#options.feed.subscribe(organizationId, subscriber) };
    this.#watches.set(organizationId, watch);
    return watch;
  }
}

/** The page loads again, once nobody is writing in it. */
const RELOAD = 'event: reload\ndata: {}\n\n';

/**
 * Its id is the digest of all that the page shows then. If the parts exceed a stream's queue, as those of a job with many
 * long comments, the page loads again.
 */
function frameOf(digest: string, parts: Readonly<Record<string, string>>): string {
  const frame = `id: ${digest}\nevent: parts\ndata: ${JSON.stringify(parts)}\n\n`;
  return Buffer.byteLength(frame) < LIMITS.streamQueueBytes ? frame : RELOAD;
}

/** The tasks of a link with the positions that may be shown. */
export function pageTasks(tracking: Tracking, { organizationId, tasks }: Link): Promise<PageTask[]> {
  return Promise.all(
    tasks.map(async (task) => ({ shown: task.shown, position: await tracking.locate(organizationId, task) })),
  );
}

function isAbout({ own, tasks }: Link, taskIds: ReadonlySet<number | null>): boolean {
  return taskIds.has(own.shown.id) || tasks.some(({ shown }) => taskIds.has(shown.id));
}

function seenOf(position: TrackedPosition | null): string {
  return position ? `${position.recordedAt} ${position.isStale}` : '';
}

/** The page asks again, and learns why nothing more comes. */
function close({ stream }: Page): void {
  if (stream.isIdle) stream.close();
  else stream.abort();
}

import type { Point } from '../../schema/fleet/position.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Clock, Scheduler } from '../runtime/clock.ts';
import { withDeadline } from '../runtime/deadline.ts';
import type { Log } from '../runtime/log.ts';
import { createOutage, type Outage } from '../runtime/outage.ts';
import { TrailRows } from '../store/positions/trail-rows.ts';
import { TrailRefusedError, type TrailStore } from '../store/positions/trail-store.ts';

export interface TrailBufferParts {
  readonly store: TrailStore;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** With the one that fills and the one on its way. */
const MOST_CHUNKS = LIMITS.trailBufferPoints / LIMITS.trailFlushPoints;

/** Points of one COPY, and when the first of them came. */
interface Chunk {
  readonly rows: TrailRows;
  since: number;
}

/**
 * Points on their way from memory into the trail. They are written every LIMITS.trailFlushMs, or when there are enough
 * for a COPY: that much may be lost when the process dies. One COPY is under way at a time; one that failed is tried
 * again, before those behind it, so that a chunk may be written twice, which readers do not see. A chunk goes
 *
 *     filling → waiting → sending → written, and filled again
 *                  │         └→ waiting: Postgres is away
 *                  └→ dropped: it is the oldest, and there are too many
 *
 * Postgres never takes a chunk as a whole when there is no partition for a day in it. Then the other days of it are
 * written.
 */
export class TrailBuffer {
  readonly #parts: TrailBufferParts;
  #filling: Chunk = newChunk();
  readonly #waiting: Chunk[] = [];
  #sending: Chunk | undefined;
  #spare: Chunk | undefined;
  #flushing: Promise<void> | undefined;
  #pauseMs: number = LIMITS.trailFirstPauseMs;
  /** Ends the pause before the next attempt. */
  #resume: (() => void) | undefined;
  readonly #outage: Outage;
  /** Points were lost since some were written last. */
  #isLosing = false;
  #isGivenUp = false;
  readonly #stopTimer: () => void;
  #buffered = 0;
  #written = 0;
  #dropped = 0;

  constructor(parts: TrailBufferParts) {
    this.#parts = parts;
    this.#outage = createOutage(parts.log, 'writing the trail');
    this.#stopTimer = parts.scheduler.every(LIMITS.trailFlushMs, () => this.#flushFilling());
  }

  /** Points that are noted and not written yet. */
  get buffered(): number {
    return this.#buffered;
  }

  /** Points that Postgres has taken. */
  get written(): number {
    return this.#written;
  }

  /** Points that found no room, or that Postgres would not take. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes a point for the trail, unless it is older than LIMITS.trailPastMs. Makes no garbage. */
  readonly note = (organizationId: number, agentId: number, point: Point, receivedAtMs: number): void => {
    if (receivedAtMs - point.recordedAtMs > LIMITS.trailPastMs) return;
    const { rows } = this.#filling;
    if (rows.count === 0) this.#filling.since = this.#parts.clock.monotonic();
    rows.append(organizationId, agentId, point, receivedAtMs);
    this.#buffered += 1;
    if (rows.count === rows.capacity) {
      this.#turnOver();
      this.#flush();
    }
  };

  /** Writes what it can within LIMITS.trailStopMs; the rest is lost. */
  async stop(): Promise<void> {
    const { store, log } = this.#parts;
    this.#stopTimer();
    await withDeadline(this.#drain(), LIMITS.trailStopMs, 'writing the last of the trail').catch(() => {});
    this.#isGivenUp = true;
    this.#resume?.();
    await store.stop();
    if (this.#buffered > 0) log.warn({ points: this.#buffered }, 'the last of the trail could not be written');
  }

  async #drain(): Promise<void> {
    this.#resume?.();
    while (this.#buffered > 0 && !this.#isGivenUp) {
      this.#flushFilling();
      await this.#flushing;
    }
  }

  #flushFilling(): void {
    if (this.#waiting.length === 0 && !this.#sending && this.#filling.rows.count > 0) this.#turnOver();
    this.#flush();
  }

  #turnOver(): void {
    this.#waiting.push(this.#filling);
    const chunks = this.#waiting.length + (this.#sending ? 1 : 0);
    if (chunks >= MOST_CHUNKS) {
      const oldest = this.#waiting.shift()!;
      this.#buffered -= oldest.rows.count;
      this.#dropped += oldest.rows.count;
      this.#tellOfLoss(oldest.rows.count, 'there is no room for more of the trail');
      this.#putAside(oldest);
    }
    this.#filling = this.#spare ?? newChunk();
    this.#spare = undefined;
  }

  /** To be filled again. */
  #putAside(chunk: Chunk): void {
    chunk.rows.clear();
    this.#spare = chunk;
  }

  #flush(): void {
    this.#flushing ??= this.#sendAll().finally(() => {
      this.#flushing = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (!this.#isGivenUp) {
      const chunk = this.#waiting.shift();
      if (!chunk) return;
      this.#sending = chunk;
      const isOver = await this.#send(chunk);
      this.#sending = undefined;
      if (isOver) {
        this.#putAside(chunk);
      } else {
        this.#waiting.unshift(chunk);
        if (!this.#isGivenUp) await this.#pause();
      }
    }
  }

  /** False when the chunk is to be sent again. */
  async #send(chunk: Chunk): Promise<boolean> {
    const { rows } = chunk;
    let refused = 0;
    try {
      await this.#leaveOutDeleted(chunk);
      if (rows.count > 0) refused = await this.#copy(rows);
    } catch (error) {
      if (!this.#isGivenUp) this.#outage.failed(error);
      return false;
    }
    this.#buffered -= rows.count;
    this.#written += rows.count - refused;
    this.#dropped += refused;
    this.#pauseMs = LIMITS.trailFirstPauseMs;
    this.#outage.worked();
    if (refused === 0) this.#isLosing = false;
    return true;
  }

  /** Resolves to how many of the rows Postgres will never have: those of days for which there is no partition. */
  async #copy(rows: TrailRows): Promise<number> {
    try {
      await this.#parts.store.copy(rows.toCopy());
      return 0;
    } catch (error) {
      if (!(error instanceof TrailRefusedError)) throw error;
      const days = rows.days();
      if (days.size === 1) {
        this.#tellOfLoss(rows.count, 'a part of the trail was refused', error);
        return rows.count;
      }
      let refused = 0;
      for (const day of days) refused += await this.#copy(rows.ofDay(day));
      return refused;
    }
  }

  /** Points kept this long must not come behind the last look of a deletion. */
  async #leaveOutDeleted({ rows, since }: Chunk): Promise<void> {
    const { store, clock } = this.#parts;
    if (clock.monotonic() - since < LIMITS.trailStaleMs) return;
    const before = rows.count;
    rows.remove(await store.findDeleted(rows.organizationIds()));
    this.#buffered -= before - rows.count;
  }

  #tellOfLoss(points: number, why: string, error?: unknown): void {
    if (!this.#isLosing) this.#parts.log.error({ points, ...(error ? { err: error } : {}) }, why);
    this.#isLosing = true;
  }

  /** Before another attempt, longer each time. */
  async #pause(): Promise<void> {
    const { scheduler } = this.#parts;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
      scheduler.after(this.#pauseMs, resolve);
    });
    this.#resume = undefined;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LIMITS.trailLongestPauseMs);
  }
}

function newChunk(): Chunk {
  return { rows: new TrailRows(LIMITS.trailFlushPoints), since: 0 };
}

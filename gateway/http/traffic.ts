import { LIMITS } from '../../schema/limits.ts';
import { BodyBudget } from './body-buffer.ts';
import { type Pending, PendingList } from './pending-list.ts';
import type { Answer, HttpLimits, HttpServerOptions, IncomingRequest, RefusalReason } from './port.ts';

/** A stream as the scan of stalls sees it. */
export interface Stallable {
  onStall(): void;
}

const NO_ANSWER: Answer = { headers: [], body: '' };

/**
 * The shared part of all requests of one server: counts, bounds and the one scan that enforces deadlines. Requests
 * carry the time of the last scan instead of reading the clock or setting a timer each, so a deadline is met late by up
 * to two scans, never early.
 */
export class Traffic {
  readonly limits: HttpLimits;
  readonly options: HttpServerOptions;
  readonly budget: BodyBudget;
  readonly scanMs: number;
  /** Monotonic time of the last scan. */
  now: number;
  streams = 0;
  draining = false;

  readonly #pending = new PendingList();
  readonly #blocked = new Map<Stallable, number>();
  readonly #sharing = new Map<Stallable, number>();
  readonly #closing = new Map<Stallable, number>();
  readonly #stopScan: () => void;
  #onIdle: (() => void) | undefined;

  constructor(options: HttpServerOptions) {
    this.options = options;
    this.limits = { ...LIMITS, ...options.limits };
    this.budget = new BodyBudget(this.limits.bufferedBodyBytes);
    this.now = options.clock.monotonic();
    const { requestScanMs, requestDeadlineMs, streamStallMs, sharedPieceMs } = this.limits;
    this.scanMs = Math.min(requestScanMs, requestDeadlineMs, streamStallMs, sharedPieceMs);
    this.#stopScan = options.scheduler.every(this.scanMs, () => this.#scan());
  }

  get pending(): number {
    return this.#pending.size;
  }

  get isFull(): boolean {
    return this.#pending.size >= this.limits.pendingRequests;
  }

  hold(request: Pending): void {
    this.#pending.add(request);
  }

  release(request: Pending): void {
    this.#pending.remove(request);
    if (this.#pending.size === 0) this.#onIdle?.();
  }

  block(stream: Stallable): void {
    this.#blocked.set(stream, this.now);
  }

  unblock(stream: Stallable): void {
    this.#blocked.delete(stream);
  }

  /** It holds a piece that others share, until `unshare`. */
  share(stream: Stallable): void {
    this.#sharing.set(stream, this.now);
  }

  unshare(stream: Stallable): void {
    this.#sharing.delete(stream);
  }

  /** It is to end as soon as what it holds has been taken, until `closed`. */
  closing(stream: Stallable): void {
    this.#closing.set(stream, this.now);
  }

  closed(stream: Stallable): void {
    this.#closing.delete(stream);
  }

  /** Answers close their connections from now on; resolves when nothing is pending, or after `deadlineMs`. */
  drain(deadlineMs: number): Promise<void> {
    this.draining = true;
    if (this.#pending.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.options.scheduler.after(deadlineMs, resolve);
      this.#onIdle = () => {
        this.#onIdle = undefined;
        cancel();
        resolve();
      };
    });
  }

  stop(): void {
    this.#stopScan();
  }

  /** The answer that the composition root gives in this layer's name. */
  refusal(status: number, reason: RefusalReason, request: IncomingRequest): Answer {
    return this.guarded('refusal', () => this.options.refusal(status, reason, request)) ?? NO_ANSWER;
  }

  failure(error: unknown, request: IncomingRequest): Answer & { readonly status: number } {
    const answer = this.guarded('onUnhandled', () => this.options.onUnhandled(error, request));
    return answer ?? { status: 500, ...NO_ANSWER };
  }

  /** Runs a callback of the layers above, whose failure must not reach the connection's own. */
  guarded<T>(what: string, callback: () => T): T | undefined {
    try {
      return callback();
    } catch (err) {
      this.options.log.error({ err }, `${what} threw`);
      return undefined;
    }
  }

  #scan(): void {
    this.now = this.options.clock.monotonic();
    const dueBefore = this.now - this.limits.requestDeadlineMs - this.scanMs;
    for (const request of this.#pending.admittedBefore(dueBefore)) request.onDeadline();
    this.#endThoseIn(this.#blocked, this.limits.streamStallMs);
    this.#endThoseIn(this.#sharing, this.limits.sharedPieceMs);
    this.#endThoseIn(this.#closing, this.limits.streamStallMs);
  }

  /** Oldest first, as they were put in. */
  #endThoseIn(waiting: ReadonlyMap<Stallable, number>, patienceMs: number): void {
    const stalledBefore = this.now - patienceMs - this.scanMs;
    for (const [stream, since] of waiting) {
      if (since > stalledBefore) break;
      stream.onStall();
    }
  }
}

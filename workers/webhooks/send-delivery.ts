import type { Dispatcher } from 'undici';
import { parseRetryAfter } from '../../engine/domain/outbound/retry-schedule.ts';
import { signDelivery } from '../../engine/domain/outbound/webhook-signature.ts';
import { type Clock, type Scheduler, systemScheduler } from '../../engine/runtime/clock.ts';
import { createCheckedConnector } from '../../engine/runtime/outbound/checked-connector.ts';
import { createHostResolver, type ResolveHost } from '../../engine/runtime/outbound/resolve-host.ts';
import { describeSendError, isClosedByOther, isOfThisSide } from '../../engine/runtime/outbound/send-error.ts';
import { LIMITS } from '../../schema/limits.ts';
import { bytesOfAnswer, type Connection, ConnectionPool } from './connection-pool.ts';
import { EXCERPT_BYTES, excerptOf } from './excerpt.ts';

interface SenderOptions {
  /** Whether endpoints may be on this machine or its network. */
  readonly allowPrivate: boolean;
  readonly clock: Clock;
  readonly scheduler?: Scheduler;
  readonly resolve?: ResolveHost;
  /** From the request to the end of the answer. */
  readonly timeoutMs?: number;
  /** A certificate to trust instead of the usual authorities. */
  readonly ca?: string;
}

export interface Delivery {
  readonly url: string;
  /** The same on every attempt. */
  readonly id: string;
  readonly body: string;
  /** Each signs. */
  readonly secrets: readonly string[];
}

/** The outcome of one attempt. */
export interface SendOutcome {
  readonly atMs: number;
  /** null when no answer began. */
  readonly status: number | null;
  /** Why it failed, where the status does not say it. */
  readonly error: string | null;
  /** The beginning of the answer; null when there is none, or none that is text. */
  readonly excerpt: string | null;
  readonly durationMs: number;
  /** The pause that the endpoint has asked for. */
  readonly retryAfterMs: number | undefined;
  readonly isSuccess: boolean;
  /** The endpoint wants no more deliveries, ever. */
  readonly isGone: boolean;
}

export interface DeliverySender {
  /**
   * Resolves for every behaviour of the endpoint; rejects when the sender is stopped, or this machine is out of
   * sockets.
   */
  send(delivery: Delivery): Promise<SendOutcome>;
  /** Drops all connections; what is under way rejects, since its outcome is not known. */
  stop(): Promise<void>;
}

/** Signs deliveries and posts them: no redirects, no private addresses unless allowed, bounded in time and size. */
export function createDeliverySender(options: SenderOptions): DeliverySender {
  const { allowPrivate, clock, scheduler = systemScheduler, timeoutMs = LIMITS.webhookTimeoutMs, ca } = options;
  const resolve = options.resolve ?? createHostResolver(allowPrivate);
  const pool = new ConnectionPool(createCheckedConnector({ allowPrivate, resolve, timeoutMs, ca }));
  const attempts = new Set<SendAttempt>();
  let isStopped = false;

  return {
    send: (delivery) =>
      new Promise((settle, reject) => {
        if (isStopped) throw new Error(STOPPED);
        const attempt = new SendAttempt({ delivery, pool, clock, scheduler, timeoutMs }, (outcome) => {
          attempts.delete(attempt);
          if (outcome instanceof Error) reject(outcome);
          else settle(outcome);
        });
        attempts.add(attempt);
        attempt.start();
      }),
    async stop() {
      isStopped = true;
      for (const attempt of attempts) attempt.abandon(new Error(STOPPED));
      await pool.stop();
    },
  };
}

const STOPPED = 'the sender of deliveries has been stopped';
const USER_AGENT = 'last-mile-dispatch';
/** Bytes of an answer with its head and framing, at most. */
const ANSWER_BYTES = LIMITS.webhookAnswerHeadBytes + LIMITS.webhookAnswerBytes;

interface AttemptContext {
  readonly delivery: Delivery;
  readonly pool: ConnectionPool;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly timeoutMs: number;
}

/**
 * One request and its answer.
 * - waiting: for a connection.
 * - sent: on one; once more on another one if the other side closed it before it began to answer.
 * - settled: the outcome is known, regardless of the connection's later end.
 */
class SendAttempt implements Dispatcher.DispatchHandler {
  readonly #context: AttemptContext;
  readonly #settle: (outcome: SendOutcome | Error) => void;
  readonly #url: URL;
  readonly #atMs: number;
  readonly #startMs: number;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #use = (connection: Connection) => this.#sendOn(connection);
  #cancelTimer = () => {};
  #isSettled = false;
  #isSentAgain = false;
  #connection: Connection | undefined;
  #status: number | null = null;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  readonly #beginning: Buffer[] = [];
  #beginningBytes = 0;

  constructor(context: AttemptContext, settle: (outcome: SendOutcome | Error) => void) {
    const { delivery, clock } = context;
    this.#context = context;
    this.#settle = settle;
    this.#url = new URL(delivery.url);
    this.#atMs = clock.now();
    this.#startMs = clock.monotonic();
    this.#request = requestOf(delivery, this.#url, Math.floor(this.#atMs / 1_000));
  }

  start(): void {
    const { pool, scheduler, timeoutMs } = this.#context;
    this.#cancelTimer = scheduler.after(timeoutMs, () => this.#finish(`timed out after ${timeoutMs / 1_000} s`));
    try {
      pool.take(this.#url, this.#use);
    } catch (error) {
      this.abandon(error as Error);
    }
  }

  /** Its outcome is not known, or says nothing about the endpoint. */
  abandon(reason: Error): void {
    if (this.#letGo(false)) this.#settle(reason);
  }

  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#beginningBytes >= EXCERPT_BYTES) return;
    this.#beginning.push(chunk.subarray(0, EXCERPT_BYTES - this.#beginningBytes));
    this.#beginningBytes += chunk.length;
  }

  onResponseEnd(): void {
    this.#finish(null, true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isSettled) return;
    if (isOfThisSide(error)) this.abandon(error);
    else if (this.#mayBeSentAgain(error)) this.#sendAgain();
    else this.#finish(describeSendError(error));
  }

  #sendOn(connection: Connection): void {
    this.#connection = connection;
    connection.onBytes = (bytes) => {
      if (bytes > ANSWER_BYTES) this.#finish(this.#status === null ? 'the head of the answer is too long' : null);
    };
    connection.client.dispatch(this.#request, this);
  }

  /** The other side may close an idle connection just when it is used: that is no failure. The id is the same. */
  #mayBeSentAgain(error: Error): boolean {
    return (
      !this.#isSentAgain &&
      this.#connection!.carried > 1 &&
      bytesOfAnswer(this.#connection!) === 0 &&
      isClosedByOther(error)
    );
  }

  #sendAgain(): void {
    const { pool } = this.#context;
    this.#isSentAgain = true;
    pool.drop(this.#connection!);
    this.#connection = undefined;
    pool.open(this.#url, this.#use);
  }

  /** `error`: what went wrong where the status does not say it. */
  #finish(error: string | null, isWhole = false): void {
    if (this.#letGo(isWhole)) this.#settle(this.#outcome(error));
  }

  /** False when it is settled already. */
  #letGo(isWhole: boolean): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#cancelTimer();
    const { pool } = this.#context;
    if (!this.#connection) pool.leave(this.#url, this.#use);
    else if (isWhole) pool.giveBack(this.#connection);
    else pool.drop(this.#connection);
    return true;
  }

  /** The status decides as soon as there is one. */
  #outcome(error: string | null): SendOutcome {
    const { clock } = this.#context;
    const status = this.#status;
    const isRedirect = status !== null && status >= 300 && status < 400;
    const isSuccess = status !== null && status >= 200 && status < 300;
    const { 'retry-after': retryAfter, 'content-encoding': encoding = 'identity' } = this.#headers;
    return {
      atMs: this.#atMs,
      status,
      error: isSuccess ? null : (error ?? (isRedirect ? 'redirects are not followed' : null)),
      excerpt: encoding === 'identity' ? excerptOf(this.#beginning) : null,
      durationMs: Math.round(clock.monotonic() - this.#startMs),
      retryAfterMs: isSuccess || typeof retryAfter !== 'string' ? undefined : parseRetryAfter(retryAfter, clock.now()),
      isSuccess,
      isGone: status === 410,
    };
  }
}

function requestOf({ id, body, secrets }: Delivery, url: URL, timestampSeconds: number): Dispatcher.DispatchOptions {
  const bytes = Buffer.from(body);
  return {
    path: url.pathname + url.search,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signDelivery({ id, timestampSeconds, body: bytes, secrets }),
    },
    body: bytes,
  };
}

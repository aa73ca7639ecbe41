import { checkAnswer } from './answer-check.ts';
import { BodyBuffer } from './body-buffer.ts';
import { type Framing, type Head, judgeHead } from './head-framing.ts';
import type { Pending } from './pending-list.ts';
import {
  type AnswerObserver,
  BodyOverload,
  BodyTooLarge,
  ClientGone,
  type Headers,
  type IncomingRequest,
  REFUSALS,
  type RefusalReason,
  type Reply,
  type ReplyStream,
  type SendOptions,
} from './port.ts';
import { QueuedStream, type StreamSink } from './queued-stream.ts';
import type { Traffic } from './traffic.ts';

/**
 *   open       the handler owes an answer
 *   answered   by the handler; a further answer is its defect
 *   refused    by this layer (too large, too late, failed); further answers come too late and are ignored
 *   gone       the client left, or was dropped; the connection may not be touched
 */
type State = 'open' | 'answered' | 'refused' | 'gone';

interface BodyWaiter {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The connection after an answer.
 * - keep: it takes the next request.
 * - close: it is closed at once.
 * - linger: the client is asked to close it, and the rest of its request is read: a connection closed with unread bytes
 * would be reset, and most clients would never see the answer.
 */
export type Ending = 'keep' | 'close' | 'linger';

const EMPTY_BODY = Buffer.alloc(0);
const ignore = (): void => {};

/** A rejected promise that a handler may leave unwatched, having answered or failed otherwise. */
function failed(error: Error): Promise<never> {
  const promise = Promise.reject(error);
  promise.catch(ignore);
  return promise;
}

/** One request and its answer, whichever adapter carries it. */
export abstract class Exchange implements IncomingRequest, Reply, Head, Pending {
  abstract readonly method: string;
  abstract readonly path: string;
  abstract readonly query: string;
  abstract readonly remoteAddress: string;
  readonly names: string[] = [];
  readonly values: string[] = [];
  observer: AnswerObserver | undefined;
  correlationId: string | undefined;
  readonly admittedAt: number;
  before: Pending | undefined;
  after: Pending | undefined;

  protected readonly traffic: Traffic;
  protected state: State = 'open';
  #contentLength: number | undefined = 0;
  #closeAsked = false;
  #refusesLargeBody = true;
  /** readBody is allowed: the native server loses a body that is asked for in a later turn. */
  #inDispatch = false;
  #bodyState: 'unread' | 'reading' | 'read' = 'unread';
  #body: BodyBuffer | undefined;
  #bodyWaiter: BodyWaiter | undefined;
  #goneListener: (() => void) | undefined;
  #stream: QueuedStream | undefined;
  #held = false;
  #headBytes: number | 'unknown' | undefined;

  constructor(traffic: Traffic) {
    this.traffic = traffic;
    this.admittedAt = traffic.now;
  }

  /** Hands the answer to the connection, now or in a later turn; `hold` and `onSent` frame a later one. */
  protected abstract transmit(status: number, headers: Headers, body: string | Buffer, ending: Ending): void;
  /** Drops the connection with nothing sent. */
  protected abstract abandon(): void;
  /** Passes body chunks to `onBodyChunk` from now on. */
  protected abstract receiveBody(isChunked: boolean): void;
  protected abstract openSink(status: number, headers: Headers): StreamSink;
  /** This connection has served as many requests as it should. */
  protected abstract isConnectionSpent(): boolean;

  header(name: string): string | undefined {
    const first = this.names.indexOf(name);
    if (first < 0) return undefined;
    let value = this.values[first]!;
    for (let i = this.names.indexOf(name, first + 1); i >= 0; i = this.names.indexOf(name, i + 1)) {
      value += `, ${this.values[i]}`;
    }
    return value;
  }

  headerCount(name: string): number {
    let count = 0;
    for (const given of this.names) if (given === name) count += 1;
    return count;
  }

  get done(): boolean {
    return this.state !== 'open';
  }

  onGone(listener: () => void): void {
    if (this.state === 'gone') this.traffic.guarded('a gone listener', listener);
    else if (this.#goneListener) throw new Error('a reply has one gone listener');
    else this.#goneListener = listener;
  }

  readBody(limitBytes: number, refusedBy?: 'caller'): Promise<Buffer> {
    if (!this.#inDispatch || this.#bodyState !== 'unread') {
      return failed(new Error('readBody is to be called once, in the turn of the dispatch'));
    }
    if (this.#contentLength === 0) {
      this.#bodyState = 'read';
      return Promise.resolve(EMPTY_BODY);
    }
    this.#refusesLargeBody = refusedBy !== 'caller';
    if (this.#contentLength !== undefined && this.#contentLength > limitBytes) {
      if (this.#refusesLargeBody) this.#refuse('bodyTooLarge');
      return failed(new BodyTooLarge(`the body exceeds ${limitBytes} bytes`));
    }
    this.#bodyState = 'reading';
    this.#body = new BodyBuffer(this.traffic.budget, limitBytes);
    const body = new Promise<Buffer>((resolve, reject) => {
      this.#bodyWaiter = { resolve, reject };
    });
    // A handler may answer without waiting for the body it asked for.
    body.catch(ignore);
    this.receiveBody(this.#contentLength === undefined);
    return body;
  }

  send(status: number, headers: Headers, body: string | Buffer, options?: SendOptions): void {
    if (this.state === 'answered') throw new Error('this request is answered already');
    if (this.state !== 'open') return;
    checkAnswer(status, headers, body);
    if (this.method === 'HEAD') this.#headBytes = options?.headBytes;
    this.#answer('answered', status, headers, body, options?.close === true);
  }

  openStream(status: number, headers: Headers): ReplyStream {
    if (this.state === 'answered') throw new Error('this request is answered already');
    checkAnswer(status, headers, '');
    if (this.state !== 'open' || this.method === 'HEAD') return this.#endedStream(status, headers);
    this.state = 'answered';
    this.observer?.answered(status);
    this.#endBody();
    this.#stream = new QueuedStream(this.traffic, this.openSink(status, this.#completed(headers)));
    this.onSent();
    return this.#stream;
  }

  onDeadline(): void {
    // An answer that is on its way keeps its place here until it is handed over.
    if (this.state === 'open') this.#refuse('deadline');
  }

  /** Judges the request and hands it over. Adapters call it once, in the turn in which the head arrived. */
  protected begin(): void {
    const { limits, options } = this.traffic;
    const framing = judgeHead(this, limits, options.requireContentLength);
    this.#apply(framing);
    if (framing.verdict === 'drop') this.drop();
    else if (framing.verdict !== 'dispatch') this.#refuse(framing.verdict);
    else if (this.traffic.isFull) this.#refuse('overload');
    else this.#dispatch();
  }

  /** The Content-Length of an answer with this body; undefined for HEAD of a stream, whose length nobody knows. */
  protected lengthOf(body: string | Buffer): number | undefined {
    return this.#headBytes === 'unknown' ? undefined : (this.#headBytes ?? Buffer.byteLength(body));
  }

  protected drop(): void {
    this.state = 'gone';
    this.abandon();
  }

  /** Counts the request as pending until `onSent` or `onClientGone`. */
  protected hold(): void {
    if (this.#held) return;
    this.#held = true;
    this.traffic.hold(this);
  }

  protected onSent(): void {
    if (!this.#held) return;
    this.#held = false;
    this.traffic.release(this);
  }

  protected onWritable(): void {
    this.#stream?.onWritable();
  }

  /** The connection closed. Also called after the answer, when it no longer matters. */
  protected onClientGone(): void {
    const wasOpen = this.state === 'open';
    this.state = 'gone';
    this.#endBody();
    this.onSent();
    this.#stream?.onGone();
    if (wasOpen) this.observer?.abandoned();
    if (wasOpen && this.#goneListener) this.traffic.guarded('a gone listener', this.#goneListener);
  }

  /** `chunk` is copied before this returns. */
  protected onBodyChunk(chunk: Uint8Array, isLast: boolean): void {
    const body = this.#body;
    if (!body) return;
    try {
      if (!isLast) {
        body.append(chunk);
        return;
      }
      const whole = body.finish(chunk);
      this.#body = undefined;
      this.#bodyState = 'read';
      this.#bodyWaiter?.resolve(whole);
      this.#bodyWaiter = undefined;
    } catch (error) {
      this.#bodyWaiter?.reject(error as Error);
      if (error instanceof BodyTooLarge && !this.#refusesLargeBody) this.#endBody();
      else if (error instanceof BodyTooLarge) this.#refuse('bodyTooLarge');
      else if (error instanceof BodyOverload) this.#refuse('overload');
      else this.#onFailed(error);
    }
  }

  #apply(framing: Framing): void {
    this.#contentLength = framing.contentLength;
    this.#closeAsked = framing.closes;
  }

  #dispatch(): void {
    this.#inDispatch = true;
    try {
      const handled = this.traffic.options.dispatch(this, this);
      handled?.then(
        () => this.#onHandled(),
        (error: unknown) => this.#onFailed(error),
      );
    } catch (error) {
      this.#onFailed(error);
    }
    this.#inDispatch = false;
    if (this.state === 'open') this.hold();
  }

  #onHandled(): void {
    if (this.state === 'open') this.#onFailed(new Error('the handler finished without an answer'));
  }

  #onFailed(error: unknown): void {
    const { log } = this.traffic.options;
    if (error instanceof BodyTooLarge || error instanceof BodyOverload || error instanceof ClientGone) {
      if (this.state !== 'open') return;
    }
    log.error({ err: error, method: this.method, state: this.state }, 'a request handler failed');
    if (this.state !== 'open') return;
    const { status, headers, body } = this.traffic.failure(error, this);
    this.#answerForHandler(status, headers, body, false);
  }

  #refuse(reason: RefusalReason): void {
    const status = REFUSALS[reason];
    const { headers, body } = this.traffic.refusal(status, reason, this);
    this.#answerForHandler(status, headers, body, true);
  }

  #answerForHandler(status: number, headers: Headers, body: string | Buffer, close: boolean): void {
    if (this.state !== 'open') return;
    const isFit = this.traffic.guarded('the check of an own answer', () => {
      checkAnswer(status, headers, body);
      return true;
    });
    if (isFit) this.#answer('refused', status, headers, body, close);
    else this.#answer('refused', 500, [], '', true);
  }

  #answer(
    state: 'answered' | 'refused',
    status: number,
    headers: Headers,
    body: string | Buffer,
    close: boolean,
  ): void {
    const leavesBody = this.#bodyState !== 'read' && this.#contentLength !== 0;
    const closes = close || this.#closeAsked || this.traffic.draining || this.isConnectionSpent();
    this.state = state;
    this.observer?.answered(status);
    this.#endBody();
    const ending = leavesBody ? this.#endingBeforeBody(closes) : closes ? 'close' : 'keep';
    this.transmit(status, this.#completed(headers), body, ending);
  }

  #completed(headers: Headers): Headers {
    const { headersForAll } = this.traffic.options;
    return headersForAll ? [...headers, ...headersForAll(this)] : headers;
  }

  /** How to end with bytes of the body still to come. */
  #endingBeforeBody(closes: boolean): Ending {
    const { unreadBodyBytes, lingeringBodyBytes } = this.traffic.limits;
    const length = this.#contentLength ?? Number.POSITIVE_INFINITY;
    // The native server no longer watches how long the rest of a body takes that was being read.
    if (this.#bodyState === 'reading' || length > lingeringBodyBytes) return 'close';
    return closes || length > unreadBodyBytes ? 'linger' : 'keep';
  }

  #endBody(): void {
    if (!this.#body) return;
    this.#body.release();
    this.#body = undefined;
    this.#bodyWaiter?.reject(new ClientGone('the request ended before its body'));
    this.#bodyWaiter = undefined;
  }

  #endedStream(status: number, headers: Headers): ReplyStream {
    this.#headBytes = 'unknown';
    if (this.state === 'open') this.#answer('answered', status, headers, '', false);
    const stream = new QueuedStream(this.traffic, {
      write: () => true,
      flush: () => true,
      end: ignore,
      destroy: ignore,
    });
    stream.onGone();
    return stream;
  }
}

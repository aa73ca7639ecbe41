import type { ReplyStream, StreamEnd } from './port.ts';
import type { Traffic } from './traffic.ts';

/** The connection under a stream, as an adapter shows it. */
export interface StreamSink {
  /** Hands over at most `corkBytes`. False: taken, but send no more until `QueuedStream.onWritable` is called. */
  write(chunk: string | Buffer): boolean;
  /** Pushes out what the connection still holds of earlier writes, when nothing new is to be written; result as above. */
  flush(): boolean;
  /** Ends the response after what was handed over. */
  end(): void;
  /** Drops the connection. */
  destroy(): void;
}

/**
 * The states of a stream.
 * - flowing: writes go straight to the connection.
 * - blocked: the connection is full; writes queue up, and both the queue and the time are bounded.
 * - ended: nothing is written any more; the listener knows why.
 */
type State = 'flowing' | 'blocked' | 'ended';

/** The bounded queue between events and one client's connection. */
export class QueuedStream implements ReplyStream {
  readonly #traffic: Traffic;
  readonly #sink: StreamSink;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** The bytes of the queue whose pieces other streams hold as well. */
  #sharedBytes = 0;
  #state: State = 'flowing';
  #closeAsked = false;
  #end: StreamEnd | undefined;
  #listener: ((reason: StreamEnd) => void) | undefined;
  #idleListener: (() => void) | undefined;

  constructor(traffic: Traffic, sink: StreamSink) {
    this.#traffic = traffic;
    this.#sink = sink;
    traffic.streams += 1;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get isIdle(): boolean {
    return this.#state === 'flowing' && this.#queue.length === 0;
  }

  write(chunk: string | Buffer): void {
    if (this.#state === 'ended' || this.#closeAsked) return;
    // A UTF-16 unit takes at most three bytes, which spares counting the bytes of all but large texts.
    const mostBytes = typeof chunk === 'string' ? chunk.length * 3 : chunk.length;
    if (this.#state === 'flowing' && mostBytes <= this.#traffic.limits.corkBytes) {
      if (!this.#sink.write(chunk)) this.#block();
      return;
    }
    this.#enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    if (this.#state === 'flowing') this.#sendQueue();
    if (this.#queuedBytes - this.#sharedBytes > this.#traffic.limits.streamQueueBytes) this.#cut();
  }

  writeShared(...pieces: readonly Buffer[]): void {
    if (this.#state === 'ended' || this.#closeAsked) return;
    if (!this.isIdle) throw new Error('what is shared is written to idle streams only');
    for (const piece of pieces) this.#enqueue(piece);
    this.#sharedBytes = this.#queuedBytes;
    this.#traffic.share(this);
    this.#sendQueue();
  }

  close(): void {
    if (this.#state === 'ended' || this.#closeAsked) return;
    this.#closeAsked = true;
    if (this.#state === 'flowing') this.#finish();
    else this.#traffic.closing(this);
  }

  abort(): void {
    if (this.#endAs('server')) this.#sink.destroy();
  }

  onClose(listener: (reason: StreamEnd) => void): void {
    if (this.#listener) throw new Error('a stream has one close listener');
    if (this.#end === undefined) this.#listener = listener;
    else listener(this.#end);
  }

  onIdle(listener: () => void): void {
    if (this.#idleListener) throw new Error('a stream has one idle listener at a time');
    if (this.isIdle) listener();
    else if (this.#state !== 'ended') this.#idleListener = listener;
  }

  /** The connection takes bytes again. */
  onWritable(): void {
    if (this.#state === 'ended') return;
    this.#traffic.unblock(this);
    this.#state = 'flowing';
    if (this.#queue.length > 0) this.#sendQueue();
    else if (!this.#sink.flush()) this.#block();
    if (this.#closeAsked && this.isIdle) this.#finish();
    else if (this.isIdle) this.#tellIdle();
  }

  /** The client left. */
  onGone(): void {
    this.#endAs('client');
  }

  /** Called by the scan of streams that are blocked, hold a shared piece or are to end, for too long. */
  onStall(): void {
    this.#cut();
  }

  #enqueue(bytes: Buffer): void {
    const { corkBytes } = this.#traffic.limits;
    for (let at = 0; at < bytes.length; at += corkBytes) this.#queue.push(bytes.subarray(at, at + corkBytes));
    this.#queuedBytes += bytes.length;
  }

  #sendQueue(): void {
    while (this.#state === 'flowing') {
      const chunk = this.#queue.shift();
      if (!chunk) return;
      this.#queuedBytes -= chunk.length;
      // Shared pieces are only ever taken by an empty queue, so that they go first.
      if (this.#sharedBytes > 0) {
        this.#sharedBytes -= chunk.length;
        if (this.#sharedBytes === 0) this.#traffic.unshare(this);
      }
      if (!this.#sink.write(chunk)) this.#block();
    }
  }

  #block(): void {
    if (this.#state === 'ended') return;
    this.#state = 'blocked';
    this.#traffic.block(this);
  }

  #tellIdle(): void {
    const listener = this.#idleListener;
    this.#idleListener = undefined;
    if (listener) this.#traffic.guarded('an idle listener', listener);
  }

  #finish(): void {
    if (this.#endAs('server')) this.#sink.end();
  }

  #cut(): void {
    if (this.#endAs('slow')) this.#sink.destroy();
  }

  /** False when the stream had ended before. */
  #endAs(end: StreamEnd): boolean {
    if (this.#state === 'ended') return false;
    this.#state = 'ended';
    this.#end = end;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#sharedBytes = 0;
    this.#traffic.streams -= 1;
    this.#traffic.unblock(this);
    this.#traffic.unshare(this);
    this.#traffic.closed(this);
    this.#idleListener = undefined;
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener) this.#traffic.guarded('a close listener', () => listener(end));
    return true;
  }
}

import { createParser } from 'eventsource-parser';
import { DispatchError } from './dispatch-error.ts';
import type { DispatchEvent } from './document-types.ts';
import { queryText } from './query-text.ts';
import { backoffMs, isPassing, pause, sendRequest, type Transport } from './send-request.ts';

/** The stream is open. It comes first, and again after each interruption. */
export interface StreamReady {
  readonly type: 'stream.ready';
  readonly history: string;
  readonly position: string;
  readonly organizationId: number;
  readonly serverTime: string;
  readonly version: string;
  readonly heartbeatMs: number;
  /** The client opens the stream again after that time without a byte. */
  readonly reconnectAfterMs: number;
}

/** Events are missing: read the lists again. The stream goes on behind the gap. */
export interface StreamResync {
  readonly type: 'stream.resync';
  readonly reason: 'history_changed' | 'position_unknown' | 'events_expired';
}

/** The connection is gone. The client opens it again after a pause, and goes on from the last event. */
export interface StreamLost {
  readonly type: 'stream.lost';
  readonly reason: string;
  readonly retryInMs: number;
}

/** Everything that a stream yields, told apart by `type`. */
export type StreamMessage = DispatchEvent | StreamReady | StreamResync | StreamLost;

export interface FollowOptions {
  /** The `position` of a list, or the `lastEventId` of an earlier stream. Without it, the stream begins now. */
  readonly lastEventId?: string | undefined;
  readonly types?: readonly DispatchEvent['type'][];
  readonly taskIds?: readonly number[];
  readonly agentIds?: readonly number[];
  /** west, south, east, north: narrows positions, not events. */
  readonly bbox?: readonly [number, number, number, number];
  /** Ends the stream: its loop ends without an error. */
  readonly signal?: AbortSignal;
}

/** Until `stream.ready` says otherwise. */
const RECONNECT_AFTER_MS = 35_000;
/** A heartbeat moves the place to resume from, if it has an id. That is one without an event, which parsers drop. */
const HEARTBEAT = /: heartbeat\n(?:id: (\S+)\n)?\n/g;

/** One message, or a heartbeat without one, and the id from which a stream goes on behind it. */
interface Received {
  readonly message: StreamMessage | undefined;
  readonly id: string | undefined;
}

/**
 * The events of an organization, or those of an agent, for `for await`. Reconnects when the connection ends or falls
 * silent, and resumes so that no event is missing and none comes twice; where that cannot be, it yields
 * `stream.resync`. Throws DispatchError when the stream is refused for good. Follow it once.
 */
export class EventStream implements AsyncIterable<StreamMessage> {
  readonly #transport: Transport;
  readonly #url: string;
  readonly #signal: AbortSignal | undefined;
  readonly #closing = new AbortController();
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #reconnectAfterMs = RECONNECT_AFTER_MS;
  #failures = 0;

  constructor(transport: Transport, baseUrl: string, { lastEventId, signal, ...filters }: FollowOptions) {
    this.#transport = transport;
    this.#url = `${baseUrl}/api/v1/realtime/me/events${queryText(filters)}`;
    this.#lastEventId = lastEventId;
    this.#signal = signal;
  }

  /** The id of the last event whose turn of the loop is over. Keep it to go on later. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** Ends the loop and the connection. */
  close(): void {
    this.#closing.abort();
  }

  [Symbol.asyncIterator](): AsyncGenerator<StreamMessage, void, undefined> {
    return this.#follow();
  }

  async *#follow(): AsyncGenerator<StreamMessage, void, undefined> {
    const onAbort = () => this.close();
    if (this.#signal?.aborted) return;
    this.#signal?.addEventListener('abort', onAbort, { once: true });
    const { signal } = this.#closing;
    try {
      while (!signal.aborted) {
        const lost = yield* this.#followOnce();
        if (signal.aborted) return;
        yield lost;
        await pause(lost.retryInMs, signal).catch(() => {});
      }
    } finally {
      this.#signal?.removeEventListener('abort', onAbort);
      this.close();
    }
  }

  /** Yields the messages of one connection. Returns why it ended. */
  async *#followOnce(): AsyncGenerator<StreamMessage, StreamLost, undefined> {
    let connection: Connection;
    try {
      connection = await this.#open();
    } catch (error) {
      if (this.#closing.signal.aborted) return this.#lost('closed', 0);
      // Other failures end the stream.
      if (!(error instanceof DispatchError) || !isPassing(error)) throw error;
      return this.#lost(error.message, error.retryAfterMs);
    }
    const onClose = () => connection.close();
    this.#closing.signal.addEventListener('abort', onClose, { once: true });
    try {
      for await (const { message, id } of connection.messages(() => this.#reconnectAfterMs)) {
        if (this.#closing.signal.aborted) break;
        if (message?.type === 'stream.ready') this.#reconnectAfterMs = message.reconnectAfterMs;
        // A heartbeat shows as well as an event that the service holds its streams.
        if (message?.type !== 'stream.ready') this.#failures = 0;
        if (message) yield message;
        if (id !== undefined) this.#lastEventId = id;
      }
      this.#retryMs = connection.retryMs;
      return this.#lost(connection.ending, undefined);
    } finally {
      this.#closing.signal.removeEventListener('abort', onClose);
      connection.close();
    }
  }

  #open(): Promise<Connection> {
    const headers = {
      accept: 'text/event-stream',
      ...(this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId }),
    };
    return sendRequest(
      this.#transport,
      { method: 'GET', url: this.#url, headers, signal: this.#closing.signal, giveUpAfterMs: 0 },
      async (response) => new Connection(response),
    );
  }

  #lost(reason: string, retryAfterMs: number | undefined): StreamLost {
    const retryInMs = retryAfterMs ?? this.#retryMs ?? backoffMs(this.#transport.retry, this.#failures);
    this.#retryMs = undefined;
    this.#failures += 1;
    return { type: 'stream.lost', reason, retryInMs };
  }
}

/** One open stream. Its end is known when `messages` has ended. */
class Connection {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #received: Received[] = [];
  retryMs: number | undefined;
  ending = 'the service ended the stream';

  constructor(response: Response) {
    this.#reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  close(): void {
    // A connection that has failed cannot be cancelled, and needs not be.
    this.#reader.cancel().catch(() => {});
  }

  async *messages(silenceMs: () => number): AsyncGenerator<Received, void, undefined> {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: ({ id, event, data }) => this.#onEvent(id, event, data),
      onRetry: (ms) => {
        this.retryMs = ms;
      },
    });
    for (;;) {
      const bytes = await this.#read(silenceMs());
      if (!bytes) return;
      const text = decoder.decode(bytes, { stream: true });
      let fed = 0;
      // One read may hold several messages: a heartbeat moves the place to resume from in its turn among them.
      for (const { 0: heartbeat, 1: id, index } of text.matchAll(HEARTBEAT)) {
        const end = index + heartbeat.length;
        parser.feed(text.slice(fed, end));
        this.#received.push({ message: undefined, id });
        fed = end;
      }
      parser.feed(text.slice(fed));
      yield* this.#received.splice(0);
    }
  }

  #onEvent(id: string | undefined, event: string | undefined, data: string): void {
    if (event === 'stream.reconnect') {
      this.ending = 'the service asked to reconnect';
      return;
    }
    const body = JSON.parse(data) as object;
    const message = (event?.startsWith('stream.') ? { ...body, type: event } : body) as StreamMessage;
    this.#received.push({ message, id });
  }

  /** The next bytes; undefined when the connection has ended or was silent for too long. */
  async #read(silenceMs: number): Promise<Uint8Array | undefined> {
    const timer = setTimeout(() => {
      this.ending = `silent for ${silenceMs} ms`;
      this.close();
    }, silenceMs);
    try {
      const { value, done } = await this.#reader.read();
      return done ? undefined : value;
    } catch (error) {
      this.ending = (error as Error).message;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

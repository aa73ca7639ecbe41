import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { LIMITS } from '../../schema/limits.ts';

/**
 * The gateway's view of HTTP. Two adapters stand behind it, and one conformance suite tests both: uWebSockets.js for
 * speed, node:http where its binary does not load.
 */
export type Header = readonly [name: string, value: string];
export type Headers = readonly Header[];

/** Copied from the connection at once, so it stays readable after an await and after the answer. */
export interface IncomingRequest {
  /** Upper-case token, one of those registered for HTTP. */
  readonly method: string;
  /** As sent, undecoded, up to the `?`; visible ASCII that begins with `/`. */
  readonly path: string;
  /** As sent, undecoded, without the `?`; empty when there is none. */
  readonly query: string;
  /**
   * The peer of the connection: `127.0.0.1`, `2001:db8::1`; an IPv4 peer of a dual-stack socket is shown as IPv4. To be
   * asked for before the answer; empty when it is first asked for later.
   */
  readonly remoteAddress: string;
  /** Kept here for all who answer the request; this layer only holds it. */
  correlationId?: string | undefined;
  /** Value of a header by its lower-case name; repeated ones are joined by `, ` (RFC 9110 §5.3). */
  header(name: string): string | undefined;
  /** How often a header was sent, so that a guard can refuse what may be given only once. */
  headerCount(name: string): number;
  /**
   * The whole body, empty when there is none. To be called in the turn in which the request was dispatched,
   * and once. Rejects with BodyTooLarge or BodyOverload, both answered already by the time the caller learns of
   * it, or with ClientGone; a handler may let all three pass through. With `refusedBy: 'caller'` the caller answers
   * BodyTooLarge.
   */
  readBody(limitBytes: number, refusedBy?: 'caller'): Promise<Buffer>;
}

/** Told once how a request ended; what it does must not throw. */
export interface AnswerObserver {
  /** It was answered, by the handler or by this layer; a stream has begun. */
  answered(status: number): void;
  /** The client left before. */
  abandoned(): void;
}

export interface SendOptions {
  /** Ends the connection after the answer. */
  readonly close?: boolean;
  /** For an answer to HEAD, the bytes that GET would get, where they are not those of `body`. */
  readonly headBytes?: number;
}

export interface Reply {
  /** Answered, by the handler or for it, or the client is gone. */
  readonly done: boolean;
  /** The listener to the end of the request; to be set in the turn of the dispatch. */
  observer: AnswerObserver | undefined;
  /** Called once if the client leaves before it was answered, at once if it has left. Not called after an answer. */
  onGone(listener: () => void): void;
  /**
   * Answers, once: a second call throws. Does nothing when the client is gone or the deadline has answered.
   * Throws TypeError, with nothing sent, on a header that could split the response or that frames it (Content-Length,
   * Transfer-Encoding, Connection and Date are this layer's).
   */
  send(status: number, headers: Headers, body: string | Buffer, options?: SendOptions): void;
  /** Answers with an event stream whose head leaves at once. Throws as `send` does. */
  openStream(status: number, headers: Headers): ReplyStream;
}

/** `client`: it left; `slow`: it took too little for too long; `server`: ended by `close()`. */
export type StreamEnd = 'client' | 'slow' | 'server';

/** A `text/event-stream`: each chunk is one or more whole events, and comments may be sent between them. */
export interface ReplyStream {
  /** Bytes written and not yet taken over by the connection. */
  readonly queuedBytes: number;
  /** The connection has taken all that was written. */
  readonly isIdle: boolean;
  /** Never blocks. The stream is cut past `streamQueueBytes`, or when stalled for `streamStallMs`. */
  write(chunk: string | Buffer): void;
  /**
   * Writes pieces that many streams share, and that are therefore not counted against `streamQueueBytes`. Only for a
   * stream that is idle, so that it holds on to those of one call at a time, for `sharedPieceMs` at most; on another one it
   * throws.
   */
  writeShared(...pieces: readonly Buffer[]): void;
  /** Calls once when the stream is idle, at once if it is, and never after its end; one listener at a time. */
  onIdle(listener: () => void): void;
  /**
   * Ends the stream cleanly after what is queued, and by force when that is not taken within `streamStallMs` from here on,
   * however it trickles.
   */
  close(): void;
  /** Drops the connection at once with what is queued, so that what was sent does not look like the whole. */
  abort(): void;
  /** Called once, with the reason; at once if the stream has ended. */
  onClose(listener: (reason: StreamEnd) => void): void;
}

/** Answers now or later. A promise that resolves without an answer, or rejects, is a defect and answered by 500. */
export type Dispatch = (request: IncomingRequest, reply: Reply) => void | Promise<void>;

/** Why the layer itself refuses, with the status it answers. */
export const REFUSALS = {
  lengthRequired: 411,
  bodyTooLarge: 413,
  urlTooLong: 414,
  headersTooLarge: 431,
  deadline: 503,
  overload: 503,
} as const;
export type RefusalReason = keyof typeof REFUSALS;

export interface Answer {
  readonly headers: Headers;
  readonly body: string | Buffer;
}

/** The bounds of schema/limits.ts that this layer keeps. */
export type HttpLimits = Readonly<
  Record<
    Extract<
      keyof typeof LIMITS,
      | 'urlBytes'
      | 'headerBytes'
      | 'headerCount'
      | 'bufferedBodyBytes'
      | 'unreadBodyBytes'
      | 'lingeringBodyBytes'
      | 'pendingRequests'
      | 'requestDeadlineMs'
      | 'requestScanMs'
      | 'requestsPerConnection'
      | 'idleConnectionMs'
      | 'streamQueueBytes'
      | 'streamStallMs'
      | 'sharedPieceMs'
      | 'corkBytes'
    >,
    number
  >
>;

export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Refuse a port that another process serves; otherwise processes share it (uWebSockets.js only). */
  readonly exclusive: boolean;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  readonly adapter: 'uws' | 'node';
  /** Refuse bodies without a Content-Length: chunked framing cannot be checked here (docs/internals/http-adapter.md). */
  readonly requireContentLength: boolean;
  readonly log: Log;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Tests shorten some of LIMITS. */
  readonly limits?: Partial<HttpLimits>;
  readonly dispatch: Dispatch;
  /** Further headers of every answer to the request, refusals of this layer included. They are not checked again. */
  readonly headersForAll?: ((request: IncomingRequest) => Headers) | undefined;
  /** The answer for a handler that threw, rejected or never answered. */
  readonly onUnhandled: (error: unknown, request: IncomingRequest) => Answer & { readonly status: number };
  /** The headers and body of an answer that the layer gives itself. */
  readonly refusal: (status: number, reason: RefusalReason, request: IncomingRequest) => Answer;
}

export interface HttpServer {
  readonly port: number;
  /** Requests without a complete answer; streams are not among them. */
  readonly pending: number;
  readonly streams: number;
  /** Takes no new connection; the open ones go on. */
  stopListening(): void;
  /** Stops listening and lets every answer close its connection; resolves when nothing is pending, or at the deadline. */
  drain(deadlineMs: number): Promise<void>;
  /** Ends every connection at once. */
  close(): void;
}

/** The body exceeds what the route takes; answered by 413. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** The process is receiving as many body bytes as it may; answered by 503. */
export class BodyOverload extends Error {
  override readonly name = 'BodyOverload';
}

/** Nobody waits for the answer: the client left, or the request ended before its body did. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The server cannot listen; the message says where and why. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'the port is not ours to use',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
};

export function listenError(host: string, port: number, cause: NodeJS.ErrnoException): ListenError {
  const { code = '', message } = cause;
  const reason = LISTEN_REASONS[code];
  return new ListenError(`cannot listen on ${host}:${port}: ${reason ? `${reason} (${code})` : message}`, { cause });
}

export function certificateError(
  files: { readonly certFile: string; readonly keyFile: string },
  cause: unknown,
): ListenError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ListenError(`the certificate ${files.certFile} with the key ${files.keyFile} cannot be used: ${why}`, {
    cause,
  });
}

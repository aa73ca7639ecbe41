import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, us_socket } from 'uWebSockets.js';
import { accessSync, constants } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { createServer } from 'node:net';
import { setNativeHeadBytes } from '../../engine/runtime/config.ts';
import { LIMITS } from '../../schema/limits.ts';
import { addressText } from './address-text.ts';
import { type Ending, Exchange } from './exchange.ts';
import {
  certificateError,
  type Headers,
  type HttpServer,
  type HttpServerOptions,
  ListenError,
  listenError,
} from './port.ts';
import type { StreamSink } from './queued-stream.ts';
import { Traffic } from './traffic.ts';

// Before the binary loads: past this bound it answers 431 itself, and we answer more precisely.
setNativeHeadBytes(2 * (LIMITS.urlBytes + LIMITS.headerBytes));
const { default: uWS } = await import('uWebSockets.js');

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it the kernel shares the port among processes (SO_REUSEPORT). */
const EXCLUSIVE_PORT = 1;
const SHARED_PORT = 0;

/** Part of the binary, missing in its types. */
type Listen = (
  host: string,
  port: number,
  options: number,
  onListening: (socket: us_listen_socket | false) => void,
) => TemplatedApp;

const STATUS_LINES = new Map(Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]));
const BODILESS = new Set([204, 304]);
const HIGH_BYTE = /[\x80-\xff]/;
/** An event stream comment, which a client skips. */
const COMMENT = ':\n';
const NO_BYTES = new Uint8Array(0);

/** Requests to this server share one count: the binary does not tell which connection a request came by. */
interface Connections {
  requestsLeft: number;
}

class UwsExchange extends Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #res: HttpResponse;
  readonly #connections: Connections;
  #remoteAddress: string | undefined;
  #isPaused = false;

  constructor(traffic: Traffic, connections: Connections, res: HttpResponse, req: HttpRequest) {
    super(traffic);
    this.#res = res;
    this.#connections = connections;
    // First of all: the binary ends the process when a handler throws or returns with neither this nor an answer.
    res.onAborted(() => this.onClientGone());
    this.method = req.getCaseSensitiveMethod();
    this.path = req.getUrl();
    // Undefined when there is no `?`, against the binary's own types.
    this.query = req.getQuery() ?? '';
    req.forEach((name, value) => {
      this.names.push(name);
      this.values.push(value);
    });
  }

  /** Asked of the binary when it is wanted, which it is of few requests. Empty once the connection may not be touched. */
  override get remoteAddress(): string {
    if (this.#remoteAddress === undefined && this.state === 'open') {
      // Never the proxied address: the binary believes a PROXY header of anyone.
      this.#remoteAddress = addressText(new Uint8Array(this.#res.getRemoteAddress()));
    }
    return this.#remoteAddress ?? '';
  }

  run(): void {
    try {
      this.begin();
    } catch (err) {
      this.traffic.options.log.error({ err }, 'a request could not be handled');
      if (this.state !== 'gone') this.drop();
    }
  }

  protected override isConnectionSpent(): boolean {
    // Every n-th answer of the process closes its connection, so that each lives for n requests on average.
    if (--this.#connections.requestsLeft > 0) return false;
    this.#connections.requestsLeft = this.traffic.limits.requestsPerConnection;
    return true;
  }

  protected override transmit(status: number, headers: Headers, body: string | Buffer, ending: Ending): void {
    const bytes = bytesOf(body);
    const isLarge = bytes.length > this.traffic.limits.corkBytes;
    if (ending !== 'close' && !isLarge) {
      this.#res.cork(() => this.#write(status, headers, bytes, ending));
      this.onSent();
      return;
    }
    // In a later turn. A closing answer given while the parser runs does not stop it: requests behind this one in the
    // same packet would still be executed. A large one would overflow the cork that the parser holds.
    this.hold();
    const isBodiless = this.method === 'HEAD' || BODILESS.has(status);
    this.traffic.options.scheduler.soon(() => {
      if (this.state === 'gone') return;
      if (isLarge && !isBodiless) return this.#writeLarge(status, headers, bytes, ending);
      this.#res.cork(() => this.#write(status, headers, bytes, ending));
      this.onSent();
    });
  }

  protected override abandon(): void {
    this.#res.close();
  }

  protected override receiveBody(isChunked: boolean): void {
    this.#res.onData((chunk, isLast) => {
      if (isLast && isChunked) this.#endChunkedBody();
      else this.onBodyChunk(new Uint8Array(chunk), isLast);
    });
  }

  /**
   * The binary tells the last chunk before it reads on, and refuses trailers by closing the connection. So the body ends
   * in a later turn, on a connection that is still open. Nothing more is read before the answer: a later packet cannot
   * refuse a request that is being executed.
   */
  #endChunkedBody(): void {
    if (this.state !== 'open') return;
    this.#res.pause();
    this.#isPaused = true;
    this.traffic.options.scheduler.soon(() => this.onBodyChunk(NO_BYTES, true));
  }

  protected override openSink(status: number, headers: Headers): StreamSink {
    const res = this.#res;
    const write = (chunk: string | Buffer): boolean => {
      let flows = true;
      res.cork(() => {
        flows = res.write(bytesOf(chunk));
      });
      return flows;
    };
    res.onWritable(() => {
      this.onWritable();
      return true;
    });
    const hasComments = headers.some(([, value]) => value.startsWith('text/event-stream'));
    res.cork(() => {
      this.#writeHead(status, headers);
      // The binary holds the end of the head back until the first write.
      if (hasComments) res.write(COMMENT);
    });
    return {
      write,
      // With a writable handler attached the binary sends its own backlog only together with a write. Bytes that may not
      // wait go with a comment; those of a stream without comments wait for the next write, or for the end.
      flush: () => !hasComments || write(COMMENT),
      end: () => res.cork(() => res.end()),
      destroy: () => res.close(),
    };
  }

  #writeHead(status: number, headers: Headers, ending: Ending = 'keep'): void {
    const res = this.#res;
    if (this.#isPaused) res.resume();
    res.writeStatus(STATUS_LINES.get(status) ?? `${status}`);
    writeHeaders(res, headers);
    // The binary writes it itself where it closes by itself. It skips the unread rest of a body.
    if (ending === 'linger') res.writeHeader('connection', 'close');
  }

  #write(status: number, headers: Headers, body: Buffer, ending: Ending): void {
    const res = this.#res;
    this.#writeHead(status, headers, ending);
    if (this.method !== 'HEAD' && !BODILESS.has(status)) {
      res.end(body, ending === 'close');
      return;
    }
    // The only way to end without a body that this binary gets right. It cannot close: the client is asked to.
    if (ending === 'close') res.writeHeader('connection', 'close');
    const length = this.lengthOf(body);
    if (this.method === 'HEAD' && length !== undefined) res.writeHeader('content-length', `${length}`);
    res.endWithoutBody();
  }

  /**
   * The head and the body in corks of their own, so that the cork buffer never overflows with both. The bytes that the
   * connection does not take at once stay here: the binary does not tell when bytes that it keeps have left, and a stop
   * would cut them off.
   */
  #writeLarge(status: number, headers: Headers, body: Buffer, ending: Ending): void {
    const res = this.#res;
    const closes = ending === 'close';
    res.cork(() => this.#writeHead(status, headers, closes ? 'linger' : ending));
    let isDone = false;
    // An answer that the binary takes for whole can no longer be closed.
    const first = closes ? body.subarray(0, 1) : body;
    res.cork(() => {
      [, isDone] = res.tryEnd(first, body.length);
    });
    if (isDone) return this.onSent();
    const close = (): void => {
      if (this.state !== 'gone') res.close();
    };
    // The binary goes on with the connection after its call.
    const closeSoon = (): void => this.traffic.options.scheduler.soon(close);
    res.onWritable(() => this.#writeRest(body, closes ? closeSoon : undefined));
    this.#writeRest(body, closes ? close : undefined);
  }

  /** Whether all was taken; else the binary calls again, or ends the connection. */
  #writeRest(body: Buffer, close: (() => void) | undefined): boolean {
    const res = this.#res;
    const attempt = (bytes: Uint8Array): boolean => {
      let isTaken = false;
      // With one byte more than there is the answer stays open.
      res.cork(() => {
        [isTaken] = res.tryEnd(bytes, body.length + 1);
      });
      return isTaken;
    };
    // The second attempt tells whether the binary has kept some of the first.
    if (!attempt(body.subarray(res.getWriteOffset())) || !attempt(NO_BYTES)) return false;
    if (close) close();
    else res.cork(() => res.tryEnd(NO_BYTES, body.length));
    this.onSent();
    return true;
  }
}

/**
 * The binary for Node 24 writes a string whose letters are all of Latin-1 as Latin-1 and others as UTF-8, against its own
 * documentation: it gets bytes.
 */
function bytesOf(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : text;
}

/**
 * In one call, because each crosses into the binary: it writes what it is given, and checkAnswer has seen that no value
 * holds a line break. The binary writes strings as UTF-8 and header values are latin1, so high bytes go as bytes.
 */
function writeHeaders(res: HttpResponse, headers: Headers): void {
  const [first, ...others] = headers;
  if (!first) return;
  let value = first[1];
  for (const [name, next] of others) value += `\r\n${name}: ${next}`;
  res.writeHeader(first[0], HIGH_BYTE.test(value) ? Buffer.from(value, 'latin1') : value);
}

/** Rejects with ListenError. The binary allows it in the main thread only. */
export async function startUwsServer(options: HttpServerOptions): Promise<HttpServer> {
  const traffic = new Traffic(options);
  const connections: Connections = { requestsLeft: traffic.limits.requestsPerConnection };
  let socket: us_listen_socket | undefined;
  let closed = false;
  let app: TemplatedApp;
  try {
    app = createApp(options.tls);
    app.any('/*', (res, req) => new UwsExchange(traffic, connections, res, req).run());
    socket = await listen(app, options);
  } catch (error) {
    traffic.stop();
    throw error;
  }
  const port = uWS.us_socket_local_port(socket as unknown as us_socket);

  const stopListening = (): void => {
    if (!socket) return;
    uWS.us_listen_socket_close(socket);
    socket = undefined;
  };
  return {
    port,
    get pending() {
      return traffic.pending;
    },
    get streams() {
      return traffic.streams;
    },
    stopListening,
    drain(deadlineMs) {
      stopListening();
      return traffic.drain(deadlineMs);
    },
    close() {
      if (closed) return;
      closed = true;
      stopListening();
      traffic.stop();
      app.close();
    },
  };
}

function createApp(tls: HttpServerOptions['tls']): TemplatedApp {
  if (!tls) return uWS.App();
  const { certFile, keyFile } = tls;
  try {
    // The binary gives no reason when it cannot use a file, so look first whether the files can be read.
    for (const file of [certFile, keyFile]) accessSync(file, constants.R_OK);
    return uWS.SSLApp({ cert_file_name: certFile, key_file_name: keyFile });
  } catch (cause) {
    throw certificateError(tls, cause);
  }
}

function listen(app: TemplatedApp, { host, port, exclusive }: HttpServerOptions): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    (app.listen as unknown as Listen).call(app, host, port, exclusive ? EXCLUSIVE_PORT : SHARED_PORT, (socket) => {
      if (socket) resolve(socket);
      else void reasonAgainst(host, port).then(reject);
    });
  });
}

/** The binary gives no reason, so node is asked to do the same. */
function reasonAgainst(host: string, port: number): Promise<ListenError> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(listenError(host, port, error)));
    probe.listen({ host, port, exclusive: true }, () => {
      probe.close(() => resolve(new ListenError(`cannot listen on ${host}:${port}, although it is free now`)));
    });
  });
}

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Ending, Exchange } from './exchange.ts';
import { certificateError, type Headers, type HttpServer, type HttpServerOptions, listenError } from './port.ts';
import type { StreamSink } from './queued-stream.ts';
import { Traffic } from './traffic.ts';

const MAPPED_IPV4 = '::ffff:';
const BODILESS = new Set([204, 304]);
/** Its parser passes 0.9 and 2.0 as well. */
const SPOKEN_VERSIONS = new Set(['1.0', '1.1']);
/** The requests that node itself refuses before a handler sees them. */
const PARSER_REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const PIECE_BYTES = 64 * 1024;

/** The memory of a connection between its requests. */
interface Connection {
  requests: number;
  /** An answer said so: requests that were pipelined behind it are not executed. */
  closing: boolean;
}

class NodeExchange extends Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remoteAddress: string;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #connection: Connection;

  constructor(traffic: Traffic, connection: Connection, req: IncomingMessage, res: ServerResponse) {
    super(traffic);
    this.#req = req;
    this.#res = res;
    this.#connection = connection;
    this.method = req.method ?? '';
    const url = req.url ?? '';
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    for (let i = 0; i < req.rawHeaders.length; i += 2) {
      this.names.push(req.rawHeaders[i]!.toLowerCase());
      this.values.push(req.rawHeaders[i + 1]!);
    }
    const address = req.socket.remoteAddress ?? '';
    this.remoteAddress = address.startsWith(MAPPED_IPV4) ? address.slice(MAPPED_IPV4.length) : address;
    res.on('close', () => {
      if (res.writableFinished) this.onSent();
      else this.onClientGone();
    });
    res.on('error', (err) => traffic.options.log.debug({ err }, 'an answer could not be written'));
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
    return this.#connection.requests >= this.traffic.limits.requestsPerConnection;
  }

  protected override transmit(status: number, headers: Headers, body: string | Buffer, ending: Ending): void {
    const fields = headers.flat();
    const length = this.lengthOf(body);
    if (length !== undefined && !BODILESS.has(status)) fields.push('content-length', `${length}`);
    if (ending !== 'keep') {
      fields.push('connection', 'close');
      this.#connection.closing = true;
    }
    this.hold();
    this.#res.writeHead(status, fields);
    const isBodiless = this.method === 'HEAD' || BODILESS.has(status) || body.length === 0;
    // A string would be joined with the head, and its encoding used for the header values as well.
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (ending === 'linger') this.#endAfterBody(isBodiless ? undefined : bytes);
    else if (isBodiless) this.#res.end();
    else this.#endWith(bytes);
  }

  /** In pieces, as the connection takes them: over TLS a whole large answer does not show that its client reads. */
  #endWith(bytes: Buffer): void {
    const res = this.#res;
    let sent = 0;
    const go = (): void => {
      while (bytes.length - sent > PIECE_BYTES) {
        const flows = res.write(bytes.subarray(sent, sent + PIECE_BYTES));
        sent += PIECE_BYTES;
        if (!flows) {
          res.once('drain', go);
          return;
        }
      }
      res.end(bytes.subarray(sent));
    };
    go();
  }

  /** Answers now and ends later: at the end node closes the connection, with all unread bytes. */
  #endAfterBody(answer: Buffer | undefined): void {
    if (answer) this.#res.write(answer);
    else this.#res.flushHeaders();
    this.#req.once('end', () => this.#res.end());
    this.#req.resume();
  }

  protected override abandon(): void {
    this.#connection.closing = true;
    this.#req.socket.destroy();
  }

  protected override receiveBody(): void {
    this.#req.on('data', (chunk: Buffer) => this.onBodyChunk(chunk, false));
    this.#req.on('end', () => this.onBodyChunk(Buffer.alloc(0), true));
    // A body that breaks off closes the response, which is listened to.
    this.#req.on('error', (err) => this.traffic.options.log.debug({ err }, 'a body broke off'));
  }

  protected override openSink(status: number, headers: Headers): StreamSink {
    const res = this.#res;
    // It may be quiet for long, and has its own bounds.
    this.#req.socket.setTimeout(0);
    res.writeHead(status, headers.flat());
    res.flushHeaders();
    res.on('drain', () => this.onWritable());
    return {
      write: (chunk) => res.write(chunk),
      flush: () => true,
      end: () => res.end(),
      destroy: () => res.destroy(),
    };
  }
}

/** Rejects with ListenError. */
export async function startNodeServer(options: HttpServerOptions): Promise<HttpServer> {
  const traffic = new Traffic(options);
  try {
    return await serve(options, traffic);
  } catch (error) {
    traffic.stop();
    throw error;
  }
}

async function serve(options: HttpServerOptions, traffic: Traffic): Promise<HttpServer> {
  const connections = new WeakMap<Socket, Connection>();
  const server = createFor(options, traffic);
  server.on('request', (req, res) => {
    let connection = connections.get(req.socket);
    if (!connection) {
      connection = { requests: 0, closing: false };
      connections.set(req.socket, connection);
    }
    if (connection.closing) {
      // Not answered, so that node would wait for it with the connection open.
      req.socket.destroySoon();
      return;
    }
    if (!SPOKEN_VERSIONS.has(req.httpVersion)) {
      req.socket.destroy();
      return;
    }
    connection.requests += 1;
    new NodeExchange(traffic, connection, req, res).run();
  });
  server.on('clientError', (error, socket) => {
    if (connections.get(socket as Socket)?.closing) (socket as Socket).destroySoon();
    else refuseUnreadable(error, socket);
  });
  await listen(server, options);

  const stopListening = (): void => {
    if (server.listening) server.close();
  };
  return {
    port: (server.address() as AddressInfo).port,
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
      stopListening();
      traffic.stop();
      server.closeAllConnections();
    },
  };
}

function createFor({ tls }: HttpServerOptions, { limits }: Traffic): Server {
  const settings = {
    // Larger than our own bound, which answers with a body; node's own answer has none.
    maxHeaderSize: 2 * (limits.headerBytes + limits.urlBytes),
    requireHostHeader: false,
    keepAliveTimeout: limits.idleConnectionMs,
    headersTimeout: limits.idleConnectionMs,
    connectionsCheckingInterval: limits.requestScanMs,
  };
  const server = tls ? createSecure(tls, settings) : createServer(settings);
  // For an answer that its client does not read: the time in which no byte moves. A handler may take nearly as long.
  server.timeout = limits.requestDeadlineMs + limits.streamStallMs;
  return server;
}

function createSecure(tls: NonNullable<HttpServerOptions['tls']>, settings: ServerOptions): Server {
  try {
    return createTlsServer({ ...settings, cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) });
  } catch (cause) {
    throw certificateError(tls, cause);
  }
}

function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = PARSER_REFUSALS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function listen(server: Server, { host, port, exclusive }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(host, port, error)));
    server.listen({ host, port, exclusive }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

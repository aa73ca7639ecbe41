import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface HttpAnswer {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  /** One character a byte; `textOf` decodes it. */
  readonly body: string;
}

/** The callbacks of a request on a line: exactly one of them is called for each request. */
export interface LineUser {
  onAnswer(answer: HttpAnswer): void;
  onFailure(error: Error): void;
}

/** Longer than the gateway's own deadline for a request, which answers first. */
const PATIENCE_MS = 20_000;
const READ_BYTES = 65_536;

/** All connections share it: bytes are processed before the next read. */
const readBuffer = Buffer.allocUnsafe(READ_BYTES);

/**
 * One kept-alive HTTP/1.1 connection that costs a load generator little: whole requests go in as they are sent, one at
 * a time, and only what frames an answer is looked at. Connects when it is first used, and again after the server
 * has closed. A request that meets a connection which the server was just closing is sent once more, so it must be one
 * that may arrive twice. Answers need a Content-Length.
 */
export class HttpLine {
  readonly #target: URL;
  #socket: Socket | undefined;
  #user: LineUser | undefined;
  #request: string | Buffer = '';
  #received = '';
  /** Answers that the present connection has given. */
  #answers = 0;
  #mayResend = false;
  #failure: Error | undefined;
  #connections = 0;

  /** Only the origin of `target` counts. */
  constructor(target: URL) {
    this.#target = target;
  }

  /** Connections opened so far. */
  get connections(): number {
    return this.#connections;
  }

  get isBusy(): boolean {
    return this.#user !== undefined;
  }

  /** Strings are sent as latin1. Throws when the answer to an earlier request is still to come. */
  send(request: string | Buffer, user: LineUser): void {
    if (this.#user) throw new Error('a line carries one request at a time');
    this.#user = user;
    this.#request = request;
    this.#mayResend = this.#answers > 0;
    this.#transmit();
  }

  /** A request under way fails. */
  close(): void {
    this.#mayResend = false;
    this.#socket?.destroy(new Error('the connection was closed on this side'));
  }

  #transmit(): void {
    this.#received = '';
    this.#socket ??= this.#open();
    this.#socket.write(this.#request as string, 'latin1');
  }

  #open(): Socket {
    const { hostname, port, protocol } = this.#target;
    const host = hostname.replace(/^\[|\]$/g, '');
    const isTls = protocol === 'https:';
    const place = { host, port: Number(port || (isTls ? 443 : 80)) };
    const socket = isTls
      ? connectTls({ ...place, servername: host }).on('data', (chunk: Buffer) => this.#onText(chunk.toString('latin1')))
      : connect({
          ...place,
          noDelay: true,
          onread: {
            buffer: readBuffer,
            callback: (bytes) => {
              this.#onText(readBuffer.toString('latin1', 0, bytes));
              return true;
            },
          },
        });
    this.#answers = 0;
    this.#connections += 1;
    socket.on('error', (error) => {
      this.#failure = error;
    });
    socket.setTimeout(PATIENCE_MS, () => {
      if (!this.#user) return;
      this.#mayResend = false;
      socket.destroy(new Error(`no answer within ${PATIENCE_MS} ms`));
    });
    socket.on('close', () => {
      if (this.#socket === socket) this.#onClosed();
    });
    return socket;
  }

  #onClosed(): void {
    this.#socket = undefined;
    const failure = this.#failure ?? new Error('the server closed the connection before it answered');
    this.#failure = undefined;
    if (!this.#user) return;
    if (this.#mayResend && this.#received === '') {
      this.#mayResend = false;
      this.#transmit();
      return;
    }
    this.#settle().onFailure(failure);
  }

  #onText(text: string): void {
    if (!this.#user) return;
    const received = this.#received === '' ? text : this.#received + text;
    this.#received = received;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const head = received.slice(0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined && !/^HTTP\/1\.1 (204|304)/.test(head)) {
      this.#mayResend = false;
      this.#socket?.destroy(new Error(`an answer without a Content-Length: ${head.slice(0, 200)}`));
      return;
    }
    const end = headEnd + 4 + Number(length ?? 0);
    if (received.length < end) return;
    this.#answers += 1;
    if (/\r\nconnection: *close/i.test(head)) this.#part();
    this.#settle().onAnswer({ status: Number(head.slice(9, 12)), head, body: received.slice(headEnd + 4, end) });
  }

  /** The server closes after this answer; what comes next needs another connection. */
  #part(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #settle(): LineUser {
    const user = this.#user!;
    this.#user = undefined;
    this.#received = '';
    this.#request = '';
    return user;
  }
}

/** A body as text. */
export function textOf({ body }: HttpAnswer): string {
  return Buffer.from(body, 'latin1').toString('utf8');
}

import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '../../support/until.ts';

export interface RawAnswer {
  /** Everything the server sent, as latin1. */
  readonly text: string;
  readonly statuses: readonly number[];
  /** The server closed the connection before the client gave up waiting. */
  readonly closed: boolean;
}

/** A connection whose bytes the test chooses one by one. */
export class RawClient {
  readonly socket: Socket;
  closed = false;
  lastDataAt = 0;
  readonly #received: Buffer[] = [];

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk) => {
      this.#received.push(chunk);
      this.lastDataAt = performance.now();
    });
    this.socket.on('close', () => {
      this.closed = true;
    });
    // A reset is one of the ways in which a server closes.
    this.socket.on('error', () => {});
  }

  get text(): string {
    return Buffer.concat(this.#received).toString('latin1');
  }

  get receivedBytes(): number {
    return this.#received.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  send(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Resolves when `condition` holds, or after `withinMs`, with whether it holds. */
  async until(condition: () => boolean, withinMs = PATIENCE_MS): Promise<boolean> {
    const end = performance.now() + withinMs;
    while (!condition() && performance.now() < end) await delay(5);
    return condition();
  }

  answer(): RawAnswer {
    const { text } = this;
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
    return { text, statuses, closed: this.closed };
  }

  end(): void {
    this.socket.destroy();
  }
}

export interface Patience {
  /** Answers to wait for; a little longer, so that one too many is seen. */
  readonly answers?: number;
  /** Give up so long after the last piece: for what may be left without a word. */
  readonly quietMs?: number;
}

const AFTER_LAST_DATA_MS = 40;

/** Sends the pieces in packets of their own and collects what comes back, to the end that an answer announces. */
export async function talk(
  port: number,
  pieces: string | Buffer | readonly (string | Buffer)[],
  { answers = 1, quietMs = PATIENCE_MS }: Patience = {},
): Promise<RawAnswer> {
  const client = new RawClient(port);
  const list = typeof pieces === 'string' || Buffer.isBuffer(pieces) ? [pieces] : pieces;
  for (const [i, piece] of list.entries()) {
    if (i > 0) await delay(10);
    client.send(piece);
  }
  const isQuiet = () => performance.now() - client.lastDataAt > AFTER_LAST_DATA_MS;
  const hasAll = () => client.answer().statuses.length >= answers && !/^connection: close/im.test(client.text);
  await client.until(() => client.closed || (isQuiet() && hasAll()), quietMs);
  client.end();
  return client.answer();
}

export const get = (path: string, ...headers: string[]): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`;

export const post = (path: string, body: string, ...headers: string[]): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n` +
  `${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;

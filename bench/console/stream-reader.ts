import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const READ_BYTES = 65_536;
/** All readers share it: nobody looks at the bytes once they are counted. */
const readBuffer = Buffer.allocUnsafe(READ_BYTES);

/**
 * The stream of one console, whose bytes are counted and dropped: it costs the gateway as much as a console, and the machine of
 * the bench hardly anything.
 */
export class StreamReader {
  readonly #socket: Socket;
  bytes = 0;
  isOver = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.once('close', () => {
      this.isOver = true;
    });
    // The end says it.
    socket.on('error', () => {});
  }

  /** Resolves when the stream is open. Rejects when it is refused. */
  static async open(baseUrl: string, authorization: string): Promise<StreamReader> {
    const { hostname, port } = new URL(baseUrl);
    let onBytes = (_count: number): void => {};
    const status = new Promise<string>((resolve) => {
      // At once: the next reader overwrites it.
      onBytes = (count) => resolve(readBuffer.toString('latin1', 0, count).split('\r\n', 1)[0]!);
    });
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer: readBuffer,
        callback: (count) => {
          onBytes(count);
          return true;
        },
      },
    });
    const reader = new StreamReader(socket);
    await once(socket, 'connect');
    const head = ['GET /api/v1/realtime/me/events HTTP/1.1', 'host: bench', 'accept: text/event-stream'];
    socket.write(`${[...head, `authorization: ${authorization}`].join('\r\n')}\r\n\r\n`);
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('a stream ended before it began')));
    const line = await Promise.race([status, closed]);
    if (!line.startsWith('HTTP/1.1 200 ')) throw new Error(`a stream was answered: ${line}`);
    onBytes = (more) => {
      reader.bytes += more;
    };
    // Once it is open, its end is a fact that the reader tells.
    closed.catch(() => {});
    return reader;
  }

  close(): void {
    this.#socket.destroy();
  }
}

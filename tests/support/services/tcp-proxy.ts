import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One client's connection through the proxy. */
export interface ProxiedConnection {
  /** The `application_name` that the client gave to Postgres; empty until then. */
  readonly name: string;
  readonly isOpen: boolean;
  /** Holds the bytes to the server (`up`), to the client (`down`), or both. Nothing is lost. */
  silence(direction: 'up' | 'down' | 'both'): void;
  /** Passes on the held bytes and all later ones. */
  resume(): void;
  /** Resets the connection on both sides. */
  cut(): void;
  /** Bytes from the client that are held now. */
  readonly heldUp: number;
  /** Bytes from the server that are held now. */
  readonly heldDown: number;
  /** Bytes from the server that were passed on so far. */
  readonly sentDown: number;
}

export interface TcpProxy {
  /** The server's address with the proxy in its place. */
  readonly url: string;
  /** The open connections, oldest first. */
  connections(name: string): ProxiedConnection[];
  /** Resets each new connection, from `true` to `false`. */
  refuse(isRefusing: boolean): void;
  stop(): Promise<void>;
}

/** Stands between clients and the Postgres at `serverUrl` and does to their connections what networks do. */
export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const open = new Set<Proxied>();
  let isRefusing = false;
  const server = createServer((client) => {
    if (isRefusing) return void client.on('error', () => {}).resetAndDestroy();
    const proxied = new Proxied(client, connect(Number(target.port), target.hostname), () => open.delete(proxied));
    open.add(proxied);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    connections: (name) => [...open].filter((proxied) => proxied.isOpen && proxied.name === name),
    refuse(refusing) {
      isRefusing = refusing;
    },
    async stop() {
      for (const proxied of open) proxied.cut();
      server.close();
      await once(server, 'close');
    },
  };
}

class Proxied implements ProxiedConnection {
  name = '';
  isOpen = true;
  sentDown = 0;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #held = { up: [] as Buffer[], down: [] as Buffer[] };
  readonly #silent = { up: false, down: false };
  readonly #onEnd: () => void;

  constructor(client: Socket, server: Socket, onEnd: () => void) {
    this.#client = client;
    this.#server = server;
    this.#onEnd = onEnd;
    client.once('data', (startup: Buffer) => {
      this.name = applicationNameIn(startup);
    });
    client.on('data', (bytes: Buffer) => this.#pass('up', bytes));
    server.on('data', (bytes: Buffer) => this.#pass('down', bytes));
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      // The end of one side is the end of the other, for any reason.
      socket.on('error', () => {});
      socket.on('close', () => this.#end());
    }
  }

  get heldUp(): number {
    return lengthOf(this.#held.up);
  }

  get heldDown(): number {
    return lengthOf(this.#held.down);
  }

  silence(direction: 'up' | 'down' | 'both'): void {
    if (direction !== 'down') this.#silent.up = true;
    if (direction !== 'up') this.#silent.down = true;
  }

  resume(): void {
    for (const direction of ['up', 'down'] as const) {
      this.#silent[direction] = false;
      for (const bytes of this.#held[direction].splice(0)) this.#pass(direction, bytes);
    }
    if (!this.isOpen) this.#endBoth();
  }

  cut(): void {
    this.isOpen = false;
    for (const socket of [this.#client, this.#server]) {
      // Node 20 never frees a socket that is reset while it is being shut down, and spins when it exits.
      if (socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
  }

  #pass(direction: 'up' | 'down', bytes: Buffer): void {
    if (this.#silent[direction]) return void this.#held[direction].push(bytes);
    (direction === 'up' ? this.#server : this.#client).write(bytes);
    if (direction === 'down') this.sentDown += bytes.length;
  }

  /** A silent network does not report ends either: held bytes still arrive when it passes bytes again. */
  #end(): void {
    this.isOpen = false;
    if (!this.#silent.up && !this.#silent.down) this.#endBoth();
    if (this.#client.closed && this.#server.closed) this.#onEnd();
  }

  #endBoth(): void {
    this.#client.end();
    this.#server.end();
  }
}

function lengthOf(held: readonly Buffer[]): number {
  return held.reduce((sum, bytes) => sum + bytes.length, 0);
}

/** Read from Postgres's startup message: length, version, then names and values that end in NUL. */
function applicationNameIn(startup: Buffer): string {
  const words = startup.subarray(8).toString('utf8').split('\0');
  const at = words.indexOf('application_name');
  return at === -1 ? '' : words[at + 1]!;
}

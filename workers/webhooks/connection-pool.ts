import type { Socket } from 'node:net';
import { type buildConnector, Client } from 'undici';
import { LIMITS } from '../../schema/limits.ts';

/**
 * A connection to where one URL leads; it carries one delivery at a time.
 *   busy → idle: the answer is whole. idle → busy: taken by the next delivery. Both → gone: closed by either side.
 */
export interface Connection {
  readonly url: string;
  readonly client: Client;
  /** Undefined until it is connected. */
  socket: Socket | undefined;
  /** Deliveries that it has been taken for. */
  carried: number;
  /** The bytes of the answers before. */
  bytesBefore: number;
  /** Called when something of the answer has come, before it is looked at, with its bytes so far. */
  onBytes: ((bytes: number) => void) | undefined;
}

export type UseConnection = (connection: Connection) => void;

/** The bytes of the answer to the delivery that it carries. */
export function bytesOfAnswer({ socket, bytesBefore }: Connection): number {
  return socket ? socket.bytesRead - bytesBefore : 0;
}

/** The connections to one URL, shared with no other: what hangs or misbehaves there meets only its own deliveries. */
interface Route {
  open: number;
  /** The one used last is taken first, so that those not needed time out. */
  readonly idle: Connection[];
  /** Deliveries that found no room. */
  readonly waiting: Set<UseConnection>;
}

/** Keeps connections for the next delivery to the same URL. A URL without a connection leaves nothing behind. */
export class ConnectionPool {
  readonly #connect: buildConnector.connector;
  readonly #routes = new Map<string, Route>();
  readonly #connections = new Set<Connection>();

  constructor(connect: buildConnector.connector) {
    this.#connect = connect;
  }

  /** Hands over a connection, at once or when there is room for one. */
  take(url: URL, use: UseConnection): void {
    const { idle } = this.#routeOf(url.href);
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      if (!connection.socket!.destroyed) return handOver(connection, use);
      this.drop(connection);
    }
    this.open(url, use);
  }

  /** Hands over a new connection at once, or any when there is room. */
  open(url: URL, use: UseConnection): void {
    const route = this.#routeOf(url.href);
    if (route.open < LIMITS.webhookConnectionsPerUrl) handOver(this.#connectTo(url), use);
    else route.waiting.add(use);
  }

  /** Waits no longer. */
  leave(url: URL, use: UseConnection): void {
    this.#routes.get(url.href)?.waiting.delete(use);
  }

  /** The answer is whole: the next delivery may have it. */
  giveBack(connection: Connection): void {
    connection.onBytes = undefined;
    const route = this.#routeOf(connection.url);
    const next = takeFirst(route.waiting);
    if (next) handOver(connection, next);
    else route.idle.push(connection);
  }

  /** Closes a connection that is broken or in the middle of an answer. */
  drop(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    const { url, client } = connection;
    connection.onBytes = undefined;
    void client.destroy();
    const route = this.#routeOf(url);
    route.open -= 1;
    const next = takeFirst(route.waiting);
    if (next) handOver(this.#connectTo(new URL(url)), next);
    else if (route.open === 0) this.#routes.delete(url);
  }

  async stop(): Promise<void> {
    const clients = [...this.#connections].map(({ client }) => client);
    this.#connections.clear();
    this.#routes.clear();
    await Promise.all(clients.map((client) => client.destroy()));
  }

  #routeOf(url: string): Route {
    let route = this.#routes.get(url);
    if (!route) {
      route = { open: 0, idle: [], waiting: new Set() };
      this.#routes.set(url, route);
    }
    return route;
  }

  #connectTo(url: URL): Connection {
    this.#makeRoom();
    const client = new Client(url.origin, {
      ...clientOptions,
      connect: (target, callback) =>
        this.#connect(target, (...[error, socket]) => {
          if (error) return callback(error, null);
          follow(connection, socket);
          callback(null, socket);
        }),
    });
    const connection: Connection = {
      url: url.href,
      client,
      socket: undefined,
      carried: 0,
      bytesBefore: 0,
      onBytes: undefined,
    };
    this.#connections.add(connection);
    this.#routeOf(url.href).open += 1;
    client.on('disconnect', () => this.#dropIdle(connection));
    return connection;
  }

  /** The holder of a busy one drops it. */
  #dropIdle(connection: Connection): void {
    const idle = this.#routes.get(connection.url)?.idle ?? [];
    const index = idle.indexOf(connection);
    if (index < 0) return;
    idle.splice(index, 1);
    this.drop(connection);
  }

  #makeRoom(): void {
    if (this.#connections.size < LIMITS.webhookConnections) return;
    for (const { idle } of this.#routes.values()) {
      const oldest = idle.shift();
      if (oldest) return this.drop(oldest);
    }
    throw new Error(`more than ${LIMITS.webhookConnections} deliveries are under way`);
  }
}

const clientOptions: Client.Options = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: LIMITS.webhookKeepAliveMs,
  keepAliveMaxTimeout: LIMITS.webhookKeepAliveMs,
  maxHeaderSize: LIMITS.webhookAnswerHeadBytes,
  // The holder of the connection watches the total time.
  headersTimeout: 0,
  bodyTimeout: 0,
};

function follow(connection: Connection, socket: Socket): void {
  connection.socket = socket;
  connection.bytesBefore = 0;
  socket.on('readable', () => connection.onBytes?.(bytesOfAnswer(connection)));
}

function handOver(connection: Connection, use: UseConnection): void {
  connection.carried += 1;
  connection.bytesBefore = connection.socket?.bytesRead ?? 0;
  use(connection);
}

function takeFirst(waiting: Set<UseConnection>): UseConnection | undefined {
  const [first] = waiting;
  if (first) waiting.delete(first);
  return first;
}

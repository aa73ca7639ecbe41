import { Socket } from 'node:net';
import postgres from 'postgres';
import { DeadlineError } from '../runtime/deadline.ts';

export type Sql = postgres.Sql<{ bigint: number }>;
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

export interface PostgresOptions {
  readonly name: string;
  readonly connections: number;
  /** Bounds every statement of the connections on the server's side. */
  readonly statementTimeoutMs: number;
}

/** "2026-11-21 03:29:11.5+00", as Postgres writes it in a UTC session, to "2026-11-21T03:29:11.500Z". */
function isoFromPostgres(text: string): string {
  const zone = text.indexOf('+', 19);
  const fraction = text.slice(20, zone === -1 ? undefined : zone);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/**
 * A pool of connections whose values are the engine's: ids are numbers, times are ISO 8601 text, columns camelCase.
 * Neither `begin` nor `reserve` is used anywhere: a backend that dies inside them can take the process along.
 */
export function connectPostgres(url: string, options: PostgresOptions): Sql {
  // Not an object literal in place: the client knows `socket`, its types do not.
  const settings = {
    max: options.connections,
    fetch_types: false,
    socket: openSocket,
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    transform: { column: { from: postgres.toCamel } },
    connection: {
      application_name: options.name,
      TimeZone: 'UTC',
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: options.statementTimeoutMs,
    },
    types: {
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      date: { to: 1184, from: [1184], parse: isoFromPostgres, serialize: String },
      day: { to: 1082, from: [1082], parse: String, serialize: String },
    },
  };
  return postgres(url, settings) as unknown as Sql;
}

/**
 * A socket that closes without calling it an error. When a socket ends with an error, the client (3.4.9) forgets to
 * reject what was handed to the connection between the error and its end: those queries hang, and after reconnecting
 * the answers of others are taken for theirs. Told of a plain close, it rejects them.
 */
function openSocket({ host, port, path }: { host: string[]; port: number[]; path?: string | false }): Socket {
  const socket = new Socket();
  const emit = socket.emit.bind(socket);
  socket.emit = (event: string, ...details: unknown[]) => emit(event, ...(event === 'close' ? [false] : details));
  if (path) socket.connect(path);
  else socket.connect(port[0]!, host[0]!);
  return socket;
}

/** An array parameter: numbers need no quoting. */
export function numberArray(values: Iterable<number>): string {
  return `{${[...values].join(',')}}`;
}

/** An array parameter of texts. */
export function textArray(values: Iterable<string>): string {
  return `{${[...values].map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** SQLSTATE classes of a server that is going away, full, or out of patience. */
const AWAY = /^(08|53|57)/;

/** Whether an error says that Postgres cannot be used now, rather than that something is wrong with what was asked. */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof DeadlineError) return true;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && (AWAY.test(code) || code.startsWith('CONNECT') || /^E[A-Z]+$/.test(code));
}

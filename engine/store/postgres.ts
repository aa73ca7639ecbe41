import postgres from 'postgres';
import { DeadlineError } from '../runtime/deadline.ts';
import { assertClientIsPatched } from './patched-client.ts';

export type Sql = postgres.Sql<{ bigint: number }>;
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

assertClientIsPatched();

/** Reconnecting is as quick after a long absence of Postgres as after a short one. */
const RECONNECT_SECONDS = 0.05;

export interface PostgresOptions {
  readonly name: string;
  readonly connections: number;
  /** Bounds every statement of the connections on the server's side. */
  readonly statementTimeoutMs: number;
}

/** "2026-11-21 03:29:11.5+00" or its JSON, as Postgres writes it in a UTC session, to "2026-11-21T03:29:11.500Z". */
export function isoFromPostgres(text: string): string {
  const zone = text.indexOf('+', 19);
  const fraction = text.slice(20, zone === -1 ? undefined : zone);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/**
 * A pool of connections whose values are the engine's: ids are numbers, times are ISO 8601 text, columns camelCase.
 * Neither `begin` nor `reserve` is used anywhere: a backend that dies inside them can take the process along.
 */
export function connectPostgres(url: string, options: PostgresOptions): Sql {
  return postgres(url, {
    ...ipv6HostOf(url),
    max: options.connections,
    fetch_types: false,
    backoff: () => RECONNECT_SECONDS,
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
      // No statement here is so long that compiling it first would pay.
      jit: 'off',
    },
    types: {
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      date: { to: 1184, from: [1184], parse: isoFromPostgres, serialize: String },
      day: { to: 1082, from: [1082], parse: String, serialize: String },
    },
  }) as unknown as Sql;
}

/** Where a single address of IPv6 leads: the client takes it apart at its colons. */
export function ipv6HostOf(url: string): { host?: string; port?: number } {
  const [, host, port = '5432'] = /^[^/]*\/\/(?:[^/?#]*@)?\[([^\]]+)\](?::(\d+))?(?=[/?#]|$)/.exec(url) ?? [];
  // Its types do not know that it takes lists, which it leaves as they are.
  return host === undefined ? {} : ({ host: [host], port: [Number(port)] } as object);
}

/** The address of a database with settings of its connections, before any that it has. As text: the class URL takes no list of hosts. */
export function withSettings(databaseUrl: string, settings: Readonly<Record<string, string>>): string {
  const [address = ''] = databaseUrl.split('#');
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(settings)}`;
}

/** The rest of a condition on an id. A single one is spelled out: an index then has its rows in the order of the list. */
export function isOneOf(sql: Sql, ids: readonly number[]): Fragment {
  return ids.length === 1 ? sql`= ${ids[0]!}` : sql`= ANY(${numberArray(ids)}::bigint[])`;
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

/** Whether an error says that Postgres cannot be used now, and not that the statement is at fault. */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof DeadlineError) return true;
  const { code, path } = error as { readonly code?: unknown; readonly path?: unknown };
  // A file of ours that cannot be read has the same codes, and a path.
  if (path !== undefined) return false;
  return typeof code === 'string' && (AWAY.test(code) || code.startsWith('CONNECT') || /^E[A-Z]+$/.test(code));
}

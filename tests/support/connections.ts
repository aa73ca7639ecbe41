import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';

/** A process ends only after its connections. Those of a database go with it, so few processes wait this long. */
const IDLE_MS = 3_000;
/** Those to the server itself outlive each database: the next file of the process needs one at once, or none comes. */
const SERVER_IDLE_MS = 300;

interface Idle {
  readonly sql: Sql;
  readonly timer: NodeJS.Timeout;
}

/** Connections that wait for their next use, by the URLs of their databases. */
const idle = new Map<string, Idle[]>();

/**
 * Runs `body` on a connection of the engine's kind that nothing else uses meanwhile. The connection stays for the next
 * call, so `body` leaves no setting, lock or listener behind: tests make thousands of calls, and a new connection costs
 * more than most statements.
 */
export function withSql<T>(databaseUrl: string, body: (sql: Sql) => Promise<T>): Promise<T> {
  return withKept(databaseUrl, IDLE_MS, body);
}

/** The same for the server that makes and drops the databases. */
export function withServer<T>(serverUrl: string, body: (sql: Sql) => Promise<T>): Promise<T> {
  return withKept(serverUrl, SERVER_IDLE_MS, body);
}

async function withKept<T>(databaseUrl: string, idleMs: number, body: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = takeIdle(databaseUrl) ?? openConnection(databaseUrl);
  let isGood = false;
  try {
    const result = await body(sql);
    isGood = true;
    return result;
  } finally {
    if (isGood) keep(databaseUrl, sql, idleMs);
    else await sql.end({ timeout: 5 });
  }
}

/** Closes the connections that wait: their database is about to go. */
export async function closeIdle(databaseUrl: string): Promise<void> {
  const closing = idle.get(databaseUrl) ?? [];
  idle.delete(databaseUrl);
  for (const { timer } of closing) clearTimeout(timer);
  await Promise.all(closing.map(({ sql }) => sql.end({ timeout: 5 })));
}

function openConnection(databaseUrl: string): Sql {
  return connectPostgres(databaseUrl, { name: 'test', connections: 1, statementTimeoutMs: 30_000 });
}

function takeIdle(databaseUrl: string): Sql | undefined {
  const taken = idle.get(databaseUrl)?.pop();
  clearTimeout(taken?.timer);
  return taken?.sql;
}

function keep(databaseUrl: string, sql: Sql, idleMs: number): void {
  const kept = idle.get(databaseUrl) ?? [];
  idle.set(databaseUrl, kept);
  const timer = setTimeout(() => {
    kept.splice(
      kept.findIndex((one) => one.sql === sql),
      1,
    );
    // The server has gone, and the connection with it.
    sql.end({ timeout: 5 }).catch(() => {});
  }, idleMs);
  kept.push({ sql, timer });
}

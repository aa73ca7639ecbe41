import postgres from 'postgres';
import { sleep, systemScheduler } from '../runtime/clock.ts';
import { ipv6HostOf } from './postgres.ts';

/** How long a migration waits for a lock: all who ask for the same lock after it wait as long, readers as well. */
const LOCK_TIMEOUT = '2s';
/** Time for those who waited behind it. */
const PAUSE_MS = 3_000;
/** After a longer wait a line says which processes are in the way. */
const QUIET_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

export interface Waiting {
  /** Gets a line about each longer wait. */
  readonly onWait?: (message: string) => void;
  /** Ends the statement that runs, in Postgres too. */
  readonly signal?: AbortSignal;
}

/** One connection, whose statements say whom they wait for. */
export interface WaitingConnection {
  readonly sql: postgres.Sql;
  /** Waits without a bound. */
  run<T>(query: PromiseLike<T>): Promise<T>;
  /** Runs statements in one transaction. It waits briefly for each lock, and is repeated until it has them all. */
  commit(what: string, statements: string): Promise<void>;
  end(): Promise<void>;
}

export async function connectWaiting(url: string, { onWait, signal }: Waiting): Promise<WaitingConnection> {
  const options = { ...ipv6HostOf(url), max: 1, onnotice: () => {} };
  const sql = postgres(url, { ...options, connection: { application_name: 'dispatch migrate', TimeZone: 'UTC' } });
  /** Looks and ends from outside: the connection itself is busy. It opens when it is needed. */
  const beside = postgres(url, options);
  const [own] = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`.catch(async (error) => {
    await sql.end({ timeout: 0 });
    throw error;
  });

  const isAborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));

  async function tellBlockers(): Promise<void> {
    const [row] = await blockersOf(beside, own!.pid).catch(() => []);
    if (row?.blockers) onWait?.(`waits for ${row.blockers}`);
  }

  async function run<T>(query: PromiseLike<T>): Promise<T> {
    signal?.throwIfAborted();
    const end = () => void beside`SELECT pg_terminate_backend(${own!.pid})`.catch(() => {});
    signal?.addEventListener('abort', end);
    const keepQuiet = systemScheduler.after(QUIET_MS, () => void tellBlockers());
    try {
      return await query;
    } finally {
      keepQuiet();
      signal?.removeEventListener('abort', end);
    }
  }

  async function commit(what: string, statements: string): Promise<void> {
    const text = `BEGIN;\nSET LOCAL lock_timeout = '${LOCK_TIMEOUT}';\n${statements};\nCOMMIT`;
    for (;;) {
      try {
        await run(sql.unsafe(text).simple());
        return;
      } catch (error) {
        if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      }
      await run(sql`ROLLBACK`.simple());
      onWait?.(`${what} got no lock in time, and lets others go on: it tries again in ${PAUSE_MS / 1_000} s`);
      await Promise.race([sleep(PAUSE_MS), isAborted]);
    }
  }

  const end = async () => void (await Promise.all([sql, beside].map((each) => each.end({ timeout: 5 }))));
  return { sql, run, commit, end };
}

/** The processes that hold the lock that another one waits for, or asked for it before. Names and states of other users may be hidden. */
function blockersOf(sql: postgres.Sql, pid: number): Promise<{ blockers: string | null }[]> {
  return sql<{ blockers: string | null }[]>`
    SELECT string_agg(DISTINCT format('process %s of Postgres (%s)', blocker, concat_ws(', ',
      coalesce(nullif(application_name, ''), usename, 'unknown'), state, 'began ' || xact_start)), ' and ') AS blockers
    FROM unnest(pg_blocking_pids(${pid})) AS blocker LEFT JOIN pg_stat_activity activity ON activity.pid = blocker`;
}

import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';
import type { CommitCount } from '../stand/contestants.ts';

/** The rows that a run left in a database; every create makes one row of each of the first five. */
export interface RowCounts {
  readonly tasks: number;
  readonly locations: number;
  readonly packages: number;
  readonly taskHistory: number;
  readonly events: number;
  readonly customers: number;
}

/** Settings on which "acknowledged means durable" rests, as the server under test runs with them. */
export type DurableSettings = Readonly<Record<(typeof DURABLE_SETTINGS)[number], string>>;
const DURABLE_SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method'] as const;

export interface DatabaseProbe {
  durableSettings(): Promise<DurableSettings>;
  /** Commits so far, counted the way that is exact for the contestant. */
  commits(database: string, countedBy: CommitCount): Promise<number>;
  countRows(database: string): Promise<RowCounts>;
  countKeys(database: string): Promise<number>;
  /** Writes the dirty pages of earlier runs, so that no run pays for the one before it. */
  checkpoint(): Promise<void>;
  /** Does the work that a run left for autovacuum, which would otherwise run while another contestant is measured. */
  vacuum(database: string): Promise<void>;
  stop(): Promise<void>;
}

/** Watches a server from outside the databases under test. */
export async function openDatabaseProbe(serverUrl: string): Promise<DatabaseProbe> {
  const sql = connectPostgres(serverUrl, { name: 'bench probe', connections: 1, statementTimeoutMs: 60_000 });
  await sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`;
  return {
    async durableSettings() {
      const rows = await sql<{ name: string; setting: string }[]>`SELECT name, setting FROM pg_settings`;
      const wanted = rows.filter(({ name }) => (DURABLE_SETTINGS as readonly string[]).includes(name));
      return Object.fromEntries(wanted.map(({ name, setting }) => [name, setting])) as DurableSettings;
    },
    async commits(database, countedBy) {
      if (countedBy === 'transaction') {
        const [row] = await sql<
          { next: number }[]
        >`SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next`;
        return row!.next;
      }
      const rows = await sql<{ calls: number }[]>`
        SELECT coalesce(sum(s.calls), 0)::bigint AS calls
        FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
        WHERE d.datname = ${database} AND s.toplevel AND s.query LIKE 'SELECT commit_group(%'`;
      return rows[0]!.calls;
    },
    countRows: (database) => countRows(serverUrl, database),
    countKeys: (database) => countKeys(serverUrl, database),
    async checkpoint() {
      await sql`CHECKPOINT`;
    },
    vacuum: (database) =>
      lookInto(serverUrl, database, async (sql) => {
        await sql`VACUUM (ANALYZE)`;
      }),
    stop: () => sql.end({ timeout: 5 }),
  };
}

/** Outcomes kept under idempotency keys. */
function countKeys(serverUrl: string, database: string): Promise<number> {
  return lookInto(serverUrl, database, async (sql) => {
    const rows = await sql<{ keys: number }[]>`SELECT count(*) AS keys FROM idempotency_records`;
    return rows[0]!.keys;
  });
}

function countRows(serverUrl: string, database: string): Promise<RowCounts> {
  return lookInto(serverUrl, database, async (sql) => {
    const rows = await sql<RowCounts[]>`
      SELECT (SELECT count(*) FROM tasks) AS tasks, (SELECT count(*) FROM locations) AS locations,
        (SELECT count(*) FROM packages) AS packages, (SELECT count(*) FROM task_history) AS task_history,
        (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM customers) AS customers`;
    return rows[0]!;
  });
}

async function lookInto<T>(serverUrl: string, database: string, look: (sql: Sql) => Promise<T>): Promise<T> {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  const sql = connectPostgres(url.href, { name: 'bench probe', connections: 1, statementTimeoutMs: 60_000 });
  try {
    return await look(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

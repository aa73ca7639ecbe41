import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';
import { type CpuWatch, watchCpu } from '../measure/process-cpu.ts';

/** The work of Postgres between two readings. */
export interface Cost {
  /** CPU seconds of all its processes, and of the gateway. */
  readonly postgresSeconds: number;
  readonly gatewaySeconds: number;
  /** Calls of `commit_group`: round trips of the commits. */
  readonly groups: number;
  /** Seconds inside these calls, which include the wait for the disk. */
  readonly groupSeconds: number;
  /** Bytes of the log of Postgres, without images of whole pages. */
  readonly walBytes: number;
  /** Bytes of these images: the first change of a page after a checkpoint. */
  readonly imageBytes: number;
  /** New entries, by the name of the index. */
  readonly entries: ReadonlyMap<string, number>;
  /** Changed rows by table, and how many of them needed no new entry. */
  readonly updates: ReadonlyMap<string, { readonly all: number; readonly hot: number }>;
  /** Statements inside `commit_group` with their calls and seconds; empty unless they are watched. */
  readonly statements: readonly Statement[];
}

export interface Statement {
  readonly text: string;
  readonly calls: number;
  readonly seconds: number;
}

export interface CostMeter {
  /** `isFresh`: begins with written pages, so that a phase pays for its own alone. */
  start(isFresh: boolean): Promise<void>;
  read(): Promise<Cost>;
  stop(): Promise<void>;
}

interface Places {
  readonly databaseUrl: string;
  readonly postmasterPid: number;
  readonly gatewayPid: number;
  /** Also counts the statements inside of functions, which costs time itself. */
  readonly isInside: boolean;
}

interface Start {
  readonly lsn: string;
  readonly cpu: CpuWatch<'postgres' | 'gateway'>;
}

/** Reads the costs of commits from Postgres itself: pg_stat_statements, pg_walinspect and its counters of rows. */
export async function openCostMeter({ databaseUrl, postmasterPid, gatewayPid, isInside }: Places): Promise<CostMeter> {
  const sql = connectPostgres(databaseUrl, { name: 'cost meter', connections: 1, statementTimeoutMs: 120_000 });
  await sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`;
  await sql`CREATE EXTENSION IF NOT EXISTS pg_walinspect`;
  await sql.unsafe(`ALTER SYSTEM SET pg_stat_statements.track = '${isInside ? 'all' : 'top'}'`);
  await sql`SELECT pg_reload_conf()`;
  let begun: Start | undefined;
  return {
    async start(isFresh) {
      if (isFresh) await sql`CHECKPOINT`;
      await sql`SELECT pg_stat_statements_reset(), pg_stat_reset()`;
      const [row] = await sql<{ lsn: string }[]>`SELECT pg_current_wal_insert_lsn()::text AS lsn`;
      begun = { lsn: row!.lsn, cpu: watchCpu({ postgres: { tree: postmasterPid }, gateway: [gatewayPid] }) };
    },
    async read() {
      const { lsn, cpu } = begun!;
      const { postgres, gateway } = cpu.read();
      const groups = await readStatements(sql, true);
      const isCommit = ({ text }: Statement) => text.startsWith('SELECT commit_group(');
      return {
        postgresSeconds: postgres,
        gatewaySeconds: gateway,
        groups: sumOf(groups.filter(isCommit), ({ calls }) => calls),
        groupSeconds: sumOf(groups.filter(isCommit), ({ seconds }) => seconds),
        ...(await readWal(sql, lsn)),
        updates: await readUpdates(sql),
        statements: isInside ? await readStatements(sql, false) : [],
      };
    },
    stop: () => sql.end({ timeout: 5 }),
  };
}

/** The cost of two stretches of work together. */
export function sumOfCosts(one: Cost, other: Cost): Cost {
  return {
    postgresSeconds: one.postgresSeconds + other.postgresSeconds,
    gatewaySeconds: one.gatewaySeconds + other.gatewaySeconds,
    groups: one.groups + other.groups,
    groupSeconds: one.groupSeconds + other.groupSeconds,
    walBytes: one.walBytes + other.walBytes,
    imageBytes: one.imageBytes + other.imageBytes,
    entries: merged(one.entries, other.entries, (a, b) => a + b),
    updates: merged(one.updates, other.updates, (a, b) => ({ all: a.all + b.all, hot: a.hot + b.hot })),
    statements: [...merged(byText(one), byText(other), addStatements).values()].sort((a, b) => b.seconds - a.seconds),
  };
}

function merged<T>(one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>, add: (a: T, b: T) => T): Map<string, T> {
  const all = new Map(one);
  for (const [key, value] of other) {
    const known = all.get(key);
    all.set(key, known === undefined ? value : add(known, value));
  }
  return all;
}

const byText = ({ statements }: Cost) => new Map(statements.map((statement) => [statement.text, statement]));

function addStatements(one: Statement, other: Statement): Statement {
  return { text: one.text, calls: one.calls + other.calls, seconds: one.seconds + other.seconds };
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}

async function readStatements(sql: Sql, isTop: boolean): Promise<Statement[]> {
  const rows = await sql<Statement[]>`
    SELECT s.query AS text, s.calls, s.total_exec_time / 1000 AS seconds
    FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
    WHERE d.datname = current_database() AND s.toplevel = ${isTop} ORDER BY seconds DESC`;
  return [...rows];
}

async function readWal(sql: Sql, from: string): Promise<Pick<Cost, 'walBytes' | 'imageBytes' | 'entries'>> {
  const [sizes] = await sql<{ walBytes: number; imageBytes: number }[]>`
    SELECT coalesce(sum(record_size), 0)::bigint AS wal_bytes, coalesce(sum(fpi_size), 0)::bigint AS image_bytes
    FROM pg_get_wal_stats(${from}::text::pg_lsn, pg_current_wal_flush_lsn(), false)`;
  // A split brings along the entry that caused it, which has no record of its own.
  const entries = await sql<{ name: string; entries: number }[]>`
    SELECT c.relname AS name, count(*) AS entries
    FROM pg_get_wal_block_info(${from}::text::pg_lsn, pg_current_wal_flush_lsn(), false) w
    JOIN pg_class c ON c.relkind = 'i' AND pg_relation_filenode(c.oid) = w.relfilenode
    WHERE w.block_id = 0 AND w.record_type IN ('INSERT_LEAF', 'SPLIT_L', 'SPLIT_R', 'INSERT_POST')
    GROUP BY c.relname ORDER BY entries DESC`;
  return { ...sizes!, entries: new Map(entries.map((row) => [row.name, row.entries])) };
}

async function readUpdates(sql: Sql): Promise<Cost['updates']> {
  await sql`SELECT pg_stat_force_next_flush()`;
  const rows = await sql<{ name: string; all: number; hot: number }[]>`
    SELECT relname AS name, n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE n_tup_upd > 0`;
  return new Map(rows.map(({ name, all, hot }) => [name, { all, hot }]));
}

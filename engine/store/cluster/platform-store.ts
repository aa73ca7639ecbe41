import { LIMITS } from '../../../schema/limits.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { ConfigError } from '../../runtime/config.ts';
import { withDeadline } from '../../runtime/deadline.ts';
import type { RandomSource } from '../../runtime/random.ts';
import type { Sql } from '../postgres.ts';
import { once } from '../statements.ts';
import { DAILY_TABLES, type DailyTable, makePartitions } from './maintenance-store.ts';

/** Settings without which "acknowledged" would not mean "durable". */
const DURABLE_SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

export type DurableSettings = Readonly<Record<(typeof DURABLE_SETTINGS)[number], string>>;

async function readDurableSettings(sql: Sql): Promise<DurableSettings> {
  const rows = await sql<DurableSettings[]>`
    SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "full_page_writes",
      current_setting('synchronous_commit') AS "synchronous_commit"`;
  const { fullPageWrites, synchronousCommit, fsync } = rows[0] as unknown as Record<string, string>;
  return { fsync: fsync!, full_page_writes: fullPageWrites!, synchronous_commit: synchronousCommit! };
}

/** Names the unsafe settings; refuses to start with any, unless volatility is permitted. */
export async function checkDurability(sql: Sql, allowVolatile: boolean): Promise<string[]> {
  const settings = await readDurableSettings(sql);
  const volatile = DURABLE_SETTINGS.filter((name) => settings[name] === 'off' || settings[name] === 'local');
  if (volatile.length > 0 && !allowVolatile) {
    throw new ConfigError(
      `Postgres runs with ${volatile.join(', ')} off: a crash could lose acknowledged changes. ` +
        'Turn them on, or set ALLOW_VOLATILE_POSTGRES=1 if losing data is acceptable here.',
    );
  }
  return volatile;
}

/** Refuses a clock that is further from Postgres's than LIMITS.clockSkewMs. */
export async function checkClock(sql: Sql, clock: Clock): Promise<void> {
  const sentAt = clock.now();
  const rows = await sql<{ now: string }[]>`SELECT clock_timestamp() AS now`;
  const middle = (sentAt + clock.now()) / 2;
  const skewMs = Math.round(Math.abs(Date.parse(rows[0]!.now) - middle));
  if (skewMs > LIMITS.clockSkewMs) {
    throw new ConfigError(
      `This machine's clock is ${skewMs} ms away from Postgres's; at most ${LIMITS.clockSkewMs} ms work.`,
    );
  }
}

const HISTORY_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const newHistory = (random: RandomSource) => random.text(10, HISTORY_ALPHABET);

/**
 * The incarnation of the event logs. A database restored from a dump, copied, or promoted on another timeline, gets a
 * new one, so that no client resumes from sequences that mean other events now. A restored copy of a whole server looks
 * like the server itself: see renewHistory.
 */
export async function currentHistory(sql: Sql, random: RandomSource): Promise<string> {
  const rows = await sql<{ history: string }[]>`
    INSERT INTO log_history AS h (history, system_identifier, timeline, database_oid, table_oid)
      SELECT ${newHistory(random)}, m.* FROM mark_of_history() m
    ON CONFLICT (only_row) DO UPDATE SET
      history = CASE WHEN (h.system_identifier, h.timeline) = (excluded.system_identifier, excluded.timeline)
        AND coalesce(h.database_oid, excluded.database_oid) = excluded.database_oid
        AND coalesce(h.table_oid, excluded.table_oid) = excluded.table_oid
        THEN h.history ELSE excluded.history END,
      system_identifier = excluded.system_identifier, timeline = excluded.timeline,
      database_oid = excluded.database_oid, table_oid = excluded.table_oid
    RETURNING history`;
  return rows[0]!.history;
}

/** The history that programs found last; undefined before the first one. A look never renews it. */
export async function knownHistory(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ history: string }[]>`SELECT history FROM log_history`;
  return row?.history;
}

/** Throws ConfigError when the history was renewed since it was read. Called when others can see that this process runs. */
export async function checkHistory(sql: Sql, random: RandomSource, history: string): Promise<void> {
  if ((await currentHistory(sql, random)) === history) return;
  throw new ConfigError('The history of the event logs was renewed while this gateway started. Start it again.');
}

export interface RenewedHistory {
  readonly history: string;
  /** Null where there was none yet. */
  readonly before: string | null;
}

/**
 * Gives the logs a new history, after a copy of the server's whole data was put back. Throws ConfigError, and changes
 * nothing, while programs run that know the old one.
 */
export async function renewHistory(sql: Sql, random: RandomSource): Promise<RenewedHistory> {
  const history = newHistory(random);
  const [found] = await once(
    sql<{ before: string | null; running: string[] | null }[]>`
      SELECT before, to_json(running) AS running FROM renew_history(${history})`,
    'renewing the history',
  );
  const { before, running } = found!;
  if (!running) return { history, before };
  throw new ConfigError(
    `Programs run on this database that know the history of before (${running.join(', ')}): stop every gateway and the ` +
      'workers first. The lease of one that was killed ends within seconds.',
  );
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Makes the partitions of the coming days; safe to repeat, from any process. Gives way to readers and retries. */
export async function ensurePartitions(sql: Sql): Promise<void> {
  for (const table of DAILY_TABLES) await ensurePartitionsOf(sql, table);
}

async function ensurePartitionsOf(sql: Sql, table: DailyTable): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makePartitions(sql, table);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || attempt === LIMITS.partitionAttempts) throw error;
      await sleep(LIMITS.partitionPauseMs);
    }
  }
}

/** Whether Postgres answers now. */
export async function isReachable(sql: Sql, deadlineMs: number): Promise<boolean> {
  try {
    await withDeadline(sql`SELECT 1`.execute(), deadlineMs, 'reaching Postgres');
    return true;
  } catch {
    return false;
  }
}

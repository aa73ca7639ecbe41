import { LIMITS } from '../../../schema/limits.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { ConfigError } from '../../runtime/config.ts';
import { withDeadline } from '../../runtime/deadline.ts';
import type { RandomSource } from '../../runtime/random.ts';
import type { Sql } from '../postgres.ts';
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

/**
 * The incarnation of the event logs. A database restored from a backup, or promoted on another timeline, gets a new
 * one, so that no client resumes from sequences that mean other events now.
 */
export async function currentHistory(sql: Sql, random: RandomSource): Promise<string> {
  const candidate = random.text(10, HISTORY_ALPHABET);
  const rows = await sql<{ history: string }[]>`
    WITH origin AS (
      SELECT s.system_identifier::text AS system_identifier, c.timeline_id AS timeline
      FROM pg_control_system() s, pg_control_checkpoint() c)
    INSERT INTO log_history AS h (history, system_identifier, timeline)
      SELECT ${candidate}, system_identifier, timeline FROM origin
    ON CONFLICT (only_row) DO UPDATE SET
      history = CASE WHEN (h.system_identifier, h.timeline) = (excluded.system_identifier, excluded.timeline)
        THEN h.history ELSE excluded.history END,
      system_identifier = excluded.system_identifier, timeline = excluded.timeline
    RETURNING history`;
  return rows[0]!.history;
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

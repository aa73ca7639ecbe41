import { LIMITS } from '../../../schema/limits.ts';
import type { Scheduler } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { createOutage } from '../../runtime/outage.ts';
import type { RandomSource } from '../../runtime/random.ts';
import type { Sql } from '../postgres.ts';
import { once } from '../statements.ts';
import { currentHistory } from './platform-store.ts';

export interface HistoryWatchOptions {
  readonly sql: Sql;
  readonly random: RandomSource;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** The one that this process works with. */
  readonly history: string;
  /** Told once that the logs have another one: the process should end, and start again with that. */
  readonly onOther: () => void;
}

/**
 * Looks whether the logs still have the history that this process works with: another program may have renewed it. Where
 * another run of Postgres answers, it may be a standby that was promoted; then this process renews it itself. Returns
 * what ends the looking.
 */
export function watchHistory({ sql, random, scheduler, log, history, onOther }: HistoryWatchOptions): () => void {
  const outage = createOutage(log, 'looking for another history');
  /** The run of Postgres whose mark was compared. A standby can be looked at, and marked only once it is promoted. */
  let marked: string | undefined;
  let isBusy = false;

  async function look(): Promise<void> {
    const [found] = await once(
      sql<{ known: string | null; run: string }[]>`
        SELECT (SELECT history FROM log_history) AS known, pg_postmaster_start_time()::text AS run`,
      'looking for another history',
      LIMITS.fetchDeadlineMs,
    );
    const { known, run } = found!;
    if (known === history && run === marked) return;
    const now = await once(currentHistory(sql, random), 'comparing the history', LIMITS.fetchDeadlineMs);
    marked = run;
    if (now === history) return;
    cancel();
    log.error({ history, now }, 'the event logs have another history; this process ends to start again with it');
    onOther();
  }

  const cancel = scheduler.every(LIMITS.historyLookMs, () => {
    if (isBusy) return;
    isBusy = true;
    look()
      .then(outage.worked, outage.failed)
      .finally(() => {
        isBusy = false;
      });
  });
  return cancel;
}

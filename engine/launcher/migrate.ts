import { ConfigError, readConfig, requireUrl } from '../runtime/config.ts';
import { createLog } from '../runtime/log.ts';
import { migrate } from '../store/migrate.ts';
import { refuseUnusable } from '../store/unusable-database.ts';

/** `npm run migrate`: brings the database of DATABASE_URL up to date, before a new release's processes start. */
const log = createLog('migrate', 'info');
/** Postgres may be out of reach. */
const END_MS = 5_000;
const ending = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // npm passes on the signal of a Ctrl-C that has reached this process already.
    if (ending.signal.aborted) return;
    log.warn(`${signal}: what the migration that runs did is undone`);
    ending.abort();
    setTimeout(() => process.exit(1), END_MS).unref();
  });
}
try {
  const url = requireUrl('DATABASE_URL', readConfig().databaseUrl);
  const waiting = { onWait: (message: string) => log.warn(message), signal: ending.signal };
  const done = await migrate(url, waiting).catch(refuseUnusable);
  log.info({ done }, done.length > 0 ? 'migrated' : 'nothing to migrate');
} catch (error) {
  if (ending.signal.aborted) log.fatal('ended before everything was migrated');
  else if (error instanceof ConfigError) log.fatal(error.message);
  else log.fatal({ err: error }, 'the database could not be migrated');
  process.exit(1);
}

import { ConfigError, readConfig, requireUrl } from '../runtime/config.ts';
import { createLog } from '../runtime/log.ts';
import { migrate } from '../store/migrate.ts';

/** `npm run migrate`: brings the database of DATABASE_URL up to date, before a new release's processes start. */
const log = createLog('migrate', 'info');
try {
  const done = await migrate(requireUrl('DATABASE_URL', readConfig().databaseUrl));
  log.info({ done }, done.length > 0 ? 'migrated' : 'nothing to migrate');
} catch (error) {
  if (error instanceof ConfigError) log.fatal(error.message);
  else log.fatal({ err: error }, 'the database could not be migrated');
  process.exit(1);
}

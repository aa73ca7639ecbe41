import { migrate } from '../engine/store/migrate.ts';
import { connectPostgres } from '../engine/store/postgres.ts';
import { optionalText, readOptions, usageError, wholeNumber } from './command-line.ts';
import { seedTasks } from './seed/seed-tasks.ts';
import { runToEnd } from './stand/run-to-end.ts';

/**
 * `npm run seed -- --tasks 1000000 --database-url postgres://…`: makes an organization with that many tasks in a
 * database, migrating it first, and prints its key.
 */

const USAGE = 'Usage: npm run seed -- [--tasks 1000000] [--database-url postgres://…, by default DATABASE_URL]';
const MOST_TASKS = 10_000_000;
const STATEMENT_MS = 600_000;

await runToEnd(async (releaser) => {
  const { tasks, databaseUrl } = parseSeedOptions(process.argv.slice(2));
  await migrate(databaseUrl);
  const sql = connectPostgres(databaseUrl, { name: 'seed', connections: 1, statementTimeoutMs: STATEMENT_MS });
  releaser.push('seed connection', () => sql.end({ timeout: 5 }));
  const seeded = await seedTasks(sql, tasks, (line) => console.log(line));
  console.log(JSON.stringify(seeded));
  return 0;
});

function parseSeedOptions(args: readonly string[]): { readonly tasks: number; readonly databaseUrl: string } {
  const { values } = readOptions(args, USAGE, {
    tasks: wholeNumber(1_000_000, MOST_TASKS),
    'database-url': optionalText(),
  });
  const databaseUrl = values['database-url'] ?? process.env['DATABASE_URL'];
  if (!databaseUrl) throw usageError('There is no database to seed.', USAGE);
  return { tasks: values.tasks, databaseUrl };
}

import { parseArgs } from 'node:util';
import { migrate } from '../engine/store/migrate.ts';
import { connectPostgres } from '../engine/store/postgres.ts';
import { seedTasks } from './seed/seed-tasks.ts';
import { runToEnd, UsageError } from './stand/run-to-end.ts';

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
  const { values } = parseOrExplain(args);
  const tasks = Number(values.tasks);
  if (!Number.isInteger(tasks) || tasks < 1 || tasks > MOST_TASKS)
    throw new UsageError(`--tasks: "${values.tasks}" is no whole number between 1 and ${MOST_TASKS}.\n\n${USAGE}`);
  const databaseUrl = values['database-url'] ?? process.env['DATABASE_URL'];
  if (!databaseUrl) throw new UsageError(`There is no database to seed.\n\n${USAGE}`);
  return { tasks, databaseUrl };
}

function parseOrExplain(args: readonly string[]) {
  try {
    const options = { tasks: { type: 'string', default: '1000000' }, 'database-url': { type: 'string' } } as const;
    return parseArgs({ args: [...args], options });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

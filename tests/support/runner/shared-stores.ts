import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { startEmbeddedPostgres } from '../../../engine/launcher/stores/embedded-postgres.ts';
import { startLocalRedis } from '../../../engine/launcher/stores/local-redis.ts';
import type { Releaser } from '../../../engine/runtime/lifecycle.ts';
import { migrate } from '../../../engine/store/migrate.ts';
import { createDatabase, randomName, STORE_VARIABLES } from '../stores.ts';
import { startDatabaseSweeper } from './database-sweeper.ts';

/** Durable, as the engine demands, and modest: it shares the machine with the tests. */
const POSTGRES_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  // Where a test asks for it: statements of all databases of a run would push each other out.
  'pg_stat_statements.track': 'none',
  shared_buffers: '64MB',
  max_connections: 400,
};

/**
 * Starts the stores of one run under `directory`, or takes those that the environment names, and makes the template
 * database. Returns the environment for the test files.
 */
export async function startSharedStores(
  directory: string,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const [databaseUrl, redisUrl] = await Promise.all([
    process.env[STORE_VARIABLES.databaseUrl] ?? startPostgres(join(directory, 'postgres'), releaser, signal),
    process.env[STORE_VARIABLES.redisUrl] ?? startRedis(join(directory, 'redis'), releaser, signal),
  ]);
  signal.throwIfAborted();
  startDatabaseSweeper(databaseUrl, releaser);
  const template = await createDatabase(databaseUrl, randomName('template'));
  releaser.push('template database', template.drop);
  await migrate(template.url);
  return {
    [STORE_VARIABLES.databaseUrl]: databaseUrl,
    [STORE_VARIABLES.redisUrl]: redisUrl,
    [STORE_VARIABLES.templateDatabase]: template.name,
  };
}

async function startPostgres(directory: string, releaser: Releaser, signal: AbortSignal): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const server = await startEmbeddedPostgres({ directory, settings: POSTGRES_SETTINGS, signal });
  releaser.push('postgres', () => stopServer(server), STOP_DEADLINE_MS);
  await shortenLogins(server.url);
  return server.url;
}

/** A login costs its client thousands of hashes, and tests make thousands of logins. */
async function shortenLogins(url: string): Promise<void> {
  const { password } = new URL(url);
  const sql = postgres(url, { max: 1 });
  await sql.unsafe(`SET scram_iterations = 1; ALTER ROLE postgres PASSWORD '${password}'`);
  await sql.end();
}

async function startRedis(directory: string, releaser: Releaser, signal: AbortSignal): Promise<string> {
  const server = await startLocalRedis({ directory, persistence: 'none', signal });
  releaser.push('redis', () => stopServer(server), STOP_DEADLINE_MS);
  return server.url;
}

/** Longer than the servers' own steps from asking to kill. */
const STOP_DEADLINE_MS = 30_000;

async function stopServer(server: {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
}): Promise<void> {
  await server.stop();
  try {
    process.kill(server.pid, 0);
  } catch {
    return;
  }
  throw new Error(`${server.name} is still there as process ${server.pid}`);
}

import { randomBytes } from 'node:crypto';
import { migrate } from '../../engine/store/migrate.ts';
import { closeIdle, withServer } from './connections.ts';

/** The variables by which tests/run.ts gives the stores of the run to the test files. */
export const STORE_VARIABLES = {
  databaseUrl: 'TEST_DATABASE_URL',
  redisUrl: 'TEST_REDIS_URL',
  /** Name of a migrated database to copy; absent when a file is run by hand. */
  templateDatabase: 'TEST_TEMPLATE_DATABASE',
} as const;

export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** Drops the database and cuts its connections: at once, or later where a run sweeps. */
  drop(): Promise<void>;
}

/** The mark of databases that a run sweeps. */
const UNUSED = 'unused';

export interface TestRedis {
  readonly url: string;
  /**
   * The start of every key of one test. The server is shared: FLUSHALL, SHUTDOWN and the like need a server of their
   * own.
   */
  readonly prefix: string;
}

/** An empty database of its own on the shared server. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(getVariable('databaseUrl'), randomName('test'));
}

/** A database of its own with all migrations run: a copy of the run's template where there is one. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const database = planMigratedDatabase();
  await database.create();
  return database;
}

/** A migrated database whose URL is known before it is created. */
export function planMigratedDatabase(): TestDatabase & { create(): Promise<void> } {
  const [serverUrl, name] = [getVariable('databaseUrl'), randomName('test')];
  const template = process.env[STORE_VARIABLES.templateDatabase];
  const database = databaseAt(serverUrl, name);
  const create = async () => {
    await createDatabase(serverUrl, name, template);
    if (!template) await migrate(database.url);
  };
  return { ...database, create };
}

export function testRedis(): TestRedis {
  return { url: getVariable('redisUrl'), prefix: randomName('test') };
}

/** `template`, when given, must have no connections; further options of CREATE DATABASE may follow it. */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<TestDatabase> {
  // Copying files costs half of what writing each page to the log does.
  await onServer(serverUrl, `CREATE DATABASE ${name}${template ? ` TEMPLATE ${template} STRATEGY FILE_COPY` : ''}`);
  return databaseAt(serverUrl, name);
}

function databaseAt(serverUrl: string, name: string): TestDatabase {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = async () => {
    await closeIdle(url.href);
    // Empty where a run has no template: its sweeper drops the databases all the same.
    if (process.env[STORE_VARIABLES.templateDatabase] !== undefined) await markUnused(serverUrl, name);
    else await dropDatabases(serverUrl, [name]);
  };
  return { name, url: url.href, drop };
}

async function markUnused(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, `COMMENT ON DATABASE ${name} IS '${UNUSED}'`);
}

/** One after the other: a connection costs more than the wait for a checkpoint. */
export async function dropDatabases(serverUrl: string, names: readonly string[]): Promise<void> {
  for (const name of names) await onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** Databases whose tests have ended. */
export async function listUnusedDatabases(serverUrl: string): Promise<string[]> {
  const rows = await onServer<{ name: string }>(
    serverUrl,
    `SELECT datname AS name FROM pg_database WHERE shobj_description(oid, 'pg_database') = '${UNUSED}'`,
  );
  return rows.map(({ name }) => name);
}

/** A name that Postgres and Redis accept without quotes. */
export function randomName(kind: string): string {
  return `${kind}_${randomBytes(8).toString('hex')}`;
}

function onServer<Row extends object = object>(serverUrl: string, statement: string): Promise<readonly Row[]> {
  return withServer(serverUrl, (sql) => sql.unsafe<Row[]>(statement));
}

function getVariable(name: keyof typeof STORE_VARIABLES): string {
  const value = process.env[STORE_VARIABLES[name]];
  if (value) return value;
  throw new Error(
    `${STORE_VARIABLES[name]} is not set: run this file with \`npm run test:only -- <file>\`, which starts the stores.`,
  );
}

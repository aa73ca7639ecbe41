import { readdir, readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { ConfigError } from '../runtime/config.ts';
import type { Sql } from './postgres.ts';

const MIGRATIONS = new URL('../../schema/migrations/', import.meta.url);
/** Any fixed number: whoever holds this advisory lock migrates. */
const LOCK = 7_206_316;

/**
 * Brings the database up to date: runs the numbered SQL files that it has not run yet, each in a transaction of its
 * own, while an advisory lock keeps other processes out. Returns the names of those it ran.
 */
export async function migrate(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { TimeZone: 'UTC' } });
  try {
    await sql`SELECT pg_advisory_lock(${LOCK})`;
    await sql`CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now())`;
    const wanted = await listPending(sql);
    for (const name of wanted) {
      const text = await readFile(new URL(name, MIGRATIONS), 'utf8');
      const record = `INSERT INTO migrations (name) VALUES ('${name.replaceAll("'", "''")}')`;
      await sql.unsafe(`BEGIN;\n${text};\n${record};\nCOMMIT`).simple();
    }
    return wanted;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Refuses a database that this release's migrations have not all run in. */
export async function checkMigrated(sql: Sql): Promise<void> {
  const [table] = await sql`SELECT to_regclass('migrations') AS name`;
  const pending = table!['name'] === null ? ['all of them'] : await listPending(sql);
  if (pending.length > 0) {
    throw new ConfigError(`The database lacks migrations (${pending.join(', ')}). Run \`npm run migrate\` first.`);
  }
}

async function listPending(sql: postgres.Sql | Sql): Promise<string[]> {
  const done = new Set((await sql<{ name: string }[]>`SELECT name FROM migrations`).map((row) => row.name));
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql'));
  return names.filter((name) => !done.has(name)).sort();
}

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type postgres from 'postgres';
import { ConfigError } from '../runtime/config.ts';
import { connectWaiting, type Waiting } from './lock-waits.ts';
import type { Sql } from './postgres.ts';
import { refuseShut } from './unusable-database.ts';

const MIGRATIONS = new URL('../../schema/migrations/', import.meta.url);
const FUNCTIONS = new URL('../../schema/functions/', import.meta.url);
/** Any fixed number: the holder of this advisory lock migrates. */
const LOCK = 7_206_316;
/** Migrations of early databases whose files have gone, or have another name since. */
const GONE: readonly string[] = ['0002-commit-group.sql', '0027-session-pairs.sql'];

interface Step {
  /** The note of a step that has run: the name of a migration, or a file of functions with the digest of its text. */
  readonly name: string;
  readonly text: string;
}

/**
 * Brings the database up to date, while an advisory lock keeps other processes out. It runs the missing numbered
 * migrations, each in a transaction of its own, then the files of functions with a new text, all in one transaction: a
 * gateway that runs beside never finds functions of two releases. Only a commit in flight goes on as it began, so the
 * functions that it calls must stay for one release more. A step that gets no lock in time lets others go on, and is
 * tried again. Returns the names of the steps that it ran. Throws ConfigError, and changes nothing, when a newer release
 * has taken the database over, or when it cannot keep every text.
 */
export async function migrate(url: string, waiting: Waiting = {}): Promise<string[]> {
  const { sql, run, commit, end } = await connectWaiting(url, waiting);
  try {
    await checkTexts(sql);
    await run(sql`SELECT pg_advisory_lock(${LOCK})`);
    await run(
      sql`CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now())`,
    );
    const pending = await listPending(sql);
    const migrations = pending.filter((step) => !isFunctions(step));
    for (const step of migrations) await commit(step.name, statementsOf(step));
    const functions = pending.filter(isFunctions);
    if (functions.length > 0) await commit('The functions', functions.map(statementsOf).join(';\n'));
    return pending.map(({ name }) => name);
  } finally {
    await end();
  }
}

const isFunctions = ({ name }: Step) => name.includes('@');

/** A step, and the note that it has run; of a file of functions only the text that ran last is noted. */
function statementsOf(step: Step): string {
  const { name, text } = step;
  const [file] = name.split('@');
  const forget = isFunctions(step) ? `DELETE FROM migrations WHERE starts_with(name, '${file}@');` : '';
  return `${text};\n${forget}\nINSERT INTO migrations (name) VALUES ('${name}')`;
}

/**
 * Refuses a database whose encoding lacks letters, or does not know them as such, and one with other small letters than
 * lower() has elsewhere: addresses of users are compared by them.
 */
async function checkTexts(sql: postgres.Sql | Sql): Promise<void> {
  const [row] = await sql<{ name: string; encoding: string; small: string }[]>`
    SELECT current_database() AS name, current_setting('server_encoding') AS encoding, lower('I') AS small`;
  const { name, encoding, small } = row!;
  if (encoding === 'UTF8' && small === 'i') return;
  if (encoding === 'UTF8') throw new ConfigError(localeRefusal(name, small));
  throw new ConfigError(
    `The database ${name} has the encoding ${encoding}, which cannot keep every text: make another one with ` +
      "`CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`, name it in DATABASE_URL, and restore a dump into it if " +
      'this one has data.',
  );
}

function localeRefusal(name: string, small: string): string {
  return (
    `The database ${name} has a locale whose small letter of I is ${small}, so that users would not be found by their ` +
    'addresses: make another one with ' +
    "`CREATE DATABASE … ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'und' TEMPLATE template0`, name it in " +
    'DATABASE_URL, and restore a dump into it if this one has data.'
  );
}

/** Refuses a database that is shut, lacks a migration of this release, has one of a newer release, or cannot keep every text. */
export async function checkMigrated(sql: Sql): Promise<void> {
  await checkTexts(sql).catch(refuseShut);
  const [table] = await sql`SELECT to_regclass('migrations') AS name`;
  const pending = table!['name'] === null ? ['every migration'] : (await listPending(sql)).map(({ name }) => name);
  if (pending.length > 0) {
    throw new ConfigError(`The database lacks migrations (${pending.join(', ')}). Run \`npm run migrate\` first.`);
  }
}

async function listPending(sql: postgres.Sql | Sql): Promise<Step[]> {
  const done = new Set((await sql<{ name: string }[]>`SELECT name FROM migrations`).map((row) => row.name));
  const migrations = await readFolder(MIGRATIONS);
  assertNoneNewer(done, migrations);
  const functions = (await readFolder(FUNCTIONS)).map(({ name, text }) => ({
    name: `${name}@${hash('sha256', text, 'hex').slice(0, 12)}`,
    text,
  }));
  return [...migrations, ...functions].filter(({ name }) => !done.has(name));
}

/** Files of functions cannot tell: of each only the text that ran last is noted, and one of before looks like a later one. */
function assertNoneNewer(done: ReadonlySet<string>, migrations: readonly Step[]): void {
  const known = new Set([...GONE, ...migrations.map(({ name }) => name)]);
  const newer = [...done].filter((name) => !name.includes('@') && !known.has(name)).sort();
  if (newer.length === 0) return;
  throw new ConfigError(
    `A newer release has taken the database over: this one does not know its migrations (${newer.join(', ')}). ` +
      'Start the newer release, or restore the backup from before the upgrade.',
  );
}

async function readFolder(folder: URL): Promise<Step[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(new URL(name, folder), 'utf8') })));
}

import { after, before } from 'node:test';
import { connectPostgres, type PostgresOptions, type Sql } from '../../../engine/store/postgres.ts';
import { planMigratedDatabase } from '../stores.ts';

export interface DatabaseFixture {
  readonly url: string;
  /** One connection, unless the options say more. */
  readonly sql: Sql;
  /** Further connections, to another URL of the same database perhaps; closed with the fixture. */
  connect(options?: Partial<PostgresOptions>, url?: string): Sql;
}

/**
 * One migrated database for all tests of a file; connections open with their first statement. `prepare` runs once it is
 * there: a hook of the file's own would not wait for it, since node:test starts the hooks of a file without waiting for
 * one another. `leave` runs before it goes.
 */
export function useDatabase(
  options: Partial<PostgresOptions> = {},
  prepare: () => Promise<void> = async () => {},
  leave: () => Promise<void> = async () => {},
): DatabaseFixture {
  const database = planMigratedDatabase();
  const opened: Sql[] = [];

  function connect(more: Partial<PostgresOptions> = {}, url = database.url): Sql {
    const sql = connectPostgres(url, { name: 'test', connections: 1, statementTimeoutMs: 30_000, ...options, ...more });
    opened.push(sql);
    return sql;
  }

  before(async () => {
    await database.create();
    await prepare();
  });
  after(async () => {
    await leave();
    await Promise.all(opened.map((sql) => sql.end({ timeout: 5 })));
    await database.drop();
  });
  return { url: database.url, sql: connect(), connect };
}

import type { Sql } from '../../../engine/store/postgres.ts';

/** Tables with rows of organizations, a partitioned one as a whole. */
async function listTenantTables(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
      AND a.attname = 'organization_id' AND NOT a.attisdropped ORDER BY 1`;
  return rows.map(({ name }) => name);
}

/** Counts the organization's rows in each table. */
export async function countRows(sql: Sql, organizationId: number): Promise<Readonly<Record<string, number>>> {
  const tables = await listTenantTables(sql);
  // One statement: tests ask for this again and again.
  const counts = tables.map((table) => `(SELECT count(*) FROM "${table}" WHERE organization_id = $1)`);
  const [row] = await sql.unsafe<string[][]>(`SELECT ${counts.join(', ')}`, [organizationId]).values();
  return Object.fromEntries(tables.map((table, index) => [table, Number(row![index])]));
}

/** A digest of all rows of the organization, by table. */
export async function digestRows(sql: Sql, organizationId: number): Promise<Readonly<Record<string, string | null>>> {
  const digests: Record<string, string | null> = {};
  for (const table of await listTenantTables(sql)) {
    const [row] = await sql<{ digest: string | null }[]>`
      SELECT md5(string_agg(t::text, E'\n' ORDER BY t::text)) AS digest FROM ${sql(table)} t
      WHERE organization_id = ${organizationId}`;
    digests[table] = row!.digest;
  }
  return digests;
}

/** Lists the tables of any kind that have a row whose text holds one of the words. */
export async function findInRows(sql: Sql, words: readonly string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relkind IN ('r', 'm') AND relnamespace = current_schema()::regnamespace ORDER BY 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    for (const word of words) {
      const rows = await sql`SELECT 1 FROM ${sql(name)} t WHERE position(${word} IN t::text) > 0 LIMIT 1`;
      if (rows.length > 0) found.push(`${name}: ${word}`);
    }
  }
  return found;
}

import { LIMITS } from '../../../schema/limits.ts';
import type { FindPackagesQuery, PackageRecord } from '../../../schema/tasks/package.ts';
import { type Sql, textArray } from '../postgres.ts';
import { PACKAGE } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';

export interface PackagePage {
  readonly items: readonly PackageRecord[];
  /** Exact number of matching packages, of the same snapshot as the items. */
  readonly count: number;
  /** Sequence of the organization's log at which the page was true. */
  readonly sequence: number;
}

/** A page of the packages that have one of the barcodes, newest first; those of one agent's tasks with `onlyAgentId`. */
export async function findPackages(
  sql: Sql,
  organizationId: number,
  { barcode, page, limit }: FindPackagesQuery,
  onlyAgentId: number | null,
): Promise<PackagePage> {
  // A value of each package that was found, and no join: an agent may have had many more tasks.
  const own = sql`AND (SELECT t.agent_id FROM tasks t
    WHERE t.organization_id = ${organizationId} AND t.id = p.task_id) = ${onlyAgentId}`;
  const matching = sql`p.organization_id = ${organizationId} AND p.barcode = ANY(${textArray(barcode)}::text[])
    ${onlyAgentId === null ? sql`` : own}`;
  const query = () => sql<{ sequence: number; count: number; package: unknown[] | null }[]>`
    SELECT h.last_sequence AS sequence, (SELECT count(*) FROM packages p WHERE ${matching}) AS count, b.package
    FROM organization_heads h LEFT JOIN (
      SELECT p.created_at, p.id, ${sql.unsafe(PACKAGE.json('p'))} AS package FROM packages p WHERE ${matching}
      ORDER BY p.created_at DESC, p.id DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.created_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'finding packages');
  return {
    items: rows.flatMap((row) => (row.package ? PACKAGE.ofJson(row.package) : [])),
    count: rows[0]?.count ?? 0,
    sequence: rows[0]?.sequence ?? 0,
  };
}

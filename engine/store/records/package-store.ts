import { LIMITS } from '../../../schema/limits.ts';
import type { FindPackagesQuery, PackageRecord } from '../../../schema/tasks/package.ts';
import { type Listed, type ListPage, listPart, listPlace, pageOf } from '../list-page.ts';
import { type Sql, textArray } from '../postgres.ts';
import { PACKAGE } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';

/** A page of the packages that have one of the barcodes, newest first; those of one agent's tasks with `onlyAgentId`. */
export async function findPackages(
  sql: Sql,
  organizationId: number,
  { barcode, part }: FindPackagesQuery,
  onlyAgentId: number | null,
): Promise<ListPage<PackageRecord>> {
  // A value of each package that was found, and no join: an agent may have had many more tasks.
  const own = sql`AND (SELECT t.agent_id FROM tasks t
    WHERE t.organization_id = ${organizationId} AND t.id = p.task_id) = ${onlyAgentId}`;
  const matching = sql`p.organization_id = ${organizationId} AND p.barcode = ANY(${textArray(barcode)}::text[])
    ${onlyAgentId === null ? sql`` : own}`;
  const query = () => sql<Listed<{ package: unknown[] }>[]>`
    SELECT h.last_sequence AS sequence, (SELECT count(*) FROM packages p WHERE ${matching}) AS count, b.package,
      ${sql.unsafe(listPlace())}
    FROM organization_heads h LEFT JOIN (
      SELECT p.created_at, p.id, ${sql.unsafe(PACKAGE.json('p'))} AS package FROM packages p WHERE ${matching}
        ${listPart(sql, part, 'p')}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.created_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'finding packages');
  return pageOf(rows, part, (row) => PACKAGE.ofJson(row.package));
}

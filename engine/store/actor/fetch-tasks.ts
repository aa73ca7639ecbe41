import type { TaskBundle } from '../../../schema/tasks/task.ts';
import { numberArray, type Sql } from '../postgres.ts';
import { BUNDLE } from '../rows/record-tables.ts';

/** Tasks by their ids; a part comes with the whole of its job. */
export async function fetchTasks(sql: Sql, organizationId: number, ids: ReadonlySet<number>): Promise<TaskBundle[]> {
  if (ids.size === 0) return [];
  const rows = await sql`
    SELECT ${sql.unsafe(BUNDLE.list)} FROM tasks t
    WHERE t.organization_id = ${organizationId} AND t.id = ANY(${numberArray(ids)}::bigint[])`.values();
  const found = rows.map(BUNDLE.ofRow);
  const jobIds = new Set(found.flatMap(({ task }) => task.parentId ?? []));
  if (jobIds.size === 0) return found;
  const others = found.filter(({ task }) => task.parentId === null && !jobIds.has(task.id));
  return [...others, ...(await fetchTasks(sql, organizationId, jobIds))];
}

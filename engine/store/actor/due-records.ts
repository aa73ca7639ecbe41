import { LIMITS } from '../../../schema/limits.ts';
import type { TaskBundle } from '../../../schema/tasks/task.ts';
import type { Sql } from '../postgres.ts';
import { type FetchedAgents, fetchAgents } from '../records/agent-store.ts';
import { fetchTasks } from './fetch-tasks.ts';

/** Tasks and agents whose timers are due, each task with its job if it has one, and when the next one after them is. */
export interface DueRecords {
  readonly taskIds: readonly number[];
  readonly tasks: readonly TaskBundle[];
  readonly agentIds: readonly number[];
  /** Those agents with their loads; undefined when there are none. */
  readonly ofAgents: FetchedAgents | undefined;
  readonly nextDeadlineAt: string | null;
  /** There may be more that are due: as many were read as are looked at together. */
  readonly isFull: boolean;
}

export async function fetchDue(sql: Sql, organizationId: number, now: string): Promise<DueRecords> {
  const most = LIMITS.deadlinesPerWake;
  const [taskIds, agentIds] = (
    await Promise.all([
      // The deadlines of moving tasks stand in no index: these tasks are read one by one.
      sql<{ id: number }[]>`
        SELECT id FROM (
          (SELECT id, settled_deadline_at AS at FROM tasks
            WHERE organization_id = ${organizationId} AND settled_deadline_at <= ${now}::timestamptz
            ORDER BY settled_deadline_at LIMIT ${most})
          UNION ALL (SELECT id, deadline_at AS at FROM tasks
            WHERE organization_id = ${organizationId} AND settled_rank IS NULL AND deadline_at <= ${now}::timestamptz
            ORDER BY deadline_at LIMIT ${most})) due
        ORDER BY at LIMIT ${most}`,
      sql<{ id: number }[]>`
        SELECT id FROM agents WHERE organization_id = ${organizationId} AND deadline_at <= ${now}::timestamptz
        ORDER BY deadline_at LIMIT ${most}`,
    ])
  ).map((rows) => rows.map(({ id }) => id));
  const [tasks, ofAgents] = await Promise.all([
    fetchTasks(sql, organizationId, new Set(taskIds)),
    agentIds!.length === 0 ? undefined : fetchDueAgents(sql, organizationId, new Set(agentIds)),
  ]);
  const found = { taskIds: taskIds!, tasks, agentIds: agentIds!, ofAgents };
  const isFull = [taskIds!, agentIds!].some(({ length }) => length === most);
  if (isFull) return { ...found, nextDeadlineAt: now, isFull };
  const next = await sql<{ at: string | null }[]>`
    SELECT least(
      (SELECT min(settled_deadline_at) FROM tasks
        WHERE organization_id = ${organizationId} AND settled_deadline_at > ${now}::timestamptz),
      (SELECT min(deadline_at) FROM tasks
        WHERE organization_id = ${organizationId} AND settled_rank IS NULL AND deadline_at > ${now}::timestamptz),
      (SELECT min(deadline_at) FROM agents
        WHERE organization_id = ${organizationId} AND deadline_at > ${now}::timestamptz)) AS at`;
  return { ...found, nextDeadlineAt: next[0]!.at, isFull };
}

function fetchDueAgents(sql: Sql, organizationId: number, agentIds: Set<number>): Promise<FetchedAgents> {
  return fetchAgents(sql, organizationId, { agentIds, userEmails: new Set(), loadedAgentIds: agentIds });
}

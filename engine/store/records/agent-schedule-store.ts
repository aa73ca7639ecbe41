import type { WorkShift } from '../../../schema/fleet/shift.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskStatus, TimeToServe } from '../../../schema/tasks/task.ts';
import type { Sql } from '../postgres.ts';
import { openTasksOf } from '../rows/open-tasks-of.ts';
import { retried } from '../statements.ts';

/** An open task of an agent, with the fields that its time follows from. */
export interface ScheduledTask {
  readonly taskId: number;
  readonly status: TaskStatus;
  readonly timeToServe: TimeToServe;
  /** When it is scheduled, or else when it was assigned. */
  readonly beginsAt: string;
  readonly estimatedDuration: number | null;
}

export interface AgentSchedule {
  /** The tasks that start first, at most `scheduledItems`. */
  readonly items: readonly ScheduledTask[];
  /** Exact number of the agent's open tasks, of the same snapshot as the items. */
  readonly count: number;
  /** Those of the agent that have not ended. */
  readonly shifts: readonly WorkShift[];
  /** Sequence of the organization's log at which all were true. */
  readonly sequence: number;
}

/** The open tasks of an agent, in the order of their start; undefined when the organization has no such agent. */
export async function readAgentSchedule(
  sql: Sql,
  organizationId: number,
  agentId: number,
): Promise<AgentSchedule | undefined> {
  const query = () => sql<
    ({ sequence: number; count: number; shifts: WorkShift[] | null } & (ScheduledTask | { taskId: null }))[]
  >`
    WITH open_tasks AS MATERIALIZED (
      SELECT t.id AS task_id, t.status, t.time_to_serve, coalesce(t.scheduled_at, t.assigned_at) AS begins_at,
        t.estimated_duration
      FROM ${openTasksOf(sql, organizationId, (column) => sql`${column} = ${agentId}`)} t)
    SELECT h.last_sequence AS sequence, (SELECT count(*) FROM open_tasks) AS count,
      (SELECT json_agg(s ORDER BY s ->> 'startsAt') FROM json_array_elements(a.shifts) s
        WHERE (s ->> 'endsAt')::timestamptz > now()) AS shifts, o.*
    FROM agents a JOIN organization_heads h ON h.organization_id = a.organization_id
    LEFT JOIN (SELECT * FROM open_tasks ORDER BY begins_at, task_id LIMIT ${LIMITS.scheduledItems}) o ON true
    WHERE a.organization_id = ${organizationId} AND a.id = ${agentId}
    ORDER BY o.begins_at, o.task_id`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'reading the schedule of an agent');
  const [first] = rows;
  if (!first) return undefined;
  const items = rows.flatMap((row) => (row.taskId === null ? [] : [row]));
  return { items, count: first.count, shifts: first.shifts ?? [], sequence: first.sequence };
}

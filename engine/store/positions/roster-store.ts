import { LIMITS } from '../../../schema/limits.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../schema/tasks/task.ts';
import { isoFromPostgres, numberArray, type Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

/** An agent and its open tasks, as far as positions need them. */
export interface RosterAgent {
  readonly agentId: number;
  readonly isActive: boolean;
  readonly onDuty: boolean;
  readonly vehicleType: string | null;
  readonly openTasks: readonly OpenTask[];
}

/** An open task of an agent with its place: its status is assigned, accepted or in_transit. */
export interface OpenTask {
  readonly taskId: number;
  readonly status: TaskStatus;
  readonly assignedAt: string | null;
  /** Of the place where it is delivered; null for a task without one. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly arrivedAt: string | null;
  /** The time of the agent's last noted arrival. */
  readonly etaAt: string | null;
}

type TaskRow = readonly [
  taskId: number,
  status: TaskStatus,
  assignedAt: string | null,
  latitude: number | null,
  longitude: number | null,
  arrivedAt: string | null,
  etaAt: string | null,
];

/** All agents of an organization with their open tasks. */
export interface Roster {
  readonly agents: readonly RosterAgent[];
  /** Of the organization's log, at which that was true. */
  readonly sequence: number;
}

export async function readRoster(sql: Sql, organizationId: number): Promise<Roster> {
  const query = () => sql<(Omit<RosterAgent, 'openTasks'> & { sequence: number; tasks: readonly TaskRow[] | null })[]>`
    SELECT h.last_sequence AS sequence, a.id AS agent_id, a.is_active, a.on_duty, a.vehicle ->> 'type' AS vehicle_type,
      (SELECT json_agg(json_build_array(t.id, t.status, t.assigned_at, l.latitude, l.longitude, t.arrived_at, t.eta_at))
        FROM tasks t LEFT JOIN locations l ON l.organization_id = t.organization_id AND l.id = t.location_id
        WHERE t.organization_id = a.organization_id AND t.agent_id = a.id
          AND t.status_rank = ANY (${OPEN_RANKS}::smallint[])) AS tasks
    FROM organization_heads h LEFT JOIN agents a ON a.organization_id = h.organization_id
    WHERE h.organization_id = ${organizationId}`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'reading the agents of an organization');
  return {
    agents: rows.flatMap(({ tasks, sequence: _, ...agent }) =>
      agent.agentId === null ? [] : [{ ...agent, openTasks: (tasks ?? []).map(taskOf) }],
    ),
    sequence: rows[0]?.sequence ?? 0,
  };
}

/** Statuses of tasks that an agent must work on. */
export const OPEN_STATUSES: ReadonlySet<TaskStatus> = new Set(['assigned', 'accepted', 'in_transit']);
/** The index on agents uses the rank. */
const OPEN_RANKS = numberArray([...OPEN_STATUSES].map((status) => TASK_STATUSES.indexOf(status)));

function taskOf([taskId, status, assignedAt, latitude, longitude, arrivedAt, etaAt]: TaskRow): OpenTask {
  const iso = (time: string | null) => (time === null ? null : isoFromPostgres(time));
  return {
    taskId,
    status,
    assignedAt: iso(assignedAt),
    latitude,
    longitude,
    arrivedAt: iso(arrivedAt),
    etaAt: iso(etaAt),
  };
}

import { assignmentSettingsOf } from '../../../schema/assignment/assignment.ts';
import type { WorkShift } from '../../../schema/fleet/shift.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskStatus, TimeToServe } from '../../../schema/tasks/task.ts';
import type { ServiceTimes } from '../../domain/stops/open-stops.ts';
import { serviceTimesOf, type TaskOnRoute } from '../../domain/stops/route-task.ts';
import { type Fragment, isoFromPostgres, type Sql } from '../postgres.ts';
import { openTasksOf } from '../rows/open-tasks-of.ts';
import { retried } from '../statements.ts';

/** An agent and its open tasks, as far as positions need them. */
export interface RosterAgent {
  readonly agentId: number;
  readonly isActive: boolean;
  readonly onDuty: boolean;
  readonly vehicleType: string | null;
  /** Null for an agent that duty alone binds. */
  readonly shifts: readonly WorkShift[] | null;
  readonly openTasks: readonly OpenTask[];
}

/** An open task of an agent with its place: its status is assigned, accepted or in_transit. */
export interface OpenTask extends TaskOnRoute {
  /** When the agent was last said to come, and to the pickup. */
  readonly etaAt: string | null;
  readonly pickupEtaAt: string | null;
}

type TaskRow = readonly [
  taskId: number,
  status: TaskStatus,
  assignedAt: string | null,
  latitude: number | null,
  longitude: number | null,
  arrivedAt: string | null,
  etaAt: string | null,
  timeToServe: TimeToServe,
  scheduledAt: string | null,
  estimatedDuration: number | null,
  createdAt: string,
  readyAt: string | null,
  windowStart: string | null,
  windowEnd: string | null,
  pickupLatitude: number | null,
  pickupLongitude: number | null,
  pickupEtaAt: string | null,
  pickupArrivedAt: string | null,
  pickedUpAt: string | null,
];

/** All agents of an organization with their open tasks. */
export interface Roster {
  readonly services: ServiceTimes;
  readonly agents: readonly RosterAgent[];
  /** The place in the organization's log at which that was true. */
  readonly sequence: number;
}

export async function readRoster(sql: Sql, organizationId: number): Promise<Roster> {
  // One by one: as a join, a planner that knows little of the tables reads all places of the organization.
  const placeOf = (id: Fragment) => sql`
    SELECT l.latitude, l.longitude FROM locations l
    WHERE l.organization_id = ${organizationId} AND l.id = ${id} LIMIT 1`;
  const query = () => sql<
    (Omit<RosterAgent, 'openTasks'> & {
      sequence: number;
      settings: Readonly<Record<string, unknown>> | null;
      tasks: readonly TaskRow[] | null;
    })[]
  >`
    WITH carried AS MATERIALIZED (
      SELECT t.agent_id, json_agg(json_build_array(t.id, t.status, t.assigned_at, l.latitude, l.longitude, t.arrived_at,
          t.eta_at, t.time_to_serve, t.scheduled_at, t.estimated_duration, t.created_at, t.ready_at, t.window_start,
          t.window_end, p.latitude, p.longitude, t.pickup_eta_at, t.pickup_arrived_at, t.picked_up_at)) AS tasks
      FROM ${openTasksOf(sql, organizationId, (agentId) => sql`${agentId} IS NOT NULL`)} t
      LEFT JOIN LATERAL (${placeOf(sql`t.location_id`)}) l ON true
      LEFT JOIN LATERAL (${placeOf(sql`t.pickup_location_id`)}) p ON true
      GROUP BY t.agent_id)
    SELECT h.last_sequence AS sequence,
      (SELECT o.settings FROM organizations o WHERE o.organization_id = h.organization_id) AS settings,
      a.id AS agent_id, a.is_active, a.on_duty, a.vehicle ->> 'type' AS vehicle_type, a.shifts, c.tasks
    FROM organization_heads h LEFT JOIN agents a ON a.organization_id = h.organization_id
    LEFT JOIN carried c ON c.agent_id = a.id
    WHERE h.organization_id = ${organizationId}`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'reading the agents of an organization');
  return {
    agents: rows.flatMap(({ tasks, sequence: _sequence, settings: _settings, ...agent }) =>
      agent.agentId === null ? [] : [{ ...agent, openTasks: (tasks ?? []).map(taskOf) }],
    ),
    sequence: rows[0]?.sequence ?? 0,
    services: serviceTimesOf(assignmentSettingsOf(rows[0]?.settings ?? {})),
  };
}

/** Statuses of tasks that an agent must work on. */
export const OPEN_STATUSES: ReadonlySet<TaskStatus> = new Set(['assigned', 'accepted', 'in_transit']);

function taskOf(row: TaskRow): OpenTask {
  const [taskId, status, assignedAt, latitude, longitude, arrivedAt, etaAt, timeToServe, scheduledAt, ...rest] = row;
  const [estimatedDuration, createdAt, readyAt, windowStart, windowEnd, pickupLatitude, pickupLongitude, ...pickup] =
    rest;
  const [pickupEtaAt, pickupArrivedAt, pickedUpAt] = pickup;
  const iso = (time: string | null) => (time === null ? null : isoFromPostgres(time));
  return {
    taskId,
    status,
    assignedAt: iso(assignedAt),
    latitude,
    longitude,
    arrivedAt: iso(arrivedAt),
    etaAt: iso(etaAt),
    timeToServe,
    scheduledAt: iso(scheduledAt),
    estimatedDuration,
    createdAt: isoFromPostgres(createdAt),
    readyAt: iso(readyAt),
    windowStart: iso(windowStart),
    windowEnd: iso(windowEnd),
    pickupLatitude,
    pickupLongitude,
    pickupEtaAt: iso(pickupEtaAt),
    pickupArrivedAt: iso(pickupArrivedAt),
    pickedUpAt: iso(pickedUpAt),
  };
}

import type { Vehicle } from '../../schema/agent.ts';
import { type AssignmentSettings, assignmentSettingsOf, type TaskSearch } from '../../schema/assignment.ts';
import { LIMITS } from '../../schema/limits.ts';
import { TASK_STATUSES, type TaskStatus, type TimeToServe } from '../../schema/task.ts';
import { numberArray, type Sql } from './postgres.ts';
import { read } from './read.ts';
import type { LagPage } from './relay-store.ts';
import { OPEN_STATUSES } from './roster-store.ts';

/** An organization that has tasks which rounds have to look at, and how it wants that done. */
export interface SearchingOrganization {
  readonly organizationId: number;
  readonly settings: AssignmentSettings;
  /** The end of its log: what could help a search, but for where agents are, moves it. */
  readonly lastSequence: number;
  /** How long ago it got there, by the clock of Postgres. */
  readonly quietMs: number;
}

/** What a task leads to, and how much it is. Degrees, kilograms, cubic metres; minutes of duration. */
interface TaskRow {
  readonly taskId: number;
  readonly status: TaskStatus;
  readonly timeToServe: TimeToServe;
  readonly scheduledAt: string | null;
  readonly estimatedDuration: number | null;
  readonly readyAt: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly pickupLatitude: number | null;
  readonly pickupLongitude: number | null;
  readonly weightKg: number;
  readonly volumeM3: number;
  readonly packages: number;
}

/** A task that looks for somebody, or could. */
export interface SoughtTask extends TaskRow {
  readonly createdAt: string;
  readonly windowEnd: string | null;
  readonly requiredSkills: readonly string[] | null;
  readonly preferredAgentId: number | null;
  /** It has parts, which are looked for one by one. */
  readonly isJob: boolean;
  /** Null for a task that nobody is looked for. */
  readonly search: TaskSearch | null;
}

/** An open task of an agent on duty. */
export interface CarriedTask extends TaskRow {
  readonly agentId: number;
  readonly assignedAt: string | null;
  readonly arrivedAt: string | null;
}

export interface AgentOnDuty {
  readonly agentId: number;
  readonly vehicle: Vehicle | null;
  readonly skills: readonly string[];
}

/** What a round plans with, but for where agents are. Each part is true of a moment, not all of the same. */
export interface RoundRows {
  readonly tasks: readonly SoughtTask[];
  readonly agents: readonly AgentOnDuty[];
  readonly carried: readonly CarriedTask[];
}

/** Which tasks are to be planned: those that look for somebody, after an id, or the ones named. */
export type RoundTasks = { readonly after: number } | { readonly taskIds: readonly number[] };

export interface RoundStore {
  /** The organizations after an id with tasks that look for somebody, `limit` of them. */
  findSearching(after: number, limit: number): Promise<LagPage>;
  /** Those of these organizations that have such tasks. */
  findSearchingOf(organizationIds: readonly number[]): Promise<SearchingOrganization[]>;
  /** At most LIMITS.roundTasks tasks, in the order of their ids. */
  readRound(organizationId: number, wanted: RoundTasks): Promise<RoundRows>;
}

interface SearchingRow {
  readonly organizationId: number;
  readonly lastSequence: number;
  readonly quietMs: number;
  readonly assignment: unknown;
  readonly leadMinutes: unknown;
}

export function createRoundStore(sql: Sql): RoundStore {
  return {
    async findSearching(after, limit) {
      const query = () => sql<{ organizationId: number }[]>`
        SELECT DISTINCT organization_id FROM searching_tasks WHERE organization_id > ${after}
        ORDER BY organization_id LIMIT ${limit}`;
      const rows = await read(query, LIMITS.readDeadlineMs, 'looking for tasks without agents');
      const lagging = rows.map(({ organizationId }) => organizationId);
      return { lagging, next: lagging.length === limit ? lagging.at(-1) : undefined };
    },
    async findSearchingOf(organizationIds) {
      const query = () => sql<SearchingRow[]>`
        SELECT o.organization_id, h.last_sequence,
          extract(epoch FROM clock_timestamp() - h.last_at)::float8 * 1000 AS quiet_ms,
          o.settings -> 'assignment' AS assignment, o.settings -> 'leadMinutes' AS lead_minutes
        FROM organizations o JOIN organization_heads h ON h.organization_id = o.organization_id
        WHERE o.organization_id = ANY(${numberArray(organizationIds)}::bigint[])
          AND EXISTS (SELECT FROM searching_tasks s WHERE s.organization_id = o.organization_id)`;
      const rows = await read(query, LIMITS.readDeadlineMs, 'looking for tasks without agents');
      return rows.map(({ organizationId, lastSequence, quietMs, ...settings }) => ({
        organizationId,
        lastSequence,
        quietMs,
        settings: assignmentSettingsOf(settings),
      }));
    },
    async readRound(organizationId, wanted) {
      // One after the other, so that Postgres has a core left for the requests of others.
      const tasks = await readTasks(sql, organizationId, wanted);
      const agents = await readAgents(sql, organizationId);
      const carried = await readCarried(sql, organizationId);
      const onDuty = new Set(agents.map(({ agentId }) => agentId));
      return { tasks, agents, carried: carried.filter(({ agentId }) => onDuty.has(agentId)) };
    },
  };
}

/** Packages that nobody carries weigh nothing; as `loadOf` of the engine has it. */
const SHARED_COLUMNS = `t.id AS task_id, t.status, t.time_to_serve, t.scheduled_at, t.estimated_duration, t.ready_at,
    d.latitude, d.longitude, p.latitude AS pickup_latitude, p.longitude AS pickup_longitude,
    coalesce(k.weight_kg, 0) AS weight_kg, coalesce(k.volume_m3, 0) AS volume_m3, coalesce(k.packages, 0) AS packages`;
const SHARED_JOINS = `
    LEFT JOIN locations d ON d.organization_id = t.organization_id AND d.id = t.location_id
    LEFT JOIN locations p ON p.organization_id = t.organization_id AND p.id = t.pickup_location_id
    LEFT JOIN LATERAL (
      SELECT sum(least(coalesce(o.weight, 0), 1e9) * o.quantity) AS weight_kg, sum(o.quantity::float8) AS packages,
        sum(least(coalesce(o.width, 0), 1e9) * least(coalesce(o.height, 0), 1e9) * least(coalesce(o.length, 0), 1e9) / 1e6 * o.quantity) AS volume_m3
      FROM packages o
      WHERE o.organization_id = t.organization_id AND o.task_id = t.id
        AND o.status NOT IN ('cancelled', 'returned', 'lost')) k ON true`;
const SOUGHT_COLUMNS = `${SHARED_COLUMNS}, t.created_at, t.window_end, t.required_skills, t.preferred_agent_id, t.search,
  t.child_ids IS NOT NULL AS is_job`;

/** By their ids, which Postgres plans the same whether or not it knows how many tasks look for somebody. */
async function readTasks(sql: Sql, organizationId: number, wanted: RoundTasks): Promise<SoughtTask[]> {
  const taskIds = 'taskIds' in wanted ? wanted.taskIds : await readSought(sql, organizationId, wanted.after);
  const query = () =>
    sql.unsafe<SoughtTask[]>(
      `SELECT ${SOUGHT_COLUMNS} FROM tasks t ${SHARED_JOINS}
      WHERE t.organization_id = $1 AND t.id = ANY($2::bigint[]) ORDER BY t.id LIMIT $3`,
      [organizationId, numberArray(taskIds), LIMITS.roundTasks],
    );
  return read(query, LIMITS.readDeadlineMs, 'reading the tasks of a round');
}

async function readSought(sql: Sql, organizationId: number, after: number): Promise<number[]> {
  const query = () => sql<{ taskId: number }[]>`
    SELECT task_id FROM searching_tasks WHERE organization_id = ${organizationId} AND task_id > ${after}
    ORDER BY task_id LIMIT ${LIMITS.roundTasks}`;
  const rows = await read(query, LIMITS.readDeadlineMs, 'looking for the tasks of a round');
  return rows.map(({ taskId }) => taskId);
}

function readAgents(sql: Sql, organizationId: number): Promise<AgentOnDuty[]> {
  const query = () => sql<AgentOnDuty[]>`
    SELECT id AS agent_id, vehicle, skills FROM agents
    WHERE organization_id = ${organizationId} AND on_duty AND is_active ORDER BY id LIMIT ${LIMITS.roundAgents}`;
  return read(query, LIMITS.readDeadlineMs, 'reading the agents of a round');
}

const CARRIED_RANKS = numberArray([...OPEN_STATUSES].map((status) => TASK_STATUSES.indexOf(status)));

/**
 * What any agent has to do. Joined to the agents on duty, it would take Postgres, while it has no statistics of a young
 * organization, all open tasks for each agent.
 */
function readCarried(sql: Sql, organizationId: number): Promise<CarriedTask[]> {
  const query = () =>
    sql.unsafe<CarriedTask[]>(
      `SELECT t.agent_id, t.assigned_at, t.arrived_at, ${SHARED_COLUMNS} FROM tasks t ${SHARED_JOINS}
      WHERE t.organization_id = $1 AND t.agent_id IS NOT NULL AND t.status_rank = ANY($2::smallint[]) LIMIT $3`,
      [organizationId, CARRIED_RANKS, LIMITS.roundCarried],
    );
  return read(query, LIMITS.readDeadlineMs, 'reading what the agents of a round have to do');
}

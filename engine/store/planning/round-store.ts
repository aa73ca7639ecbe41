import {
  type AssignmentSettings,
  assignmentSettingsOf,
  type TaskSearch,
} from '../../../schema/assignment/assignment.ts';
import type { Home, Vehicle } from '../../../schema/fleet/agent.ts';
import type { WorkShift } from '../../../schema/fleet/shift.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { TASK_STATUSES, type TaskStatus, type TimeToServe } from '../../../schema/tasks/task.ts';
import type { LagPage } from '../log/relay-store.ts';
import { OPEN_STATUSES } from '../positions/roster-store.ts';
import { numberArray, type Sql } from '../postgres.ts';
import { markOf } from '../rows/row-mark.ts';
import { retried } from '../statements.ts';
import { type KnownRows, type Marked, RoundMemory, refreshedRows } from './round-memory.ts';

/** An organization with tasks for rounds, and its settings for them. */
export interface SearchingOrganization {
  readonly organizationId: number;
  readonly settings: AssignmentSettings;
  /** The end of its log: everything that could help a search, except positions, moves it. */
  readonly lastSequence: number;
  /** How long ago it got there, by the clock of Postgres. */
  readonly quietMs: number;
  /** In how long the first of its searches ends, by that clock; null where that is after the next round in any case. */
  readonly endsInMs: number | null;
}

/** The places and the size of a task. Degrees, kilograms, cubic metres; minutes of duration. */
interface TaskRow {
  readonly taskId: number;
  readonly status: TaskStatus;
  readonly timeToServe: TimeToServe;
  readonly scheduledAt: string | null;
  readonly estimatedDuration: number | null;
  readonly createdAt: string;
  readonly readyAt: string | null;
  readonly windowStart: string | null;
  readonly windowEnd: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly pickupLatitude: number | null;
  readonly pickupLongitude: number | null;
  readonly weightKg: number;
  readonly volumeM3: number;
  readonly packages: number;
}

/** A task that searches for an agent, or could. */
export interface SoughtTask extends TaskRow {
  readonly requiredSkills: readonly string[] | null;
  readonly preferredAgentId: number | null;
  /** It has parts, which are searched for one by one. */
  readonly isJob: boolean;
  /** Null for a task without a search. */
  readonly search: TaskSearch | null;
}

/** An open task of an agent on duty. */
export interface CarriedTask extends TaskRow {
  readonly agentId: number;
  readonly assignedAt: string | null;
  readonly arrivedAt: string | null;
  readonly pickupArrivedAt: string | null;
  readonly pickedUpAt: string | null;
}

export interface AgentOnDuty {
  readonly agentId: number;
  readonly vehicle: Vehicle | null;
  readonly skills: readonly string[];
  readonly shifts: readonly WorkShift[] | null;
  readonly home: Home | null;
}

/** The rows of a round, except positions. Each part is true of a moment, not all of the same one. */
export interface RoundRows {
  readonly tasks: readonly SoughtTask[];
  readonly agents: readonly AgentOnDuty[];
  readonly carried: readonly CarriedTask[];
  /** False when there are more such tasks than a round reads. */
  readonly knowsCarried: boolean;
}

/** The tasks to plan: those that search, after an id, or the named ones. */
export type RoundTasks = { readonly after: number } | { readonly taskIds: readonly number[] };

export interface RoundStore {
  /** The organizations after an id with searching tasks, `limit` of them. */
  findSearching(after: number, limit: number): Promise<LagPage>;
  /** Those of these organizations that have such tasks and are active: of others nobody could answer an offer. */
  findSearchingOf(organizationIds: readonly number[]): Promise<SearchingOrganization[]>;
  /** At most LIMITS.roundTasks tasks, in the order of their ids. Rows are kept, and read again once they have changed. */
  readRound(organizationId: number, wanted: RoundTasks): Promise<RoundRows>;
  /** Forgets an organization without rounds. */
  forget(organizationId: number): void;
}

interface SearchingRow {
  readonly organizationId: number;
  readonly lastSequence: number;
  readonly quietMs: number;
  readonly assignment: unknown;
  readonly leadMinutes: unknown;
}

/** `rowsKept`: of all organizations together; 0 for a reader that seldom reads the same one twice. */
export function createRoundStore(sql: Sql, rowsKept: number = LIMITS.roundRowsKept): RoundStore {
  const memory = new RoundMemory<{ readonly agents: KnownAgent; readonly tasks: KnownTask }>(rowsKept);
  return {
    async findSearching(after, limit) {
      const query = () => sql<{ organizationId: number }[]>`
        SELECT DISTINCT organization_id FROM searching_tasks WHERE organization_id > ${after}
        ORDER BY organization_id LIMIT ${limit}`;
      const rows = await retried(query, LIMITS.readDeadlineMs, 'looking for tasks without agents');
      const lagging = rows.map(({ organizationId }) => organizationId);
      return { lagging, next: lagging.length === limit ? lagging.at(-1) : undefined };
    },
    async findSearchingOf(organizationIds) {
      const query = () => sql<SearchingRow[]>`
        SELECT o.organization_id, h.last_sequence,
          extract(epoch FROM clock_timestamp() - h.last_at)::float8 * 1000 AS quiet_ms,
          o.settings -> 'assignment' AS assignment, o.settings -> 'leadMinutes' AS lead_minutes
        FROM organizations o JOIN organization_heads h ON h.organization_id = o.organization_id
        WHERE o.organization_id = ANY(${numberArray(organizationIds)}::bigint[]) AND o.status = 'active'
          AND EXISTS (SELECT FROM searching_tasks s WHERE s.organization_id = o.organization_id)`;
      const rows = await retried(query, LIMITS.readDeadlineMs, 'looking for tasks without agents');
      const found = rows.map(({ assignment, leadMinutes, ...row }) => ({
        ...row,
        settings: assignmentSettingsOf({ assignment, leadMinutes }),
      }));
      const ends = await readEnds(sql, found);
      return found.map((row) => ({ ...row, endsInMs: ends.get(row.organizationId) ?? null }));
    },
    async readRound(organizationId, wanted) {
      // One after the other, so that Postgres has a core left for other requests.
      const marks = await readMarks(sql, organizationId, wanted);
      const known = memory.find(organizationId);
      const agents = await refreshedRows(known?.agents, marks.agents, (ids) => readAgents(sql, organizationId, ids));
      const ofTasks = [...marks.sought, ...marks.carried];
      const tasks = await refreshedRows(known?.tasks, ofTasks, (ids) => readTasks(sql, organizationId, ids));
      memory.keep(organizationId, { agents, tasks });
      const isCarried = (task: KnownTask) => OPEN_STATUSES.has(task.status) && agents.has(task.agentId ?? 0);
      return {
        tasks: rowsOf(marks.sought, tasks),
        agents: rowsOf(marks.agents, agents),
        carried: rowsOf(marks.carried, tasks).filter(isCarried) as (KnownTask & CarriedTask)[],
        knowsCarried: marks.carried.length < LIMITS.roundCarried,
      };
    },
    forget: (organizationId) => memory.forget(organizationId),
  };
}

/**
 * When the first search of each ends, of those whose window is so long that a search may end in it. The deadline of a
 * searching task is never after the end of its search, and the index of deadlines finds the few that are near; the
 * deadlines of moving tasks stand in no index. Each of the few is looked up among the searching tasks: joined, Postgres
 * would read all of these.
 */
async function readEnds(
  sql: Sql,
  organizations: readonly Pick<SearchingOrganization, 'organizationId' | 'settings'>[],
): Promise<ReadonlyMap<number, number>> {
  const patient = organizations.filter(({ settings }) => settings.batchingWindowMs > LIMITS.roundBeforeEndMs);
  if (patient.length === 0) return new Map();
  const ids = patient.map(({ organizationId }) => organizationId);
  const horizons = patient.map(({ settings }) => settings.batchingWindowMs + LIMITS.roundBeforeEndMs);
  const query = () => sql<{ organizationId: number; endsInMs: number }[]>`
    SELECT w.organization_id, extract(epoch FROM min(e.until) - clock_timestamp())::float8 * 1000 AS ends_in_ms
    FROM unnest(${numberArray(ids)}::bigint[], ${numberArray(horizons)}::int[]) w (organization_id, horizon_ms)
    CROSS JOIN LATERAL (
      SELECT (t.search ->> 'until')::timestamptz AS until FROM (
        SELECT id, search FROM tasks
        WHERE organization_id = w.organization_id
          AND settled_deadline_at <= now() + w.horizon_ms * interval '1 ms'
        UNION ALL SELECT id, search FROM tasks
        WHERE organization_id = w.organization_id AND settled_rank IS NULL
          AND deadline_at <= now() + w.horizon_ms * interval '1 ms') t
      WHERE (SELECT true FROM searching_tasks s WHERE s.organization_id = w.organization_id AND s.task_id = t.id)) e
    WHERE e.until > clock_timestamp()
    GROUP BY w.organization_id`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'looking for searches that end');
  return new Map(rows.map(({ organizationId, endsInMs }) => [organizationId, endsInMs]));
}

type KnownTask = Marked & SoughtTask & Omit<CarriedTask, 'agentId'> & { readonly agentId: number | null };
type KnownAgent = Marked & AgentOnDuty;

/** In the order of the marks, without those that have gone since. */
function rowsOf<T>(marks: readonly Marked[], rows: KnownRows<T>): T[] {
  return marks.flatMap(({ id }) => rows.get(id) ?? []);
}

const MARK_OF_TASK = markOf('t');
const MARK_OF_AGENT = markOf('a');

const CARRIED_RANKS = numberArray([...OPEN_STATUSES].map((status) => TASK_STATUSES.indexOf(status)));

interface Marks {
  readonly sought: readonly Marked[];
  readonly agents: readonly Marked[];
  readonly carried: readonly Marked[];
}

/**
 * The present rows with their marks, in one row: most rounds know the rows, and reading a row takes longer than finding
 * it. Searching tasks are found by their ids, which Postgres plans the same with and without statistics. The carried
 * tasks are those of any agent: joined to the agents on duty, Postgres would read all open tasks for each agent while
 * it has no statistics of a young organization.
 */
async function readMarks(sql: Sql, organizationId: number, wanted: RoundTasks): Promise<Marks> {
  const [sought, which] =
    'after' in wanted
      ? [
          `ARRAY(SELECT task_id FROM searching_tasks WHERE organization_id = $1 AND task_id > $2 ORDER BY task_id LIMIT $3)`,
          wanted.after,
        ]
      : ['$2::bigint[]', numberArray(wanted.taskIds)];
  const query = () =>
    sql.unsafe<Readonly<Record<keyof Marks, string | null>>[]>(
      `SELECT
        (SELECT string_agg(t.id || ' ' || ${MARK_OF_TASK}, ',') FROM (
          SELECT id, version, updated_at FROM tasks WHERE organization_id = $1 AND id = ANY(${sought})
          ORDER BY id LIMIT $3) t) AS sought,
        (SELECT string_agg(a.id || ' ' || ${MARK_OF_AGENT}, ',') FROM (
          SELECT id, version, updated_at FROM agents WHERE organization_id = $1 AND on_duty AND is_active
          ORDER BY id LIMIT $4) a) AS agents,
        (SELECT string_agg(t.id || ' ' || ${MARK_OF_TASK}, ',') FROM (
          SELECT id, version, updated_at FROM tasks
          WHERE organization_id = $1 AND settled_agent_id IS NOT NULL AND settled_rank = ANY($5::smallint[])
          UNION ALL SELECT id, version, updated_at FROM tasks
          WHERE organization_id = $1 AND settled_rank IS NULL AND agent_id IS NOT NULL
          LIMIT $6) t) AS carried`,
      [organizationId, which, LIMITS.roundTasks, LIMITS.roundAgents, CARRIED_RANKS, LIMITS.roundCarried],
    );
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'looking for what a round plans with');
  return { sought: marksOf(row!.sought), agents: marksOf(row!.agents), carried: marksOf(row!.carried) };
}

function marksOf(text: string | null): Marked[] {
  if (text === null) return [];
  return text.split(',').map((one) => {
    const end = one.indexOf(' ');
    return { id: Number(one.slice(0, end)), mark: one.slice(end + 1) };
  });
}

/** Packages that no agent carries weigh nothing; as `loadOf` of the engine counts them. */
function readTasks(sql: Sql, organizationId: number, ids: readonly number[]): Promise<KnownTask[]> {
  const query = () =>
    sql.unsafe<KnownTask[]>(
      `SELECT t.id, ${MARK_OF_TASK} AS mark, t.id AS task_id, t.status, t.time_to_serve, t.scheduled_at,
        t.estimated_duration, t.ready_at, t.created_at, t.window_start, t.window_end, t.required_skills, t.preferred_agent_id, t.search,
        t.child_ids IS NOT NULL AS is_job, t.agent_id, t.assigned_at, t.arrived_at,
        t.pickup_arrived_at, t.picked_up_at,
        d.latitude, d.longitude, p.latitude AS pickup_latitude, p.longitude AS pickup_longitude,
        coalesce(k.weight_kg, 0) AS weight_kg, coalesce(k.volume_m3, 0) AS volume_m3, coalesce(k.packages, 0) AS packages
      FROM tasks t
      LEFT JOIN locations d ON d.organization_id = t.organization_id AND d.id = t.location_id
      LEFT JOIN locations p ON p.organization_id = t.organization_id AND p.id = t.pickup_location_id
      LEFT JOIN LATERAL (
        SELECT sum(least(coalesce(o.weight, 0), 1e9) * o.quantity) AS weight_kg, sum(o.quantity::float8) AS packages,
          sum(least(coalesce(o.width, 0), 1e9) * least(coalesce(o.height, 0), 1e9) * least(coalesce(o.length, 0), 1e9) / 1e6 * o.quantity) AS volume_m3
        FROM packages o
        WHERE o.organization_id = t.organization_id AND o.task_id = t.id
          AND o.status NOT IN ('cancelled', 'returned', 'lost')) k ON true
      WHERE t.organization_id = $1 AND t.id = ANY($2::bigint[])`,
      [organizationId, numberArray(ids)],
    );
  return retried(query, LIMITS.readDeadlineMs, 'reading the tasks of a round');
}

function readAgents(sql: Sql, organizationId: number, ids: readonly number[]): Promise<KnownAgent[]> {
  const query = () =>
    sql.unsafe<KnownAgent[]>(
      `SELECT a.id, ${MARK_OF_AGENT} AS mark, a.id AS agent_id, a.vehicle, a.skills, a.shifts, a.home FROM agents a
      WHERE a.organization_id = $1 AND a.id = ANY($2::bigint[]) AND a.on_duty AND a.is_active`,
      [organizationId, numberArray(ids)],
    );
  return retried(query, LIMITS.readDeadlineMs, 'reading the agents of a round');
}

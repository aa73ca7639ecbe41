import { LIMITS } from '../../../schema/limits.ts';
import { TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { OPEN_STATUSES } from '../positions/roster-store.ts';
import { numberArray, type Sql } from '../postgres.ts';
import { once } from '../statements.ts';

/** A job of a vehicle. Kilograms, cubic metres. */
export interface FleetEntry {
  readonly taskId: number;
  readonly vehicle: string;
  readonly weightKg: number;
  readonly volumeM3: number;
  readonly packages: number;
}

export interface FleetBooks {
  /** The number of the last entry; 0 for empty books. */
  readonly last: number;
  /** The loads of vehicles, with bookings of this moment. */
  readonly open: readonly FleetEntry[];
}

/** The books of an organization's own fleet of couriers. */
export interface FleetStore {
  read(organizationId: number, provider: string): Promise<FleetBooks>;
  /** Adds entries behind `last`; false when it is no longer the last one, and nothing was written. */
  add(organizationId: number, last: number, entries: readonly FleetEntry[]): Promise<boolean>;
  withdraw(organizationId: number, taskIds: readonly number[]): Promise<void>;
  /**
   * `limit` tasks in the books, in all organizations, that their vehicles must not carry out: those that were cancelled or
   * taken from them at once, and others without such a courier as soon as no command of their booking can be in flight any more.
   */
  findCalledOff(provider: string, limit: number): Promise<{ organizationId: number; taskIds: number[] }[]>;
}

const OPEN_RANKS = numberArray([...OPEN_STATUSES].map((status) => TASK_STATUSES.indexOf(status)));
const UNIQUE_VIOLATION = '23505';

export function createFleetStore(sql: Sql): FleetStore {
  return {
    async read(organizationId, provider) {
      // A job is open while its task has the vehicle. For a moment before, its courier cannot be noted yet, and after it is
      // called off, the vehicle does not know.
      const query = sql<(FleetEntry & { last: number; taskId: number | null })[]>`
        SELECT l.last, j.task_id, j.vehicle, j.weight_kg, j.volume_m3, j.packages
        FROM (SELECT coalesce(max(entry), 0) AS last FROM fleet_jobs WHERE organization_id = ${organizationId}) l
        LEFT JOIN (
          -- A task that was booked again is there once.
          SELECT DISTINCT ON (j.task_id) j.* FROM fleet_jobs j
          JOIN tasks t ON t.organization_id = j.organization_id AND t.id = j.task_id
          WHERE j.organization_id = ${organizationId} AND (
            (t.status_rank = ANY(${OPEN_RANKS}::smallint[]) AND t.courier ->> 'provider' = ${provider}
              AND t.courier ->> 'externalId' = j.vehicle)
            OR (t.status <> 'completed' AND NOT j.is_withdrawn
              AND j.booked_at > now() - ${LIMITS.courierBookingMs} * interval '1 millisecond'))
          ORDER BY j.task_id, j.entry DESC LIMIT ${LIMITS.fleetJobs}) j ON true`;
      const rows = await once(query, 'reading the books of a fleet');
      return { last: rows[0]!.last, open: rows.filter(({ taskId }) => taskId !== null) };
    },
    async add(organizationId, last, entries) {
      const query = sql`
        WITH alive AS MATERIALIZED (
          SELECT FROM organizations WHERE organization_id = ${organizationId} FOR KEY SHARE),
        closed AS (
          DELETE FROM fleet_jobs j WHERE j.organization_id = ${organizationId} AND j.entry < ${last}
            AND (j.is_withdrawn OR j.booked_at <= now() - ${LIMITS.courierBookingMs} * interval '1 millisecond')
            AND NOT EXISTS (SELECT FROM tasks t WHERE t.organization_id = j.organization_id AND t.id = j.task_id
              AND t.status_rank = ANY(${OPEN_RANKS}::smallint[]) AND t.courier ->> 'externalId' = j.vehicle))
        INSERT INTO fleet_jobs (organization_id, entry, task_id, vehicle, weight_kg, volume_m3, packages, booked_at)
        SELECT ${organizationId}::bigint, ${last}::bigint + n.place, (n.entry ->> 'taskId')::bigint, n.entry ->> 'vehicle',
          (n.entry ->> 'weightKg')::float8, (n.entry ->> 'volumeM3')::float8, least((n.entry ->> 'packages')::float8, 2147483647)::int, now()
        FROM alive, json_array_elements(${JSON.stringify(entries)}::text::json) WITH ORDINALITY AS n(entry, place)`;
      try {
        await once(query, 'writing into the books of a fleet');
        return true;
      } catch (error) {
        if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return false;
        throw error;
      }
    },
    async findCalledOff(provider, limit) {
      const query = sql<{ organizationId: number; taskIds: number[] }[]>`
        SELECT organization_id, json_agg(task_id ORDER BY task_id) AS task_ids FROM (
          SELECT j.organization_id, j.task_id FROM (
            SELECT DISTINCT ON (organization_id, task_id) * FROM fleet_jobs
            ORDER BY organization_id, task_id, entry DESC) j
          LEFT JOIN tasks t ON t.organization_id = j.organization_id AND t.id = j.task_id
            AND t.courier ->> 'provider' = ${provider} AND t.courier ->> 'externalId' = j.vehicle
          WHERE NOT j.is_withdrawn AND CASE WHEN t.id IS NOT NULL THEN t.status = 'cancelled'
            ELSE j.booked_at <= now() - ${LIMITS.courierBookingMs} * interval '1 millisecond'
              -- The booking arrived: the task had its courier, and has lost it since. The times of the history are in milliseconds.
              OR EXISTS (SELECT FROM task_history h WHERE h.organization_id = j.organization_id AND h.task_id = j.task_id
                AND h.recorded_at >= date_trunc('milliseconds', j.booked_at) AND h.details ->> 'courierId' IS NOT NULL) END
          LIMIT ${limit}) called_off
        GROUP BY organization_id`;
      return [...(await once(query, 'looking for jobs of fleets that were called off'))];
    },
    async withdraw(organizationId, taskIds) {
      const query = sql`
        UPDATE fleet_jobs SET is_withdrawn = true
        WHERE organization_id = ${organizationId} AND task_id = ANY(${numberArray(taskIds)}::bigint[])`;
      await once(query, 'withdrawing jobs of a fleet');
    },
  };
}

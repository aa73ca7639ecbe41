import type { Sql } from '../../../engine/store/postgres.ts';
import type { PackageStatus } from '../../../schema/tasks/package.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../schema/tasks/task.ts';
import { withSql } from './seed.ts';

/** A task in any status, also in one that no request reaches yet. */
export interface TaskSeed {
  readonly status?: TaskStatus;
  readonly agentId?: number | null;
  /** The external courier. */
  readonly courierId?: number | null;
  /** Makes it a cash task in USD: a collection unless it is a drop. */
  readonly amountMinor?: number;
  readonly taskType?: 'cash_drop';
  /** One package in each of these statuses. */
  readonly packages?: readonly PackageStatus[];
  /** Makes it a job. The caller gives it the status that follows from its children. */
  readonly children?: readonly TaskSeed[];
}

export interface SeededTask {
  readonly id: number;
  readonly packageIds: readonly number[];
  readonly children: readonly SeededTask[];
}

/** The times of the steps of a seeded task. */
export interface SeededTimes {
  readonly createdAt: string;
  readonly assignedAt: string;
  readonly acceptedAt: string;
  readonly startedAt: string;
  readonly completedAt: string;
}

interface Owner {
  readonly organizationId: number;
  readonly channelId: number;
}

/** Created an hour ago; each further step is ten minutes later. */
export function seededTimes(): SeededTimes {
  const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
  return { createdAt: at(60), assignedAt: at(50), acceptedAt: at(40), startedAt: at(30), completedAt: at(20) };
}

/** Writes tasks to Postgres. Seed before the organization's first request: its actor keeps what it has read. */
export function seedTasks(
  databaseUrl: string,
  owner: Owner,
  seeds: readonly TaskSeed[],
  times: SeededTimes = seededTimes(),
): Promise<SeededTask[]> {
  return withSql(databaseUrl, async (sql) => {
    const [row] = await sql<{ id: number }[]>`
      INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, created_at, updated_at)
      VALUES (${owner.organizationId}, nextval('customer_ids'), 1, nextval('user_ids'), 'individual', 'Ada', 'Lovelace',
        ${times.createdAt}::timestamptz, ${times.createdAt}::timestamptz) RETURNING id`;
    const seeded: SeededTask[] = [];
    for (const seed of seeds) seeded.push(await insertFamily(sql, { ...owner, customerId: row!.id, times }, seed));
    return seeded;
  });
}

interface Place extends Owner {
  readonly customerId: number;
  readonly times: SeededTimes;
}

async function insertFamily(sql: Sql, place: Place, seed: TaskSeed): Promise<SeededTask> {
  const parent = await insertTask(sql, place, seed, null);
  if (!seed.children) return parent;
  const children: SeededTask[] = [];
  for (const child of seed.children) children.push(await insertTask(sql, place, child, parent.id));
  const childIds = JSON.stringify(children.map(({ id }) => id));
  await sql`UPDATE tasks SET child_ids = ${childIds}::text::json
    WHERE organization_id = ${place.organizationId} AND id = ${parent.id}`;
  return { ...parent, children };
}

async function insertTask(sql: Sql, place: Place, seed: TaskSeed, parentId: number | null): Promise<SeededTask> {
  const { organizationId, channelId, customerId, times } = place;
  const { status = 'new', agentId = null, courierId = null, amountMinor = null, packages = [], taskType: named } = seed;
  const rank = TASK_STATUSES.indexOf(status);
  const reached = (step: TaskStatus, at: string) =>
    status !== 'cancelled' && rank >= TASK_STATUSES.indexOf(step) ? at : null;
  const taskType = named ?? (amountMinor === null ? 'delivery' : 'cash_collection');
  const outcome = status === 'completed' ? 'succeeded' : null;
  const [row] = await sql<{ id: number }[]>`
    INSERT INTO tasks (organization_id, id, version, name, code, task_type, status, status_rank, time_to_serve,
      assigned_at, accepted_at, started_at, completed_at, customer_id, agent_id, courier_type, courier_id, channel_id,
      parent_id, child_ids, auto_assignment_status, amount_minor, currency, outcome, tracking_token, created_at, updated_at)
    SELECT ${organizationId}, i.id, 1, 'Seeded', 'SEED-' || i.id, ${taskType}, ${status}, ${rank}, 'asap',
      ${reached('assigned', times.assignedAt)}::timestamptz, ${reached('accepted', times.acceptedAt)}::timestamptz,
      ${reached('in_transit', times.startedAt)}::timestamptz, ${reached('completed', times.completedAt)}::timestamptz,
      ${customerId}, ${agentId}::bigint, ${courierId === null ? 'internal' : 'external'}, ${courierId}::bigint,
      ${channelId}, ${parentId}::bigint, ${seed.children ? '[]' : null}::text::json, 'not_requested', ${amountMinor}::bigint,
      ${amountMinor === null ? null : 'USD'}::text, ${outcome}::text, 'seeded', ${times.createdAt}::timestamptz,
      ${times.createdAt}::timestamptz
    FROM nextval('task_ids') AS i(id) RETURNING id`;
  const { id } = row!;
  await sql`
    INSERT INTO task_counts (organization_id, status, task_type, channel_id, time_to_serve, count)
    VALUES (${organizationId}, ${status}, ${taskType}, ${channelId}, 'asap', 1)
    ON CONFLICT (organization_id, status, task_type, channel_id, time_to_serve)
      DO UPDATE SET count = task_counts.count + 1`;
  const packageIds: number[] = [];
  for (const packageStatus of packages) {
    const [item] = await sql<{ id: number }[]>`
      INSERT INTO packages (organization_id, id, version, task_id, name, description, quantity, is_fragile, status, created_at, updated_at)
      VALUES (${organizationId}, nextval('package_ids'), 1, ${id}, ${packageStatus}, 'seeded', 1, false, ${packageStatus},
        ${times.createdAt}::timestamptz, ${times.createdAt}::timestamptz) RETURNING id`;
    packageIds.push(item!.id);
  }
  return { id, packageIds, children: [] };
}

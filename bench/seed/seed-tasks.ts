import { hashSecret, newApiKey } from '../../engine/runtime/secrets.ts';
import { makeOrganization } from '../../engine/store/accounts/organization-store.ts';
import { createMaintenanceStore } from '../../engine/store/cluster/maintenance-store.ts';
import { numberArray, type Sql } from '../../engine/store/postgres.ts';
import { LIMITS } from '../../schema/limits.ts';

export interface SeededTasks {
  readonly organizationId: number;
  readonly apiKey: string;
  readonly channelIds: readonly number[];
  readonly agentIds: readonly number[];
  /** The customer with far more tasks than any other, and one with a few. */
  readonly customerIds: { readonly busy: number; readonly plain: number };
  /** A place that many tasks go to. */
  readonly locationId: number;
  /** Task ids count up from here, the oldest first. */
  readonly firstTaskId: number;
  readonly tasks: number;
}

const CHANNELS = 4;
const AGENTS = 200;
const CUSTOMERS = 50_000;
const SHARED_PLACES = 20;
const TASKS_PER_STATEMENT = 100_000;
/** How far back the first task was created. */
const DAYS = 365;
/** Tasks behind this share may be open; seven of ten are. */
const OPEN_FROM = 0.93;
/** The share of them that is open. */
const OPEN_SHARE = 0.7;

/** Where the seeded rows begin: ids count up from here, task 0 with location 0 and package 0. */
interface Ground {
  readonly organizationId: number;
  readonly channelIds: readonly number[];
  readonly firstAgentId: number;
  readonly firstCustomerId: number;
  readonly firstLocationId: number;
  readonly firstTaskId: number;
  readonly firstPackageId: number;
  readonly tasks: number;
}

/**
 * Creates an organization with a year of tasks: 95 % ended, the newest still open; four channels of different size, 200
 * agents, 50,000 customers one of which orders far more than any other, 15 % scheduled, 30 % with integration data, all
 * six types. Everything that the engine keeps beside tasks (counters, lists, usage, the head of the log) agrees with
 * them. The same `tasks` make the same rows. No other process may create organizations or tasks in the database in the
 * meantime.
 */
export async function seedTasks(sql: Sql, tasks: number, say: (line: string) => void): Promise<SeededTasks> {
  const { organizationId, channelIds, apiKey } = await makeTenant(sql);
  await defineDraws(sql);
  const ground: Ground = {
    organizationId,
    channelIds,
    tasks,
    firstAgentId: await makeAgents(sql, organizationId),
    firstCustomerId: await reserve(sql, 'customer', CUSTOMERS),
    firstLocationId: await reserve(sql, 'location', tasks + SHARED_PLACES),
    firstTaskId: await reserve(sql, 'task', tasks),
    firstPackageId: await reserve(sql, 'package', tasks),
  };
  await makeCustomers(sql, ground);
  await makeSharedPlaces(sql, ground);
  for (let from = 0; from < tasks; from += TASKS_PER_STATEMENT) {
    const to = Math.min(from + TASKS_PER_STATEMENT, tasks) - 1;
    await makeTasks(sql, ground, from, to);
    await makeWhatBelongs(sql, ground, from, to);
    say(`${to + 1} of ${tasks} tasks`);
  }
  await count(sql, ground);
  say('vacuuming');
  await sql`VACUUM (ANALYZE)`;
  return {
    organizationId,
    apiKey,
    channelIds,
    agentIds: Array.from({ length: AGENTS }, (_, index) => ground.firstAgentId + index),
    customerIds: { busy: ground.firstCustomerId, plain: ground.firstCustomerId + CUSTOMERS / 2 },
    locationId: ground.firstLocationId + tasks,
    firstTaskId: ground.firstTaskId,
    tasks,
  };
}

async function makeTenant(sql: Sql) {
  const apiKey = newApiKey();
  const organizationId = await makeOrganization(sql, { name: 'Seeded organization' });
  const [user] = await sql<{ id: number }[]>`
    INSERT INTO users (organization_id, id, role, email, first_name, last_name, email_verified_at)
    VALUES (${organizationId}, nextval('user_ids'), 'integration', ${`seed${organizationId}@seed.example`}, 'Seed', 'User', now())
    RETURNING id`;
  const channels = await sql<{ id: number }[]>`
    INSERT INTO channels (organization_id, id, name, user_id, key_hash, rate_limit)
    SELECT ${organizationId}, nextval('channel_ids'), 'seed ' || n, ${user!.id},
      CASE WHEN n = 1 THEN decode(${hashSecret(apiKey)}, 'hex') END, 0
    FROM generate_series(1, ${CHANNELS}::int) n RETURNING id`;
  return { organizationId, apiKey, channelIds: channels.map(({ id }) => id) };
}

/** `draw(n, salt, bound)`: a number below `bound`, the same one for the same n and salt. */
async function defineDraws(sql: Sql): Promise<void> {
  await sql`
    CREATE OR REPLACE FUNCTION pg_temp.draw(n bigint, salt int, bound int) RETURNS int LANGUAGE sql IMMUTABLE
    AS 'SELECT ((hashint8extended(n, salt) & 1073741823) % bound)::int'`.simple();
}

/** Takes as many ids of a kind as are needed, in whole blocks, and returns the first one. */
async function reserve(sql: Sql, kind: string, ids: number): Promise<number> {
  const sequence = `${kind}_ids`;
  const [row] = await sql<{ first: number }[]>`SELECT nextval(${sequence}::regclass) AS first`;
  const { first } = row!;
  await sql`SELECT setval(${sequence}::regclass, ${first + Math.ceil(ids / 1_000) * 1_000}::bigint)`;
  return first;
}

async function makeAgents(sql: Sql, organizationId: number): Promise<number> {
  const firstUserId = await reserve(sql, 'user', AGENTS);
  const [row] = await sql<{ first: number }[]>`
    SELECT min(id) AS first FROM (SELECT nextval('agent_ids') AS id FROM generate_series(1, ${AGENTS}::int)) ids`;
  const { first } = row!;
  await sql`
    INSERT INTO users (organization_id, id, role, email, first_name, last_name)
    SELECT ${organizationId}, ${firstUserId}::bigint + n, 'agent', 'agent' || n || ${`.${organizationId}@seed.example`},
      'Agent', 'Number ' || n FROM generate_series(0, ${AGENTS - 1}::int) n`;
  await sql`
    INSERT INTO agents (organization_id, id, user_id, agent_type, first_name, last_name)
    SELECT ${organizationId}, ${first}::bigint + n, ${firstUserId}::bigint + n, 'employee', 'Agent', 'Number ' || n
    FROM generate_series(0, ${AGENTS - 1}::int) n`;
  return first;
}

async function makeCustomers(sql: Sql, { organizationId, firstCustomerId }: Ground): Promise<void> {
  const firstUserId = await reserve(sql, 'user', CUSTOMERS);
  await sql`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, phone_e164,
      country_code, phone_number, created_at, updated_at)
    SELECT ${organizationId}, ${firstCustomerId}::bigint + n, 1, ${firstUserId}::bigint + n,
      CASE WHEN n = 0 THEN 'business' ELSE 'individual' END, 'Customer', 'Number ' || n, '+491555' || lpad(n::text, 8, '0'),
      '+49', '1555' || lpad(n::text, 8, '0'), at, at
    FROM generate_series(0, ${CUSTOMERS - 1}::int) n,
      (SELECT date_trunc('milliseconds', now()) - ${DAYS} * interval '1 day' AS at) start`;
}

async function makeSharedPlaces(sql: Sql, { organizationId, firstLocationId, tasks }: Ground): Promise<void> {
  await sql`
    INSERT INTO locations (organization_id, id, address, latitude, longitude)
    SELECT ${organizationId}, ${firstLocationId + tasks}::bigint + n, 'Depot ' || n, 51 + n / 100.0, 6 + n / 100.0
    FROM generate_series(0, ${SHARED_PLACES - 1}::int) n`;
}

/** Tasks number `from` to `to`. The newest are open, and those of them that are late are known to be. As many as can be are moving ones. */
async function makeTasks(sql: Sql, ground: Ground, from: number, to: number): Promise<void> {
  const { organizationId, channelIds, firstAgentId, firstCustomerId, firstLocationId, firstTaskId, tasks } = ground;
  const firstMoving = tasks - Math.floor(LIMITS.movingTasks / OPEN_SHARE);
  await sql`
    INSERT INTO tasks (organization_id, id, version, name, code, task_type, status, status_rank, time_to_serve,
      scheduled_at, assigned_at, accepted_at, started_at, completed_at, notes, customer_id, agent_id, courier_type,
      location_id, channel_id, integration_data, auto_assignment_status, amount_minor, currency, tracking_token,
      outcome, delayed_at, deadline_at, created_at, updated_at, moving_while_open)
    SELECT ${organizationId}, ${firstTaskId}::bigint + n, 1 + rank, 'Delivery ' || n, 'SEED-' || n, task_type, status,
      rank, time_to_serve, scheduled_at,
      CASE WHEN rank BETWEEN 2 AND 5 THEN created_at + interval '5 minutes' END,
      CASE WHEN rank BETWEEN 3 AND 5 THEN created_at + interval '10 minutes' END,
      CASE WHEN rank BETWEEN 4 AND 5 THEN created_at + interval '20 minutes' END,
      CASE WHEN rank = 5 THEN updated_at END, 'Ring twice. Leave it with the neighbour when nobody opens.',
      ${firstCustomerId}::bigint + customer,
      CASE WHEN rank BETWEEN 2 AND 5 THEN ${firstAgentId}::bigint + pg_temp.draw(n, 1, ${AGENTS}) END,
      CASE WHEN pg_temp.draw(n, 24, 500) = 0 THEN 'external' ELSE 'internal' END,
      ${firstLocationId}::bigint
        + CASE WHEN is_shared_place THEN ${tasks}::bigint + pg_temp.draw(n, 4, ${SHARED_PLACES}) ELSE n END,
      channel_id, integration_data, CASE WHEN rank = 1 THEN 'searching' ELSE 'not_requested' END,
      CASE WHEN task_type LIKE 'cash%' THEN 1000 + pg_temp.draw(n, 3, 9000) END,
      CASE WHEN task_type LIKE 'cash%' THEN 'USD' END, left(md5(${organizationId}::text || ' ' || n), 22),
      CASE WHEN rank = 5 THEN CASE WHEN pg_temp.draw(n, 25, 50) = 0 THEN 'failed' ELSE 'succeeded' END END,
      CASE WHEN coalesce(CASE WHEN rank = 5 THEN updated_at END, now()) > late_at THEN late_at END, CASE WHEN rank < 5 AND late_at > now() THEN late_at END,
      created_at, updated_at, n >= ${firstMoving}
    FROM (${drawnTasks(sql, channelIds, tasks, from, to)}) drawn,
      LATERAL (SELECT coalesce(scheduled_at + interval '1 hour', created_at + interval '1 day') AS late_at) late`;
}

/** The drawn fields of each task number. */
function drawnTasks(sql: Sql, channelIds: readonly number[], tasks: number, from: number, to: number) {
  return sql`
    SELECT n, rank, created_at,
      (ARRAY['new', 'awaiting_assignment', 'assigned', 'accepted', 'in_transit', 'completed', 'cancelled'])[rank + 1] AS status,
      created_at + (1 + pg_temp.draw(n, 10, 40000)) * interval '100 milliseconds' AS updated_at,
      CASE WHEN type_draw < 800 THEN 'delivery' WHEN type_draw < 900 THEN 'pickup' WHEN type_draw < 960 THEN 'return'
        WHEN type_draw < 998 THEN 'transfer' WHEN type_draw = 998 THEN 'cash_collection' ELSE 'cash_drop' END AS task_type,
      CASE WHEN is_scheduled THEN 'scheduled' ELSE 'asap' END AS time_to_serve,
      CASE WHEN is_scheduled THEN date_trunc('minute', created_at) + (60 + pg_temp.draw(n, 11, 10080)) * interval '1 minute'
        END AS scheduled_at,
      CASE WHEN pg_temp.draw(n, 12, 100) < 2 THEN 0 ELSE pg_temp.draw(n, 13, ${CUSTOMERS}) END AS customer,
      pg_temp.draw(n, 2, 100) < 2 AS is_shared_place,
      (${numberArray(channelIds)}::bigint[])[CASE WHEN channel_draw < 60 THEN 1 WHEN channel_draw < 85 THEN 2
        WHEN channel_draw < 95 THEN 3 ELSE 4 END] AS channel_id,
      CASE WHEN pg_temp.draw(n, 14, 100) < 30 THEN json_build_object('orderId', 'ORD-' || n,
        'source', (ARRAY['shop', 'marketplace', 'phone'])[1 + pg_temp.draw(n, 15, 3)],
        'priority', 1 + pg_temp.draw(n, 16, 5), 'gift', pg_temp.draw(n, 17, 20) = 0) END AS integration_data
    FROM (SELECT n, pg_temp.draw(n, 18, 1000) AS type_draw, pg_temp.draw(n, 19, 100) AS channel_draw,
        pg_temp.draw(n, 20, 100) < 15 AS is_scheduled,
        CASE WHEN n >= ${Math.floor(tasks * OPEN_FROM)} AND pg_temp.draw(n, 21, 10) < ${OPEN_SHARE * 10}::int
          THEN (ARRAY[0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4])[1 + pg_temp.draw(n, 22, 20)]
          WHEN pg_temp.draw(n, 23, 100) < 7 THEN 6 ELSE 5 END AS rank,
        date_trunc('milliseconds', now() - (${tasks}::bigint - n) * ${DAYS / tasks}::float8 * interval '1 day') AS created_at
      FROM generate_series(${from}::bigint, ${to}::bigint) n) base`;
}

/** Places, packages, history, and the lists that tasks number `from` to `to` stand in. */
async function makeWhatBelongs(sql: Sql, ground: Ground, from: number, to: number): Promise<void> {
  const { organizationId, firstTaskId, firstLocationId, firstPackageId, tasks } = ground;
  const made = sql`t.organization_id = ${organizationId} AND t.id BETWEEN ${firstTaskId + from} AND ${firstTaskId + to}`;
  const firstSharedId = firstLocationId + tasks;
  await sql`
    INSERT INTO locations (organization_id, id, address, latitude, longitude, apartment, task_id)
    SELECT ${organizationId}, t.location_id, (1 + t.id % 200) || ' Harbour Road', 51 + t.id % 1000 / 1000.0,
      6 + t.id % 997 / 997.0, (1 + t.id % 40)::text, t.id
    FROM tasks t WHERE ${made} AND t.location_id < ${firstSharedId}`;
  await sql`
    INSERT INTO location_uses (organization_id, location_id, created_at, task_id)
    SELECT t.organization_id, t.location_id, t.created_at, t.id FROM tasks t WHERE ${made} AND t.location_id >= ${firstSharedId}`;
  await sql`
    INSERT INTO packages (organization_id, id, version, task_id, name, description, quantity, weight, is_fragile, barcode,
      status, created_at, updated_at)
    SELECT t.organization_id, ${firstPackageId - firstTaskId}::bigint + t.id, 1, t.id, 'Groceries', 'Groceries', 1, 1.5,
      false, CASE WHEN t.id % 3 = 0 THEN 'BAR' || t.id END, CASE t.status WHEN 'completed' THEN 'delivered' WHEN 'cancelled' THEN 'cancelled' ELSE 'pending' END,
      t.created_at, t.updated_at
    FROM tasks t WHERE ${made}`;
  await sql`
    INSERT INTO task_history (organization_id, task_id, sequence, at, recorded_at, kind, to_status, actor_type, actor_id)
    SELECT t.organization_id, t.id, 1 + t.id - ${firstTaskId}::bigint, t.created_at, t.created_at, 'created', 'new',
      'channel', t.channel_id
    FROM tasks t WHERE ${made}`;
  await sql`
    INSERT INTO scheduled_tasks (organization_id, task_id, scheduled_at, created_at, channel_id)
    SELECT t.organization_id, t.id, t.scheduled_at, t.created_at, t.channel_id FROM tasks t
    WHERE ${made} AND t.scheduled_at IS NOT NULL`;
  await sql`
    INSERT INTO findable_fresh (organization_id, task_id, version, again, created_at, text, latitude, longitude)
    SELECT t.organization_id, t.id, t.version, false, t.created_at, searchable_text(t.code) || E'\\x1f' || searchable_text(t.name),
      l.latitude, l.longitude
    FROM tasks t JOIN locations l ON l.organization_id = t.organization_id AND l.id = t.location_id WHERE ${made}`;
  await createMaintenanceStore(sql).listForSearch();
  await sql`
    INSERT INTO task_references (organization_id, task_id, reference, created_at)
    SELECT t.organization_id, t.id, task_reference(f.key, f.value #>> '{}'), t.created_at
    FROM tasks t CROSS JOIN json_each(t.integration_data) f WHERE ${made}`;
}

/** The engine's counters, and the end of the log. */
async function count(sql: Sql, { organizationId, tasks }: Ground): Promise<void> {
  await sql`
    INSERT INTO task_counts (organization_id, status, task_type, channel_id, time_to_serve, count)
    SELECT organization_id, status, task_type, channel_id, time_to_serve, count(*)
    FROM tasks WHERE organization_id = ${organizationId} GROUP BY 1, 2, 3, 4, 5`;
  await sql`
    INSERT INTO usage (organization_id, resource, period, used)
    SELECT organization_id, 'tasks', date_trunc('month', created_at AT TIME ZONE 'UTC')::date, count(*)
    FROM tasks WHERE organization_id = ${organizationId} GROUP BY 1, 3
    UNION ALL SELECT ${organizationId}, 'customers', date '1970-01-01', ${CUSTOMERS}`;
  await sql`
    UPDATE organization_heads SET last_sequence = ${tasks}, last_at = now(), next_deadline_at = (
      SELECT min(deadline_at) FROM tasks WHERE organization_id = ${organizationId})
    WHERE organization_id = ${organizationId}`;
}

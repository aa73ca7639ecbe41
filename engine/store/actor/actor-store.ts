import type { OrganizationRecord } from '../../../schema/accounts/organization.ts';
import type { AssignmentRequestRecord } from '../../../schema/assignment/assignment.ts';
import type { CustomerRecord } from '../../../schema/customers/customer.ts';
import type { LocationRecord } from '../../../schema/customers/location.ts';
import { taskOfCreatedEvent } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { AccountBalance, AccountOwner } from '../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import type { PackageRecord } from '../../../schema/tasks/package.ts';
import { isTerminal, TASK_STATUSES, type TaskBundle } from '../../../schema/tasks/task.ts';
import { fetchBalances, fetchPayments } from '../payments/money-rows.ts';
import { type Fragment, numberArray, type Sql, textArray, withSettings } from '../postgres.ts';
import { type FetchedAgents, fetchAgents } from '../records/agent-store.ts';
import { fetchRequests } from '../records/assignment-request-store.ts';
import {
  WAREHOUSE_COLUMNS,
  type WarehouseRow,
  type WarehouseWithLocation,
  warehouseOfRow,
} from '../records/warehouse-store.ts';
import { CUSTOMER, PACKAGE } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';
import { type DueRecords, fetchDue } from './due-records.ts';
import { fetchTasks } from './fetch-tasks.ts';
import { fetchCodes, fetchKeys } from './name-pages.ts';

/** An actor's first facts about its organization. */
export interface OrganizationHead {
  readonly organization: OrganizationRecord;
  readonly lastSequence: number;
  readonly lastAt: string;
  readonly nextDeadlineAt: string | null;
  readonly openTasks: number;
  readonly movingTasks: number;
  readonly usage: readonly { readonly resource: string; readonly period: string; readonly used: number }[];
}

/** An outcome kept under an idempotency key. */
export interface IdempotencyRecord {
  readonly organizationId: number;
  readonly scope: string;
  readonly key: string;
  readonly at: string;
  readonly fingerprint: string;
  readonly status: number;
  /** Point of the log at which the outcome was true. */
  readonly sequence: number;
  /** Sequence of the task.created event whose task is `body`, so that Postgres need not hold it twice; else null. */
  readonly toldAt: number | null;
  /** Encoded JSON: the `data` of a success or the refusal. */
  readonly body: string;
}

/** Records that waiting commands touch and memory does not hold. */
export interface RecordNeeds {
  readonly taskIds: Set<number>;
  readonly codes: Set<string>;
  readonly customerIds: Set<number>;
  readonly phones: Set<string>;
  readonly emails: Set<string>;
  /** Whether all contacts of the organization are to be read along. */
  contacts: boolean;
  /** Behind which key, as scopedKeyOf writes it, a page of all that are still honoured is to be read along. */
  keysBehind: string | undefined;
  /** Behind which code a page of all codes of the organization is to be read along. */
  codesBehind: string | undefined;
  readonly locationIds: Set<number>;
  readonly warehouseIds: Set<number>;
  readonly channelIds: Set<number>;
  readonly agentIds: Set<number>;
  /** Lower-case addresses, each of which somebody may sign in with. */
  readonly userEmails: Set<string>;
  /** Agents whose open tasks are wanted. */
  readonly loadedAgentIds: Set<number>;
  /** Requests, each with its task, its agent and what that has. */
  readonly requestIds: Set<number>;
  /** Agents whose open requests are wanted, each with its task. */
  readonly askedAgentIds: Set<number>;
  readonly packageIds: Set<number>;
  readonly paymentIds: Set<number>;
  /** Whose accounts are wanted, by any name that tells them apart. */
  readonly accountOwners: Map<string, AccountOwner>;
  readonly idempotency: Map<string, { readonly scope: string; readonly key: string }>;
  /** Fetches after which no further ones are made; more than 1 where these records may name more that are wanted. */
  fetches: number;
}

export interface FetchedRecords extends FetchedAgents {
  /** Tasks that are no part of a job, and jobs with their parts. */
  readonly tasks: readonly TaskBundle[];
  readonly customers: readonly CustomerRecord[];
  /** Undefined when there are more than LIMITS.contactBookCustomers. */
  readonly contacts: Contacts | undefined | 'not-wanted';
  /** As scopedKeyOf writes them, in the order of scopes and keys; LIMITS.bookPage of them if there are as many. */
  readonly keys: readonly string[] | 'not-wanted';
  /** In their order, LIMITS.bookPage of them if there are as many. */
  readonly codes: readonly string[] | 'not-wanted';
  readonly locations: readonly LocationRecord[];
  readonly warehouses: readonly WarehouseWithLocation[];
  readonly channelIds: readonly number[];
  readonly requests: readonly AssignmentRequestRecord[];
  /** The agents whose open requests are all in `requests`. */
  readonly askedAgentIds: readonly number[];
  readonly loosePackages: readonly PackageRecord[];
  readonly payments: readonly PaymentRecord[];
  /** Owners whose accounts were wanted; what is not among `balances` they do not have. */
  readonly accountOwners: readonly AccountOwner[];
  readonly balances: readonly AccountBalance[];
  readonly idempotency: readonly IdempotencyRecord[];
}

/** The phones, and the e-mail addresses of customers without one, of an organization. */
export interface Contacts {
  readonly phones: readonly string[];
  readonly emails: readonly string[];
}

/** The group that last changed an organization's head, and the epoch that its shard has. */
export interface LastGroup {
  readonly organizationId: number;
  readonly shard: number;
  readonly epoch: number;
  readonly lastGroup: string | null;
}

/** The reads of actors. Every answer is committed; nothing is cached here. */
export interface OrgStore {
  /** Undefined when there never was such an organization. */
  loadHead(organizationId: number): Promise<OrganizationHead | 'deleted' | undefined>;
  fetchRecords(organizationId: number, needs: RecordNeeds): Promise<FetchedRecords>;
  fetchDue(organizationId: number, now: string): Promise<DueRecords>;
  /** Reads the existing heads of these organizations, as of one moment. */
  lastGroups(organizationIds: readonly number[]): Promise<readonly LastGroup[]>;
  /** First ids of `blocks` fresh blocks of LIMITS.idBlock ids each. */
  reserveIds(kind: IdKind, blocks: number): Promise<number[]>;
  /** Organizations of these shards with a timer due. */
  dueOrganizations(shards: readonly number[], now: string): Promise<number[]>;
}

export type IdKind =
  | 'task'
  | 'customer'
  | 'user'
  | 'location'
  | 'package'
  | 'warehouse'
  | 'agent'
  | 'assignment_request'
  | 'payment'
  | 'transfer';

/** The address of a database with the settings for what actors look up. */
export function forActors(databaseUrl: string): string {
  // Each of these reads has an index, mostly in the requested order. A plan made while a table is small, or believed to
  // be, would go on reading or sorting the whole of it when it no longer is.
  return withSettings(databaseUrl, { enable_seqscan: 'off', enable_sort: 'off' });
}

export function createOrgStore(sql: Sql): OrgStore {
  const ask = <T>(query: () => PromiseLike<T>, what: string) => retried(query, LIMITS.fetchDeadlineMs, what);
  return {
    loadHead: (organizationId) => ask(() => loadHead(sql, organizationId), 'loading an organization'),
    fetchRecords: (organizationId, needs) => ask(() => fetchRecords(sql, organizationId, needs), 'fetching records'),
    fetchDue: (organizationId, now) => ask(() => fetchDue(sql, organizationId, now), 'fetching due tasks and agents'),
    lastGroups: (organizationIds) =>
      ask(
        () => sql<LastGroup[]>`
          SELECT h.organization_id, h.last_group, s.shard, s.epoch
          FROM organization_heads h JOIN shards s ON s.shard = h.shard
          WHERE h.organization_id = ANY(${numberArray(organizationIds)}::bigint[])`,
        'looking for a group',
      ),
    async reserveIds(kind, blocks) {
      const rows = await ask(
        () => sql<{ first: number }[]>`
          SELECT nextval(${`${kind}_ids`}::regclass) AS first FROM generate_series(1, ${blocks}::int)`,
        'reserving ids',
      );
      return rows.map((row) => row.first);
    },
    async dueOrganizations(shards, now) {
      const rows = await ask(
        () => sql<{ organizationId: number }[]>`
          SELECT organization_id FROM organization_heads
          WHERE shard = ANY(${numberArray(shards)}::int[]) AND next_deadline_at <= ${now}::timestamptz
          ORDER BY next_deadline_at LIMIT ${LIMITS.deadlinesPerWake}`,
        'scanning for timers',
      );
      return rows.map((row) => row.organizationId);
    },
  };
}

const OPEN_STATUSES = textArray(TASK_STATUSES.filter((status) => !isTerminal(status)));

type HeadRow = Omit<OrganizationHead, 'organization'> & OrganizationRecord;

async function loadHead(sql: Sql, organizationId: number): Promise<OrganizationHead | 'deleted' | undefined> {
  const rows = await sql<HeadRow[]>`
    SELECT o.organization_id, o.version, o.name, o.status, o.currency, o.limits, o.settings, o.created_at, o.updated_at,
      h.last_sequence, h.last_at, h.next_deadline_at,
      (SELECT coalesce(sum(c.count), 0)::bigint FROM task_counts c
        WHERE c.organization_id = o.organization_id AND c.status = ANY (${OPEN_STATUSES}::text[])) AS open_tasks,
      (SELECT count(*) FROM tasks t WHERE t.organization_id = o.organization_id AND t.settled_rank IS NULL) AS moving_tasks,
      coalesce((SELECT json_agg(json_build_object('resource', u.resource, 'period', u.period, 'used', u.used))
        FROM usage u WHERE u.organization_id = o.organization_id
          -- The deciding process may be in the month before, or in the next, by its own clock.
          AND (u.period = date '1970-01-01' OR u.period >= (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date)
        ), '[]'::json) AS usage
    FROM organizations o JOIN organization_heads h ON h.organization_id = o.organization_id
    WHERE o.organization_id = ${organizationId}`;
  const [row] = rows;
  if (row) {
    const { lastSequence, lastAt, nextDeadlineAt, openTasks, movingTasks, usage, ...organization } = row;
    return { organization, lastSequence, lastAt, nextDeadlineAt, openTasks, movingTasks, usage };
  }
  const tombstones = await sql`SELECT 1 FROM deleted_organizations WHERE organization_id = ${organizationId}`;
  return tombstones.length > 0 ? 'deleted' : undefined;
}

async function fetchRecords(sql: Sql, organizationId: number, asked: RecordNeeds): Promise<FetchedRecords> {
  const requests = await fetchRequests(sql, organizationId, asked);
  const needs = withThoseOf(requests, asked);
  const accountOwners = [...needs.accountOwners.values()];
  const [tasks, namedTasks, customers, contacts, locations, warehouses, channels, ofAgents, loosePackages, ...others] =
    await Promise.all([
      fetchTasks(sql, organizationId, needs.taskIds),
      fetchNamedTasks(sql, organizationId, needs),
      fetchCustomers(sql, organizationId, needs),
      needs.contacts ? fetchContacts(sql, organizationId) : ('not-wanted' as const),
      needs.locationIds.size === 0
        ? []
        : sql<LocationRecord[]>`
          SELECT organization_id, id, address, latitude, longitude, building, floor, apartment FROM locations
          WHERE organization_id = ${organizationId} AND id = ANY(${numberArray(needs.locationIds)}::bigint[])`,
      needs.warehouseIds.size === 0
        ? []
        : sql<WarehouseRow[]>`
          SELECT ${sql.unsafe(WAREHOUSE_COLUMNS)}
          FROM warehouses w JOIN locations l ON l.organization_id = w.organization_id AND l.id = w.location_id
          WHERE w.organization_id = ${organizationId} AND w.id = ANY(${numberArray(needs.warehouseIds)}::bigint[])`,
      needs.channelIds.size === 0
        ? []
        : sql<{ id: number }[]>`
          SELECT id FROM channels
          WHERE organization_id = ${organizationId} AND id = ANY(${numberArray(needs.channelIds)}::bigint[])`,
      fetchAgents(sql, organizationId, needs),
      needs.packageIds.size === 0
        ? []
        : sql<{ package: unknown[] }[]>`
          SELECT ${sql.unsafe(PACKAGE.json('p'))} AS package FROM packages p
          WHERE p.organization_id = ${organizationId} AND p.id = ANY(${numberArray(needs.packageIds)}::bigint[])
            AND p.task_id IS NULL`,
      fetchIdempotency(sql, organizationId, needs),
      needs.keysBehind === undefined ? ('not-wanted' as const) : fetchKeys(sql, organizationId, needs.keysBehind),
      needs.codesBehind === undefined ? ('not-wanted' as const) : fetchCodes(sql, organizationId, needs.codesBehind),
      fetchPayments(sql, organizationId, needs.paymentIds),
      fetchBalances(sql, organizationId, accountOwners),
    ]);
  const [idempotency, keys, codes, payments, balances] = others;
  return {
    tasks: [...tasks, ...namedTasks],
    customers,
    contacts,
    locations,
    warehouses: warehouses.map(warehouseOfRow),
    channelIds: channels.map((row) => row.id),
    requests,
    askedAgentIds: [...asked.askedAgentIds],
    ...ofAgents,
    loosePackages: loosePackages.map((row) => PACKAGE.ofJson(row.package)),
    payments,
    accountOwners,
    balances,
    idempotency,
    keys,
    codes,
  };
}

/** The records that are read together with the tasks and agents of requests. */
function withThoseOf(requests: readonly AssignmentRequestRecord[], needs: RecordNeeds): RecordNeeds {
  if (requests.length === 0) return needs;
  const taskIds = new Set([...needs.taskIds, ...requests.map(({ taskId }) => taskId)]);
  const ofAgents = requests.map(({ agentId }) => agentId);
  const agentIds = new Set([...needs.agentIds, ...ofAgents]);
  return { ...needs, taskIds, agentIds, loadedAgentIds: new Set([...needs.loadedAgentIds, ...ofAgents]) };
}

/** Tasks by what else they are known by; a part comes with the whole of its job. */
async function fetchNamedTasks(
  sql: Sql,
  organizationId: number,
  { codes, packageIds }: Pick<RecordNeeds, 'codes' | 'packageIds'>,
): Promise<TaskBundle[]> {
  if (codes.size + packageIds.size === 0) return [];
  // One by one: joined at once, a planner that knows little of the tables compares all tasks with each other. And between
  // a value and itself, in its order: while a table is empty, all indexes of an organization's rows look alike.
  const rows = await sql<{ id: number | null }[]>`
    SELECT b.id FROM unnest(${textArray(codes)}::text[]) AS k(code) CROSS JOIN LATERAL (
      SELECT t.id FROM tasks t
      WHERE t.organization_id = ${organizationId} AND t.code BETWEEN k.code AND k.code ORDER BY t.code LIMIT 1) b
    UNION SELECT b.task_id FROM unnest(${numberArray(packageIds)}::bigint[]) AS k(id) CROSS JOIN LATERAL (
      SELECT p.task_id FROM packages p
      WHERE p.organization_id = ${organizationId} AND p.id BETWEEN k.id AND k.id ORDER BY p.id LIMIT 1) b`;
  return fetchTasks(sql, organizationId, new Set(rows.flatMap(({ id }) => id ?? [])));
}

async function fetchCustomers(sql: Sql, organizationId: number, needs: RecordNeeds): Promise<CustomerRecord[]> {
  const where = (condition: Fragment) => sql<{ customer: unknown[] }[]>`
    SELECT ${sql.unsafe(CUSTOMER.json('c'))} AS customer FROM customers c
    WHERE c.organization_id = ${organizationId} AND ${condition}`;
  const found = await Promise.all([
    needs.phones.size === 0 ? [] : where(sql`c.phone_e164 = ANY(${textArray(needs.phones)}::text[])`),
    needs.customerIds.size === 0 ? [] : where(sql`c.id = ANY(${numberArray(needs.customerIds)}::bigint[])`),
    needs.emails.size === 0
      ? []
      : where(sql`c.email IS NOT NULL AND c.phone_e164 IS NULL
          AND lower(c.email) = ANY(${textArray(needs.emails)}::text[])`),
  ]);
  return found.flat().map((row) => CUSTOMER.ofJson(row.customer));
}

async function fetchContacts(sql: Sql, organizationId: number): Promise<Contacts | undefined> {
  const rows = await sql<{ contacts: readonly { phone: string | null; email: string | null }[] }[]>`
    SELECT coalesce(json_agg(json_build_object('phone', c.phone_e164, 'email', c.email)), '[]'::json) AS contacts FROM (
      SELECT phone_e164, CASE WHEN phone_e164 IS NULL THEN lower(email) END AS email FROM customers
      WHERE organization_id = ${organizationId} LIMIT ${LIMITS.contactBookCustomers + 1}) c`;
  const { contacts } = rows[0]!;
  if (contacts.length > LIMITS.contactBookCustomers) return undefined;
  return {
    phones: contacts.flatMap(({ phone }) => phone ?? []),
    emails: contacts.flatMap(({ email }) => email ?? []),
  };
}

async function fetchIdempotency(sql: Sql, organizationId: number, needs: RecordNeeds): Promise<IdempotencyRecord[]> {
  if (needs.idempotency.size === 0) return [];
  const keys = [...needs.idempotency.values()];
  const rows = await sql<(IdempotencyRecord & { readonly eventBody: string | null })[]>`
    SELECT r.*, e.body AS event_body
    FROM unnest(${textArray(keys.map((k) => k.scope))}::text[], ${textArray(keys.map((k) => k.key))}::text[]) AS k(scope, key)
    -- Laterally, key by key: joined at once, the planner reads the whole table once it has guessed it small.
    CROSS JOIN LATERAL (
      SELECT r.organization_id, r.scope, r.key, r.at, r.fingerprint, r.status, r.sequence, r.told_at, r.body
      FROM idempotency_records r
      WHERE r.organization_id = ${organizationId} AND r.scope = k.scope AND r.key = k.key
        AND r.at > now() - ${LIMITS.idempotencyRetentionMs / 1000} * interval '1 second'
      ORDER BY r.at DESC LIMIT 1) r
    LEFT JOIN LATERAL (
      SELECT e.body FROM events e
      WHERE e.organization_id = r.organization_id AND e.sequence = r.told_at AND e.at = r.at LIMIT 1) e ON true`;
  return rows.map(({ eventBody, ...record }) =>
    record.toldAt === null ? record : { ...record, body: taskOfCreatedEvent(eventBody!) },
  );
}

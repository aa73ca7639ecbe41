import type { AgentRecord } from '../../schema/agent.ts';
import type { CustomerRecord } from '../../schema/customer.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { LocationRecord } from '../../schema/location.ts';
import type { PackageRecord } from '../../schema/package.ts';
import type { TaskBundle } from '../../schema/task.ts';
import { type Fragment, numberArray, type Sql, textArray } from './postgres.ts';
import { read } from './read.ts';
import {
  AGENT_JSON,
  BUNDLE_COLUMNS,
  BUNDLE_JOINS,
  type BundleRow,
  bundleOfRow,
  CUSTOMER_JSON,
  PACKAGE_JSON,
} from './task-rows.ts';

/** What an actor knows of its organization before the first command. */
export interface OrganizationHead {
  readonly organizationId: number;
  readonly currency: string;
  readonly limits: Readonly<Record<string, number | null | undefined>>;
  readonly lastSequence: number;
  readonly lastAt: string;
  readonly nextDeadlineAt: string | null;
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
  readonly locationIds: Set<number>;
  readonly channelIds: Set<number>;
  readonly agentIds: Set<number>;
  readonly packageIds: Set<number>;
  readonly idempotency: Map<string, { readonly scope: string; readonly key: string }>;
}

export interface FetchedRecords {
  readonly tasks: readonly TaskBundle[];
  readonly customers: readonly CustomerRecord[];
  readonly locations: readonly LocationRecord[];
  readonly channelIds: readonly number[];
  readonly agents: readonly AgentRecord[];
  readonly loosePackages: readonly PackageRecord[];
  readonly idempotency: readonly IdempotencyRecord[];
}

/** Tasks whose timers are due, and when the next one after them is. */
export interface DueTasks {
  readonly tasks: readonly TaskBundle[];
  readonly nextDeadlineAt: string | null;
}

/** What actors read. Every answer is committed; nothing is cached here. */
export interface OrgStore {
  loadHead(organizationId: number): Promise<OrganizationHead | undefined>;
  fetchRecords(organizationId: number, needs: RecordNeeds): Promise<FetchedRecords>;
  fetchDue(organizationId: number, now: string): Promise<DueTasks>;
  /** The group that last changed each organization's head. */
  lastGroups(organizationIds: readonly number[]): Promise<ReadonlyMap<number, string | null>>;
  /** First ids of `blocks` fresh blocks of LIMITS.idBlock ids each. */
  reserveIds(kind: IdKind, blocks: number): Promise<number[]>;
  /** Organizations of these shards with a timer due. */
  dueOrganizations(shards: readonly number[], now: string): Promise<number[]>;
}

export type IdKind = 'task' | 'customer' | 'user' | 'location' | 'package';

export function createOrgStore(sql: Sql): OrgStore {
  const ask = <T>(query: () => PromiseLike<T>, what: string) => read(query, LIMITS.fetchDeadlineMs, what);
  return {
    loadHead: (organizationId) => ask(() => loadHead(sql, organizationId), 'loading an organization'),
    fetchRecords: (organizationId, needs) => ask(() => fetchRecords(sql, organizationId, needs), 'fetching records'),
    fetchDue: (organizationId, now) => ask(() => fetchDue(sql, organizationId, now), 'fetching due tasks'),
    async lastGroups(organizationIds) {
      const rows = await ask(
        () => sql<{ organizationId: number; lastGroup: string | null }[]>`
          SELECT organization_id, last_group FROM organization_heads
          WHERE organization_id = ANY(${numberArray(organizationIds)}::bigint[])`,
        'looking for a group',
      );
      return new Map(rows.map((row) => [row.organizationId, row.lastGroup]));
    },
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

async function loadHead(sql: Sql, organizationId: number): Promise<OrganizationHead | undefined> {
  const rows = await sql<OrganizationHead[]>`
    SELECT o.organization_id, o.currency, o.limits, h.last_sequence, h.last_at, h.next_deadline_at,
      coalesce((SELECT json_agg(json_build_object('resource', u.resource, 'period', u.period, 'used', u.used))
        FROM usage u WHERE u.organization_id = o.organization_id AND u.period IN (date '1970-01-01',
          date_trunc('month', now() AT TIME ZONE 'UTC')::date)), '[]'::json) AS usage
    FROM organizations o JOIN organization_heads h ON h.organization_id = o.organization_id
    WHERE o.organization_id = ${organizationId}`;
  return rows[0];
}

async function fetchRecords(sql: Sql, organizationId: number, needs: RecordNeeds): Promise<FetchedRecords> {
  const [tasks, customers, locations, channels, agents, loosePackages, idempotency] = await Promise.all([
    fetchBundles(sql, organizationId, needs),
    fetchCustomers(sql, organizationId, needs),
    needs.locationIds.size === 0
      ? []
      : sql<LocationRecord[]>`
          SELECT organization_id, id, address, latitude, longitude, building, floor, apartment FROM locations
          WHERE organization_id = ${organizationId} AND id = ANY(${numberArray(needs.locationIds)}::bigint[])`,
    needs.channelIds.size === 0
      ? []
      : sql<{ id: number }[]>`
          SELECT id FROM channels
          WHERE organization_id = ${organizationId} AND id = ANY(${numberArray(needs.channelIds)}::bigint[])`,
    needs.agentIds.size === 0
      ? []
      : sql<{ agent: AgentRecord }[]>`
          SELECT ${sql.unsafe(AGENT_JSON)} AS agent FROM agents a
          WHERE a.organization_id = ${organizationId} AND a.id = ANY(${numberArray(needs.agentIds)}::bigint[])`,
    needs.packageIds.size === 0
      ? []
      : sql<{ package: PackageRecord }[]>`
          SELECT ${sql.unsafe(PACKAGE_JSON)} AS package FROM packages p
          WHERE p.organization_id = ${organizationId} AND p.id = ANY(${numberArray(needs.packageIds)}::bigint[])
            AND p.task_id IS NULL`,
    fetchIdempotency(sql, organizationId, needs),
  ]);
  return {
    tasks,
    customers,
    locations,
    channelIds: channels.map((row) => row.id),
    agents: agents.map((row) => row.agent),
    loosePackages: loosePackages.map((row) => row.package),
    idempotency,
  };
}

async function fetchBundles(sql: Sql, organizationId: number, needs: RecordNeeds): Promise<TaskBundle[]> {
  if (needs.taskIds.size + needs.codes.size + needs.packageIds.size === 0) return [];
  const rows = await sql<BundleRow[]>`
    SELECT ${sql.unsafe(BUNDLE_COLUMNS)} FROM tasks t ${sql.unsafe(BUNDLE_JOINS)}
    WHERE t.organization_id = ${organizationId} AND t.id IN (
      SELECT unnest(${numberArray(needs.taskIds)}::bigint[])
      UNION SELECT b.id FROM tasks b
        WHERE b.organization_id = ${organizationId} AND b.code = ANY(${textArray(needs.codes)}::text[])
      UNION SELECT q.task_id FROM packages q
        WHERE q.organization_id = ${organizationId} AND q.id = ANY(${numberArray(needs.packageIds)}::bigint[]))`;
  return rows.map(bundleOfRow);
}

async function fetchCustomers(sql: Sql, organizationId: number, needs: RecordNeeds): Promise<CustomerRecord[]> {
  const where = (condition: Fragment) => sql<{ customer: CustomerRecord }[]>`
    SELECT ${sql.unsafe(CUSTOMER_JSON)} AS customer FROM customers c
    WHERE c.organization_id = ${organizationId} AND ${condition}`;
  const found = await Promise.all([
    needs.phones.size === 0 ? [] : where(sql`c.phone_e164 = ANY(${textArray(needs.phones)}::text[])`),
    needs.customerIds.size === 0 ? [] : where(sql`c.id = ANY(${numberArray(needs.customerIds)}::bigint[])`),
    needs.emails.size === 0
      ? []
      : where(sql`c.email IS NOT NULL AND c.phone_e164 IS NULL
          AND lower(c.email) = ANY(${textArray(needs.emails)}::text[])`),
  ]);
  return found.flat().map((row) => row.customer);
}

async function fetchIdempotency(sql: Sql, organizationId: number, needs: RecordNeeds): Promise<IdempotencyRecord[]> {
  if (needs.idempotency.size === 0) return [];
  const keys = [...needs.idempotency.values()];
  return sql<IdempotencyRecord[]>`
    SELECT r.organization_id, r.scope, r.key, r.at, r.fingerprint, r.status, r.body
    FROM unnest(${textArray(keys.map((k) => k.scope))}::text[], ${textArray(keys.map((k) => k.key))}::text[]) AS k(scope, key)
    JOIN idempotency_records r ON r.organization_id = ${organizationId} AND r.scope = k.scope AND r.key = k.key
    WHERE r.at > now() - ${LIMITS.idempotencyRetentionMs / 1000} * interval '1 second'`;
}

async function fetchDue(sql: Sql, organizationId: number, now: string): Promise<DueTasks> {
  const rows = await sql<BundleRow[]>`
    SELECT ${sql.unsafe(BUNDLE_COLUMNS)} FROM tasks t ${sql.unsafe(BUNDLE_JOINS)}
    WHERE t.organization_id = ${organizationId} AND t.deadline_at <= ${now}::timestamptz
    ORDER BY t.deadline_at LIMIT ${LIMITS.deadlinesPerWake}`;
  if (rows.length === LIMITS.deadlinesPerWake) return { tasks: rows.map(bundleOfRow), nextDeadlineAt: now };
  const next = await sql<{ at: string | null }[]>`
    SELECT min(deadline_at) AS at FROM tasks
    WHERE organization_id = ${organizationId} AND deadline_at > ${now}::timestamptz`;
  return { tasks: rows.map(bundleOfRow), nextDeadlineAt: next[0]!.at };
}

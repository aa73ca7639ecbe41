import type { ListOrganizationsQuery, OrganizationRecord } from '../../../schema/accounts/organization.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { shardOf } from '../../runtime/shard-of.ts';
import { type Fragment, type Sql, textArray } from '../postgres.ts';
import { retried } from '../statements.ts';

export interface OrganizationPage {
  readonly items: readonly OrganizationRecord[];
  /** Exact number of matching organizations, of the same snapshot as the items. */
  readonly count: number;
}

export interface OrganizationDetail {
  readonly organization: OrganizationRecord;
  /** Sequence of the organization's log at which it was true. */
  readonly sequence: number;
}

/** Columns of an organization `o`. */
const ORGANIZATION =
  'o.organization_id, o.version, o.name, o.status, o.currency, o.limits, o.settings, o.created_at, o.updated_at';

/** A page of organizations, newest first. */
export async function listOrganizations(
  sql: Sql,
  { page, limit, status, search }: ListOrganizationsQuery,
): Promise<OrganizationPage> {
  const matching = sql`(${status === undefined} OR o.status = ANY(${textArray(status ?? [])}::text[]))
    AND strpos(fold_case(o.name), fold_case(${search ?? ''})) > 0`;
  const query = () => sql<({ count: number } & (OrganizationRecord | { organizationId: null }))[]>`
    SELECT c.count, b.*
    FROM (SELECT count(*) FROM organizations o WHERE ${matching}) c LEFT JOIN (
      SELECT ${sql.unsafe(ORGANIZATION)} FROM organizations o WHERE ${matching}
      ORDER BY o.created_at DESC, o.organization_id DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}) b ON true
    ORDER BY b.created_at DESC, b.organization_id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing organizations');
  return { items: rows.flatMap((row) => (row.organizationId === null ? [] : [row])), count: rows[0]!.count };
}

/** An organization; undefined when there is none, or it is being deleted. */
export async function readOrganization(sql: Sql, organizationId: number): Promise<OrganizationDetail | undefined> {
  const query = () => sql<(OrganizationRecord & { sequence: number })[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(ORGANIZATION)}
    FROM organizations o JOIN organization_heads h ON h.organization_id = o.organization_id
    WHERE o.organization_id = ${organizationId}`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading an organization');
  if (!row) return undefined;
  const { sequence, ...organization } = row;
  return { organization, sequence };
}

/** Makes an organization. */
export function insertOrganization(sql: Sql, organization: OrganizationRecord): Fragment {
  const { organizationId, version, name, status, currency, limits, settings, createdAt, updatedAt } = organization;
  return sql`
    INSERT INTO organizations (organization_id, version, name, status, currency, limits, settings, created_at, updated_at)
    VALUES (${organizationId}, ${version}, ${name}, ${status}, ${currency}, ${JSON.stringify(limits)}::text::jsonb,
      ${JSON.stringify(settings)}::text::json, ${createdAt}, ${updatedAt})
    RETURNING organization_id`;
}

/**
 * The rows that every organization has from the start: the head that its log counts from, and the channel of its users'
 * sessions.
 */
export function insertBelongings(sql: Sql, organizationId: number): Fragment[] {
  return [
    sql`INSERT INTO organization_heads (organization_id, shard) VALUES (${organizationId}, ${shardOf(organizationId)})`,
    sql`INSERT INTO channels (organization_id, id, name, built_in)
      VALUES (${organizationId}, nextval('channel_ids'), 'console', true)`,
  ];
}

/** Draws an organization id, and reads the time. */
export async function drawOrganizationId(sql: Sql): Promise<{ readonly organizationId: number; readonly now: string }> {
  const [row] = await sql<{ organizationId: number; now: string }[]>`
    SELECT nextval('organization_ids') AS organization_id, now() AS now`;
  return row!;
}

/** Creates an organization without any checks: for demonstrations, tests and benches. */
export async function makeOrganization(
  sql: Sql,
  { name, status = 'active', limits = {} }: Pick<OrganizationRecord, 'name'> & Partial<OrganizationRecord>,
): Promise<number> {
  const { organizationId, now } = await drawOrganizationId(sql);
  const stamps = { version: 1, createdAt: now, updatedAt: now };
  const organization = { organizationId, name, status, currency: 'USD', limits, settings: {}, ...stamps };
  const [head, channel] = insertBelongings(sql, organizationId);
  await sql`WITH changed AS (${insertOrganization(sql, organization)}), head AS (${head!}) ${channel!}`;
  return organizationId;
}

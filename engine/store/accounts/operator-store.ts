import { LIMITS } from '../../../schema/limits.ts';
import { hashSecret } from '../../runtime/secrets.ts';
import { type Fragment, numberArray, type Sql } from '../postgres.ts';
import { once } from '../statements.ts';
import { hashed, life } from './account-statements.ts';
import { familyOf, newSessionTokens, type SessionTokens } from './session-store.ts';

/** Operations that need the database and no API. Triggers note the changes of access, as for any other writer. */

export interface SuperAdmin {
  readonly userId: number;
  readonly email: string;
}

/** Counts the active super admins. */
export function listSuperAdmins(sql: Sql): Promise<SuperAdmin[]> {
  return once(
    sql<SuperAdmin[]>`
      SELECT id AS user_id, email FROM users
      WHERE organization_id = 0 AND role = 'super_admin' AND is_active AND email_verified_at IS NOT NULL ORDER BY id`,
    'a statement of the operator',
  );
}

/** A session of a super admin that cannot be refreshed. */
export async function beginOperatorSession(
  sql: Sql,
  userId: number,
  accessToken: string,
  lifeMs: number,
): Promise<void> {
  await once(
    sql`
    WITH begun AS (
      INSERT INTO sessions (organization_id, id, user_id, access_hash, access_expires_at)
      VALUES (0, nextval('session_ids'), ${userId}, ${hashed(sql, accessToken)}, now() + ${life(sql, lifeMs)})
      RETURNING organization_id, id, user_id
    ), changed AS (
      SELECT organization_id, 'session' AS record_type, id AS record_id, NULL::json AS before,
        json_build_object('userId', user_id) AS after FROM begun
    )
    ${noteOf(sql, 'session.issued')}`,
    'a statement of the operator',
  );
}

export async function endOperatorSession(sql: Sql, accessToken: string): Promise<void> {
  await once(
    sql`
    WITH ended AS (
      UPDATE sessions SET revoked_at = now()
      WHERE organization_id = 0 AND access_hash = ${hashed(sql, accessToken)} AND revoked_at IS NULL
      RETURNING organization_id, id, user_id
    ), changed AS (${endedRecords(sql)})
    ${noteOf(sql, 'session.ended')}`,
    'a statement of the operator',
  );
}

export interface NewSuperAdmin {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly passwordHash: string;
}

/** Inserts a super admin whose address counts as verified; undefined when a user has the address already. */
export async function createSuperAdmin(sql: Sql, admin: NewSuperAdmin): Promise<{ readonly id: number } | undefined> {
  const { email, firstName, lastName, passwordHash } = admin;
  const [made] = await once(
    sql<{ id: number }[]>`
      WITH made AS (
        INSERT INTO users (organization_id, id, role, email, first_name, last_name, password_hash, email_verified_at)
        VALUES (0, nextval('user_ids'), 'super_admin', ${email}, ${firstName}, ${lastName}, ${passwordHash}, now())
        ON CONFLICT (lower(email)) DO NOTHING RETURNING organization_id, id, email, role
      ), changed AS (
        SELECT organization_id, 'user' AS record_type, id AS record_id, NULL::json AS before,
          json_build_object('email', email, 'role', role) AS after FROM made
      ), noted AS (${noteOf(sql, 'user.created')})
      SELECT id FROM made`,
    'a statement of the operator',
  );
  return made;
}

export interface UserFacts {
  readonly organizationId: number;
  readonly id: number;
  readonly isActive: boolean;
  readonly agentId: number | null;
}

/** The account of an address, in any spelling; undefined when there is none. */
export async function findUser(sql: Sql, email: string): Promise<UserFacts | undefined> {
  const [user] = await once(
    sql<UserFacts[]>`
    SELECT u.organization_id, u.id, u.is_active, a.id AS agent_id FROM users u
    LEFT JOIN agents a ON a.organization_id = u.organization_id AND a.user_id = u.id
    WHERE lower(u.email) = lower(${email})`,
    'a statement of the operator',
  );
  return user;
}

/** Marks an address as verified; false when it was so before. */
export async function verifyUser(sql: Sql, organizationId: number, userId: number): Promise<boolean> {
  const verified = await once(
    sql`
    WITH verified AS (
      UPDATE users SET email_verified_at = now(), updated_at = now(), version = version + 1
      WHERE organization_id = ${organizationId} AND id = ${userId} AND email_verified_at IS NULL
      RETURNING organization_id, id, email_verified_at
    ), changed AS (
      SELECT organization_id, 'user' AS record_type, id AS record_id,
        json_build_object('emailVerifiedAt', NULL) AS before,
        json_build_object('emailVerifiedAt', email_verified_at) AS after FROM verified
    ), noted AS (${noteOf(sql, 'user.email_verified')})
    SELECT id FROM verified`,
    'a statement of the operator',
  );
  return verified.length > 0;
}

/** Ends every session of a user. Returns their number. */
export async function endSessionsOf(sql: Sql, organizationId: number, userId: number): Promise<number> {
  const ended = await once(
    sql`
    WITH ended AS (
      UPDATE sessions SET revoked_at = now()
      WHERE organization_id = ${organizationId} AND user_id = ${userId} AND revoked_at IS NULL
      RETURNING organization_id, id, user_id
    ), changed AS (${endedRecords(sql)}), noted AS (${noteOf(sql, 'session.ended')})
    SELECT id FROM ended`,
    'a statement of the operator',
  );
  return ended.length;
}

/**
 * Locks a user out and ends every session, or unlocks the user. Returns the number of ended sessions, those of logins
 * beside the lock included. Undefined when nothing changed: the user is so already, is the last active super admin, or
 * is an inactive agent.
 */
export async function setUserActive(
  sql: Sql,
  { organizationId, id }: Pick<UserFacts, 'organizationId' | 'id'>,
  isActive: boolean,
): Promise<number | undefined> {
  // Super admins are locked as rows: of two that are locked at the same time, the later statement sees the earlier one.
  const [done] = await once(
    sql<{ isChanged: boolean; sessionsEnded: number }[]>`
    WITH admins AS MATERIALIZED (
      SELECT id FROM users WHERE organization_id = 0 AND role = 'super_admin' AND is_active
        AND email_verified_at IS NOT NULL AND ${organizationId}::bigint = 0 ORDER BY id FOR UPDATE
    ), switched AS (
      UPDATE users SET is_active = ${isActive}, updated_at = now(), version = version + 1
      WHERE organization_id = ${organizationId} AND id = ${id} AND is_active <> ${isActive}
        AND NOT (${isActive}::boolean AND EXISTS (SELECT FROM agents a
          WHERE a.organization_id = users.organization_id AND a.user_id = users.id AND NOT a.is_active))
        AND (${isActive}::boolean OR organization_id <> 0 OR (SELECT count(*) FROM admins a WHERE a.id <> ${id}) > 0)
      RETURNING organization_id, id
    ), changed AS (
      SELECT organization_id, 'user' AS record_type, id AS record_id, json_build_object('isActive', ${!isActive}::boolean) AS before,
        json_build_object('isActive', ${isActive}::boolean) AS after FROM switched
    ), noted AS (${noteOf(sql, isActive ? 'user.unlocked' : 'user.locked')}
    ), ended AS (
      UPDATE sessions s SET revoked_at = now() FROM switched u
      WHERE s.organization_id = u.organization_id AND s.user_id = u.id AND s.revoked_at IS NULL
      RETURNING s.organization_id, s.id, s.user_id
    ), ended_records AS (${endedRecords(sql)}), noted_ends AS (${noteOf(sql, 'session.ended', 'ended_records')})
    SELECT EXISTS (SELECT FROM switched) AS is_changed, (SELECT count(*) FROM ended) AS sessions_ended`,
    'a statement of the operator',
  );
  return done!.isChanged ? done!.sessionsEnded : undefined;
}

export interface AgentTokens extends SessionTokens {
  readonly agentId: number;
}

/** A choice of an organization's agents: these, or the first so many. */
export type AgentChoice = { readonly ids: readonly number[] } | { readonly count: number };

/** Opens sessions for agents, in one statement. Inactive and missing agents get none. */
export async function issueAgentTokens(
  sql: Sql,
  organizationId: number,
  choice: AgentChoice,
  accessMs: number,
): Promise<AgentTokens[]> {
  const ids = 'ids' in choice ? numberArray(choice.ids) : null;
  const most = 'ids' in choice ? choice.ids.length : choice.count;
  const issued = Array.from({ length: most }, () => newSessionTokens());
  const hashes = issued.map(({ accessToken, refreshToken }) => ({
    access: hashSecret(accessToken),
    family: hashSecret(familyOf(refreshToken)),
    refresh: hashSecret(refreshToken),
  }));
  const signedIn = await once(
    sql<{ place: number; agentId: number }[]>`
      WITH chosen AS (
        SELECT row_number() OVER (ORDER BY a.id) AS place, a.organization_id, a.id AS agent_id, a.user_id
        FROM agents a JOIN users u ON u.organization_id = a.organization_id AND u.id = a.user_id
        WHERE a.organization_id = ${organizationId} AND u.is_active AND u.email_verified_at IS NOT NULL
          AND (${ids}::bigint[] IS NULL OR a.id = ANY(${ids}::bigint[]))
        ORDER BY a.id LIMIT ${most}
      ), tokens AS (
        SELECT * FROM ROWS FROM (json_to_recordset(${JSON.stringify(hashes)}::text::json) AS (access text, family text, refresh text))
          WITH ORDINALITY AS t(access, family, refresh, place)
      ), begun AS (
        INSERT INTO sessions (organization_id, id, user_id, access_hash, access_expires_at, family_hash, refresh_hash,
          refresh_expires_at)
        SELECT c.organization_id, nextval('session_ids'), c.user_id, decode(t.access, 'hex'), now() + ${life(sql, accessMs)},
          decode(t.family, 'hex'), decode(t.refresh, 'hex'), now() + ${life(sql, Math.max(accessMs, LIMITS.refreshTokenMs))}
        FROM chosen c JOIN tokens t USING (place) RETURNING organization_id, id, user_id
      ), changed AS (
        SELECT organization_id, 'session' AS record_type, id AS record_id, NULL::json AS before,
          json_build_object('userId', user_id) AS after FROM begun
      ), noted AS (${noteOf(sql, 'session.issued')})
      SELECT place, agent_id FROM chosen ORDER BY place`,
    'a statement of the operator',
  );
  return signedIn.map(({ place, agentId }) => ({ agentId, ...issued[place - 1]! }));
}

export interface ShardFacts {
  readonly shard: number;
  readonly epoch: number;
  /** The owner; null when no gateway has announced itself with it. */
  readonly gateway: string | null;
  readonly address: string | null;
  readonly leaseExpiresAt: string | null;
}

export function listShards(sql: Sql): Promise<ShardFacts[]> {
  return once(
    sql<ShardFacts[]>`
      SELECT s.shard, s.epoch, g.id AS gateway, g.address, g.lease_expires_at
      FROM shards s LEFT JOIN gateways g ON g.incarnation = s.owner ORDER BY s.shard`,
    'a statement of the operator',
  );
}

export interface DeletionFacts {
  readonly organizationId: number;
  /** The super admin's user id. */
  readonly requestedBy: number | null;
  readonly requestedAt: string;
  /** The times when the stores were first found empty of it, and when they were found empty again. */
  readonly clearedAt: string | null;
  readonly finishedAt: string | null;
}

/** Lists the deleted organizations and the progress of their deletion, newest first. */
export function listDeletions(sql: Sql): Promise<DeletionFacts[]> {
  return once(
    sql<DeletionFacts[]>`
      SELECT organization_id, requested_by, requested_at, cleared_at, finished_at
      FROM deleted_organizations ORDER BY requested_at DESC`,
    'a statement of the operator',
  );
}

/** Rows of `ended` as the audit log sees them. */
function endedRecords(sql: Sql): Fragment {
  return sql`
    SELECT organization_id, 'session' AS record_type, id AS record_id,
      json_build_object('userId', user_id) AS before, NULL::json AS after FROM ended`;
}

/** The audit lines of the rows in `changes`, with no caller of the API behind them. */
function noteOf(sql: Sql, action: string, changes = 'changed'): Fragment {
  return sql`
    INSERT INTO audit_access (organization_id, action, record_type, record_id, actor_type, before, after)
    SELECT organization_id, ${action}, record_type, record_id, 'system', before, after FROM ${sql(changes)}`;
}

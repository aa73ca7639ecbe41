import type { TokenPurpose } from '../../../schema/accounts/session.ts';
import type { ListUsersQuery, UserRecord } from '../../../schema/accounts/user.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type Listed, type ListPage, listPart, listPlace, pageOf } from '../list-page.ts';
import type { Fragment, Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

export interface UserDetail {
  readonly user: UserRecord;
  /** Sequence of the organization's log at which it was true. */
  readonly sequence: number;
}

/** Columns of a user `u`. */
const USER = `u.organization_id, u.id, u.version, u.role, u.email, u.first_name, u.last_name, u.is_active,
  u.email_verified_at, u.created_at, u.updated_at`;

/** A page of users, newest first. They are few: counting them is cheap. */
export async function listUsers(
  sql: Sql,
  organizationId: number,
  { part }: ListUsersQuery,
): Promise<ListPage<UserRecord>> {
  const query = () => sql<Listed<UserRecord>[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(listPlace())}, b.*,
      (SELECT count(*) FROM users u WHERE u.organization_id = ${organizationId}) AS count
    FROM organization_heads h LEFT JOIN (
      SELECT ${sql.unsafe(USER)} FROM users u WHERE u.organization_id = ${organizationId}
        ${listPart(sql, part, 'u')}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.created_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing users');
  return pageOf(rows, part, (user) => user);
}

/** A user of the organization; undefined when there is none. */
export async function readUser(sql: Sql, organizationId: number, userId: number): Promise<UserDetail | undefined> {
  const query = () => sql<(UserRecord & { sequence: number })[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(USER)}
    FROM users u JOIN organization_heads h ON h.organization_id = u.organization_id
    WHERE u.organization_id = ${organizationId} AND u.id = ${userId}`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading a user');
  if (!row) return undefined;
  const { sequence, ...user } = row;
  return { user, sequence };
}

/** Inserts a user; no row when another user has the e-mail address. */
export function insertUser(sql: Sql, user: UserRecord, passwordHash: string | null): Fragment {
  return sql`
    INSERT INTO users (organization_id, id, version, role, email, first_name, last_name, is_active, email_verified_at,
      password_hash, created_at, updated_at)
    VALUES (${user.organizationId}, ${user.id}, ${user.version}, ${user.role}, ${user.email}, ${user.firstName},
      ${user.lastName}, ${user.isActive}, ${user.emailVerifiedAt}, ${passwordHash}, ${user.createdAt}, ${user.updatedAt})
    ON CONFLICT (lower(email)) DO NOTHING RETURNING id`;
}

/** Requests the first mail of a new user. */
export function requestFirstMail(sql: Sql, purpose: TokenPurpose, email: string): Fragment {
  return sql`
    INSERT INTO mail_requests (purpose, email) SELECT ${purpose}, ${email}::text FROM changed
    ON CONFLICT (purpose, lower(email)) DO UPDATE SET requested_at = now(), attempts = 0, due_at = now()`;
}

/**
 * Writes a user's next version; no row when another version came between, or when it needs another administrator and there
 * is none any more.
 */
export function updateUser(
  sql: Sql,
  user: UserRecord,
  { needsOtherAdmin }: { readonly needsOtherAdmin: boolean },
): Fragment {
  // Locked: of two administrators who take each other's rights at the same time one stays.
  const other = sql`AND EXISTS (SELECT FROM (SELECT ${otherAdmin(sql, user)} FOR SHARE) o)`;
  return sql`
    UPDATE users SET version = ${user.version}, role = ${user.role}, first_name = ${user.firstName},
      last_name = ${user.lastName}, is_active = ${user.isActive}, updated_at = ${user.updatedAt}
    WHERE organization_id = ${user.organizationId} AND id = ${user.id} AND version = ${user.version - 1}
      ${needsOtherAdmin ? other : sql``}
    RETURNING id`;
}

export function isAdmin({ role, isActive }: Pick<UserRecord, 'role' | 'isActive'>): boolean {
  return role === 'org_admin' && isActive;
}

/** Whether the organization has an administrator beside this user who can act: by a session or by a key. */
export async function findOtherAdmin(sql: Sql, user: UserRecord): Promise<boolean> {
  const query = () => sql`SELECT ${otherAdmin(sql, user)}`;
  return (await retried(query, LIMITS.readDeadlineMs, 'looking for another administrator')).length > 0;
}

function otherAdmin(sql: Sql, { organizationId, id }: UserRecord): Fragment {
  return sql`
    1 FROM users u WHERE u.organization_id = ${organizationId} AND u.id <> ${id} AND u.role = 'org_admin' AND u.is_active
      AND u.email_verified_at IS NOT NULL LIMIT 1`;
}

/** Ends the sessions of a user whose activity changed: if the account comes back, they do not. */
export function endSessions(sql: Sql, { organizationId, id }: UserRecord): Fragment {
  return sql`
    UPDATE sessions s SET revoked_at = now() FROM changed
    WHERE s.organization_id = ${organizationId} AND s.user_id = ${id} AND s.revoked_at IS NULL`;
}

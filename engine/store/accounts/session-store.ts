import type { Origin } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { newSecret } from '../../runtime/secrets.ts';
import type { Fragment, Sql } from '../postgres.ts';
import { once, retried } from '../statements.ts';
import { hashed, life, noteOf } from './account-statements.ts';
import { AGENT_OF_USER, PERSON, type Person } from './caller-store.ts';

/** The account of a login, with the fields that decide about it. */
export interface Account {
  /** 0 for a super admin. */
  readonly organizationId: number;
  readonly organizationStatus: string;
  readonly userId: number;
  readonly passwordHash: string | null;
  readonly isActive: boolean;
  readonly isVerified: boolean;
}

/** The tokens of a session. They are handed out once; only hashes are kept. */
export interface SessionTokens {
  readonly accessToken: string;
  /** `dr_`, 32 characters that all refresh tokens of the session share, and 32 of its own. */
  readonly refreshToken: string;
}

/** How long the tokens of a session live, in milliseconds. */
export interface TokenLives {
  readonly accessMs: number;
  readonly refreshMs: number;
}

/** The use of a refresh token, with the user whose session it is. */
export interface Refreshed extends Person {
  readonly organizationId: number;
  readonly sessionId: number;
  /**
   * `repeated`: the token came again within the grace, and got another pair. `reused`: it came again later, and the
   * session has been ended. Only `refreshed` and `repeated` have changed the tokens.
   */
  readonly outcome: 'refreshed' | 'repeated' | 'reused' | 'user_inactive' | 'organization_inactive';
}

const FAMILY_CHARS = 32;
const FAMILY_PREFIX = 'dr_';
const REFRESH_TOKEN = /^dr_[A-Za-z0-9]{64}$/;

/** The tokens of a session: of a new one, or the next ones after a refresh token. */
export function newSessionTokens(refreshToken?: string): SessionTokens {
  const family = refreshToken ? familyOf(refreshToken) : newSecret(FAMILY_PREFIX, FAMILY_CHARS);
  return { accessToken: newSecret('da_', 40), refreshToken: newSecret(family, FAMILY_CHARS) };
}

/** The part that all refresh tokens of a session share. */
export function familyOf(refreshToken: string): string {
  return refreshToken.slice(0, FAMILY_PREFIX.length + FAMILY_CHARS);
}

/** The account of an e-mail address; undefined when there is none, or its organization is gone. */
export async function findAccount(sql: Sql, email: string): Promise<Account | undefined> {
  const query = () => sql<Account[]>`
    SELECT u.organization_id, coalesce(o.status, 'active') AS organization_status, u.id AS user_id, u.password_hash,
      u.is_active, u.email_verified_at IS NOT NULL AS is_verified
    FROM users u LEFT JOIN organizations o ON o.organization_id = u.organization_id
    WHERE lower(u.email) = lower(${email}) AND (u.organization_id = 0 OR o.organization_id IS NOT NULL)`;
  const [account] = await retried(query, LIMITS.fetchDeadlineMs, 'looking up an account');
  return account;
}

/**
 * Opens a session for a user whose password was right, and returns the user; undefined when the account has changed
 * since, or is gone. Ends sessions beyond the bound; logins at the same time may leave one more each, until the next one.
 */
export async function beginSession(
  sql: Sql,
  { organizationId, userId, passwordHash }: Pick<Account, 'organizationId' | 'userId' | 'passwordHash'>,
  tokens: SessionTokens,
  lives: TokenLives,
  origin: Origin,
): Promise<Person | undefined> {
  // The user's row is locked: a password reset in the meantime ends this session, too.
  const [person] = await once(
    sql<Person[]>`
    WITH owner AS (
      SELECT organization_id, id FROM users WHERE organization_id = ${organizationId} AND id = ${userId}
        AND is_active AND password_hash = ${passwordHash} FOR SHARE
    ), begun AS (
      INSERT INTO sessions (organization_id, id, user_id, access_hash, access_expires_at, family_hash, refresh_hash,
        refresh_expires_at, address)
      SELECT organization_id, nextval('session_ids'), id, ${hashed(sql, tokens.accessToken)}, now() + ${life(sql, lives.accessMs)},
        ${hashed(sql, familyOf(tokens.refreshToken))}, ${hashed(sql, tokens.refreshToken)},
        now() + ${life(sql, lives.refreshMs)}, ${origin.address}
      FROM owner RETURNING organization_id, id, user_id
    ), changed AS (
      SELECT organization_id, 'session' AS record_type, id AS record_id, user_id, NULL::json AS before,
        json_build_object('userId', user_id) AS after FROM begun
    ), noted AS (${noteOf(sql, 'session.login', origin)}
    ), surplus AS (${surplusSessions(sql)}
    ), ended AS (
      UPDATE sessions s SET revoked_at = now() FROM surplus u
      WHERE s.organization_id = u.organization_id AND s.id = u.id RETURNING s.organization_id, s.id, s.user_id
    ), displaced AS (${endedRecords(sql)}), noted_ends AS (${noteOf(sql, 'session.displaced', origin, 'displaced')})
    SELECT ${sql.unsafe(PERSON)} FROM begun b
    JOIN users u ON u.organization_id = b.organization_id AND u.id = b.user_id ${sql.unsafe(AGENT_OF_USER)}
    LEFT JOIN organizations o ON o.organization_id = b.organization_id`,
    'beginning a session',
    LIMITS.fetchDeadlineMs,
  );
  return person;
}

/** The sessions of `owner` that make room for a new one, locked; without those that others change just now: nobody waits. */
function surplusSessions(sql: Sql): Fragment {
  return sql`
    SELECT s.organization_id, s.id
    FROM owner o CROSS JOIN LATERAL (
      SELECT l.id FROM sessions l
      WHERE l.organization_id = o.organization_id AND l.user_id = o.id AND l.revoked_at IS NULL
      ORDER BY l.refreshed_at DESC, l.id DESC
      OFFSET ${LIMITS.sessionsPerUser - 1} LIMIT ${LIMITS.sessionsEndedByLogin}) old
    JOIN sessions s ON s.organization_id = o.organization_id AND s.id = old.id
    WHERE s.revoked_at IS NULL FOR NO KEY UPDATE OF s SKIP LOCKED`;
}

/**
 * Gives a session its next tokens; undefined when the token belongs to no live session. Uses of one token at the same
 * time each get a pair, and all of these go on; see schema/functions/refresh-session.sql.
 */
export async function refreshSession(
  sql: Sql,
  refreshToken: string,
  next: SessionTokens,
  lives: TokenLives,
  origin: Origin,
): Promise<Refreshed | undefined> {
  if (!REFRESH_TOKEN.test(refreshToken)) return undefined;
  const [refreshed] = await once(
    sql<Refreshed[]>`
    WITH used AS MATERIALIZED (
      SELECT organization AS organization_id, session AS id, owner AS user_id, outcome
      FROM refresh_session(${hashed(sql, familyOf(refreshToken))}, ${hashed(sql, refreshToken)},
        ${hashed(sql, next.accessToken)}, ${hashed(sql, next.refreshToken)}, ${life(sql, lives.accessMs)},
        ${life(sql, lives.refreshMs)}, ${life(sql, LIMITS.refreshGraceMs)}, ${LIMITS.pairsPerSession})
    ), ended AS (SELECT organization_id, id, user_id FROM used WHERE outcome = 'reused'
    ), changed AS (${endedRecords(sql)}), noted AS (${noteOf(sql, 'session.reuse_detected', origin)})
    SELECT s.organization_id, s.id AS session_id, s.outcome, ${sql.unsafe(PERSON)}
    FROM used s JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id ${sql.unsafe(AGENT_OF_USER)}
    LEFT JOIN organizations o ON o.organization_id = s.organization_id`,
    'refreshing a session',
    LIMITS.fetchDeadlineMs,
  );
  return refreshed;
}

/** Ends a session of a user, or with `everywhere` every one. Returns their number. */
export async function endSessions(
  sql: Sql,
  organizationId: number,
  userId: number,
  which: { readonly sessionId: number } | 'everywhere',
  origin: Origin,
): Promise<number> {
  const sessionId = which === 'everywhere' ? null : which.sessionId;
  const rows = await once(
    sql`
    WITH ended AS (
      UPDATE sessions SET revoked_at = now()
      WHERE organization_id = ${organizationId} AND user_id = ${userId} AND revoked_at IS NULL
        AND (${sessionId}::bigint IS NULL OR id = ${sessionId}::bigint)
      RETURNING organization_id, id, user_id
    ), changed AS (${endedRecords(sql)}), noted AS (${noteOf(sql, 'session.logout', origin)})
    SELECT organization_id FROM changed`,
    'ending sessions',
    LIMITS.fetchDeadlineMs,
  );
  return rows.length;
}

/** Rows of `ended` as the audit log sees them. */
function endedRecords(sql: Sql): Fragment {
  return sql`
    SELECT organization_id, 'session' AS record_type, id AS record_id, user_id,
      json_build_object('userId', user_id) AS before, NULL::json AS after FROM ended`;
}

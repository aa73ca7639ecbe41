import type { TokenPurpose } from '../../../schema/accounts/session.ts';
import type { Origin } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { isoTime } from '../../runtime/clock.ts';
import { newSecret } from '../../runtime/secrets.ts';
import type { Fragment, Sql } from '../postgres.ts';
import { once, retried } from '../statements.ts';
import { hashed, inMs, noteOf } from './account-statements.ts';

/** The user behind a mailed token. */
export interface TokenOwner {
  readonly organizationId: number;
  readonly userId: number;
}

/** A token on its way to its user. */
export interface IssuedToken {
  readonly organizationId: number;
  /** The address as the user gave it, not as the request for the mail spelled it. */
  readonly email: string;
  /** Undefined when none was made, because the organization has used up its mails of the hour. */
  readonly token: string | undefined;
}

const LIFE_MS: Readonly<Record<TokenPurpose, number>> = {
  verify_email: LIMITS.verifyTokenMs,
  reset_password: LIMITS.resetTokenMs,
};

/**
 * Makes a token for the user of an e-mail address, beside the live ones. Undefined when no mail is due: the user is
 * unknown, inactive or verified, the organization is gone, or `liveTokensPerPurpose` mails went out lately. None is
 * made while the users of the organization have `mailsPerOrganizationPerHour` tokens of the last hour.
 */
export async function issueToken(
  sql: Sql,
  purpose: TokenPurpose,
  email: string,
  now: number,
): Promise<IssuedToken | undefined> {
  const token = newSecret(purpose === 'verify_email' ? 'dv_' : 'dp_', 40);
  const lifeMs = LIFE_MS[purpose];
  const lately = (each: TokenPurpose) => inMs(now, LIFE_MS[each] - LIMITS.liveTokenWindowMs);
  const [issued] = await once(
    sql<{ organizationId: number; email: string; isMade: boolean }[]>`
    WITH owner AS MATERIALIZED (
      SELECT u.organization_id, u.id, u.email, u.organization_id = 0 OR ${LIMITS.mailsPerOrganizationPerHour} >
        mails_since(u.organization_id, ${lately('verify_email')}, ${lately('reset_password')}) AS is_made
      FROM users u
      WHERE lower(u.email) = lower(${email}) AND u.is_active
        AND (${purpose} <> 'verify_email' OR u.email_verified_at IS NULL)
        AND (u.organization_id = 0 OR EXISTS (SELECT FROM organizations o WHERE o.organization_id = u.organization_id))
        AND ${LIMITS.liveTokensPerPurpose} > (SELECT count(*) FROM user_tokens t
          WHERE t.organization_id = u.organization_id AND t.user_id = u.id AND t.purpose = ${purpose}
            AND t.expires_at > ${lately(purpose)})
    ), issued AS (
      INSERT INTO user_tokens (organization_id, user_id, purpose, token_hash, expires_at)
      SELECT organization_id, id, ${purpose}, ${hashed(sql, token)}, ${inMs(now, lifeMs)} FROM owner WHERE is_made
    )
    SELECT organization_id, email, is_made FROM owner`,
    'making a token',
    LIMITS.fetchDeadlineMs,
  );
  if (!issued) return undefined;
  const { isMade, ...owner } = issued;
  return { ...owner, token: isMade ? token : undefined };
}

/** Voids a token that could not be mailed. */
export async function withdrawToken(sql: Sql, token: string): Promise<void> {
  await once(
    sql`DELETE FROM user_tokens WHERE token_hash = ${hashed(sql, token)} RETURNING organization_id`,
    'withdrawing a token',
    LIMITS.fetchDeadlineMs,
  );
}

/** Spends a token that proves an e-mail address; false when it is unknown, spent or expired. */
export async function verifyEmail(sql: Sql, token: string, now: number, origin: Origin): Promise<boolean> {
  const spent = await once(
    sql`
    WITH ${spending(sql, 'verify_email', token, now)}, verified AS (
      UPDATE users u SET email_verified_at = ${isoTime(now)}, version = u.version + 1, updated_at = ${isoTime(now)}
      FROM spent s WHERE u.organization_id = s.organization_id AND u.id = s.user_id AND u.email_verified_at IS NULL
      RETURNING u.organization_id, u.id
    ), changed AS (
      SELECT organization_id, 'user' AS record_type, id AS record_id, id AS user_id,
        json_build_object('emailVerifiedAt', NULL) AS before,
        json_build_object('emailVerifiedAt', ${isoTime(now)}::text) AS after FROM verified
    ), noted AS (${noteOf(sql, 'user.email_verified', origin)})
    SELECT organization_id FROM spent`,
    'verifying an e-mail address',
    LIMITS.fetchDeadlineMs,
  );
  return spent.length > 0;
}

/** Whether a token may reset a password, without spending it. */
export async function isResetToken(sql: Sql, token: string, now: number): Promise<boolean> {
  const query = () => sql`
    SELECT organization_id FROM user_tokens
    WHERE token_hash = ${hashed(sql, token)} AND purpose = 'reset_password' AND expires_at > ${isoTime(now)}`;
  return (await retried(query, LIMITS.fetchDeadlineMs, 'looking up a token')).length > 0;
}

/**
 * Spends a token on a new password and ends the user's sessions; undefined when it is unknown, spent or expired. The
 * holder of the token reads the user's mail, so the address counts as verified from then on.
 */
export async function resetPassword(
  sql: Sql,
  token: string,
  passwordHash: string,
  now: number,
  origin: Origin,
): Promise<TokenOwner | undefined> {
  const [owner] = await once(
    sql<TokenOwner[]>`
    WITH ${spending(sql, 'reset_password', token, now)}, held AS (
      SELECT u.organization_id, u.id, u.email_verified_at IS NULL AS is_verifying
      FROM spent s JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id FOR UPDATE OF u
    ), reset AS (
      UPDATE users u SET password_hash = ${passwordHash}, version = u.version + 1, updated_at = ${isoTime(now)},
        email_verified_at = coalesce(u.email_verified_at, ${isoTime(now)})
      FROM held h WHERE u.organization_id = h.organization_id AND u.id = h.id
      RETURNING u.organization_id, u.id, h.is_verifying
    ), ended AS (
      UPDATE sessions s SET revoked_at = ${isoTime(now)} FROM reset r
      WHERE s.organization_id = r.organization_id AND s.user_id = r.id AND s.revoked_at IS NULL
    ), changed AS (
      SELECT organization_id, 'user' AS record_type, id AS record_id, id AS user_id,
        CASE WHEN is_verifying THEN json_build_object('emailVerifiedAt', NULL) END AS before,
        CASE WHEN is_verifying THEN json_build_object('emailVerifiedAt', ${isoTime(now)}::text) END AS after
      FROM reset
    ), noted AS (${noteOf(sql, 'user.password_reset', origin)})
    SELECT organization_id, id AS user_id FROM reset`,
    'resetting a password',
    LIMITS.fetchDeadlineMs,
  );
  return owner;
}

/**
 * `spent`: the owner of a valid token. Every token of the same purpose goes with it. Of two statements at the same time
 * the later one finds its token gone.
 */
function spending(sql: Sql, purpose: TokenPurpose, token: string, now: number): Fragment {
  return sql`
    voided AS (
      DELETE FROM user_tokens WHERE (organization_id, user_id, purpose) IN (
        SELECT organization_id, user_id, purpose FROM user_tokens
        WHERE token_hash = ${hashed(sql, token)} AND purpose = ${purpose} AND expires_at > ${isoTime(now)})
      RETURNING organization_id, user_id, token_hash
    ), spent AS (
      SELECT organization_id, user_id FROM voided WHERE token_hash = ${hashed(sql, token)}
    )`;
}

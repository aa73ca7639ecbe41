import { type Letterhead, letterheadOf } from '../../../schema/accounts/letterhead.ts';
import type { OrganizationSettings } from '../../../schema/accounts/organization.ts';
import { PASSWORD_PURPOSES, type TokenPurpose } from '../../../schema/accounts/session.ts';
import type { Origin } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { isoTime } from '../../runtime/clock.ts';
import { newSecret } from '../../runtime/secrets.ts';
import { type Fragment, type Sql, textArray } from '../postgres.ts';
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
  readonly firstName: string;
  /** Undefined for a super admin, who is in no organization. */
  readonly letterhead: Letterhead | undefined;
  /** Undefined when none was made, because the organization has used up its mails of the hour. */
  readonly token: string | undefined;
}

const LIFE_MS: Readonly<Record<TokenPurpose, number>> = {
  verify_email: LIMITS.verifyTokenMs,
  reset_password: LIMITS.resetTokenMs,
  welcome: LIMITS.welcomeTokenMs,
};

const PREFIX: Readonly<Record<TokenPurpose, string>> = {
  verify_email: 'dv_',
  reset_password: 'dp_',
  welcome: 'dw_',
};

/**
 * Makes a token for the user of an e-mail address, beside the live ones. Undefined when no mail is due: the user is
 * unknown or inactive, needs no such mail any more, the organization is gone, or `liveTokensPerPurpose` mails went out lately. None is
 * made while the users of the organization have `mailsPerOrganizationPerHour` tokens of the last hour.
 */
export async function issueToken(
  sql: Sql,
  purpose: TokenPurpose,
  email: string,
  now: number,
): Promise<IssuedToken | undefined> {
  const token = newSecret(PREFIX[purpose], 40);
  const lifeMs = LIFE_MS[purpose];
  const lately = (each: TokenPurpose) => inMs(now, LIFE_MS[each] - LIMITS.liveTokenWindowMs);
  const [issued] = await once(
    sql<(Addressee & { isMade: boolean })[]>`
    WITH owner AS MATERIALIZED (
      SELECT u.organization_id, u.id, u.email, u.first_name, o.name, o.settings, u.organization_id = 0 OR ${LIMITS.mailsPerOrganizationPerHour} >
        mails_since(u.organization_id, ${lately('verify_email')}, ${lately('reset_password')}) AS is_made
      FROM users u LEFT JOIN organizations o ON o.organization_id = u.organization_id
      WHERE lower(u.email) = lower(${email}) AND u.is_active
        AND (${purpose} <> 'verify_email' OR u.email_verified_at IS NULL)
        AND (${purpose} <> 'welcome' OR u.password_hash IS NULL)
        AND (u.organization_id = 0 OR o.organization_id IS NOT NULL)
        AND ${LIMITS.liveTokensPerPurpose} > (SELECT count(*) FROM user_tokens t
          WHERE t.organization_id = u.organization_id AND t.user_id = u.id AND t.purpose = ${purpose}
            AND t.expires_at > ${lately(purpose)})
    ), issued AS (
      INSERT INTO user_tokens (organization_id, user_id, purpose, token_hash, expires_at)
      SELECT organization_id, id, ${purpose}, ${hashed(sql, token)}, ${inMs(now, lifeMs)} FROM owner WHERE is_made
    )
    SELECT organization_id, email, first_name, name, settings, is_made FROM owner`,
    'making a token',
    LIMITS.fetchDeadlineMs,
  );
  if (!issued) return undefined;
  const { isMade, ...addressee } = issued;
  return { ...addresseeOf(addressee), token: isMade ? token : undefined };
}

/** Columns of a user and its organization, whose name is null for a super admin. */
interface Addressee {
  readonly organizationId: number;
  readonly email: string;
  readonly firstName: string;
  readonly name: string | null;
  readonly settings: OrganizationSettings | null;
}

function addresseeOf({ name, settings, ...user }: Addressee) {
  return { ...user, letterhead: name === null ? undefined : letterheadOf({ name, settings: settings ?? {} }) };
}

/** The user that a token is for, as a page shows it. */
export interface TokenHolder extends Omit<IssuedToken, 'token'> {
  /** Else a login is refused, also after the token is spent. */
  readonly isOrganizationActive: boolean;
}

/** The user of a token that is good for one of these purposes, without spending it. An inactive user has none. */
export async function findTokenHolder(
  sql: Sql,
  token: string,
  purposes: readonly string[],
  now: number,
): Promise<TokenHolder | undefined> {
  const query = () => sql<(Addressee & Pick<TokenHolder, 'isOrganizationActive'>)[]>`
    SELECT u.organization_id, u.email, u.first_name, o.name, o.settings,
      coalesce(o.status, 'active') = 'active' AS is_organization_active
    FROM user_tokens t
      JOIN users u ON u.organization_id = t.organization_id AND u.id = t.user_id
      LEFT JOIN organizations o ON o.organization_id = u.organization_id
    WHERE t.token_hash = ${hashed(sql, token)} AND t.purpose = ANY(${textArray(purposes)}::text[])
      AND t.expires_at > ${isoTime(now)} AND u.is_active`;
  const [holder] = await retried(query, LIMITS.fetchDeadlineMs, 'looking up a token');
  if (!holder) return undefined;
  const { isOrganizationActive, ...addressee } = holder;
  return { ...addresseeOf(addressee), isOrganizationActive };
}

/** A new token by which a user sets a password, and the statement that puts it in the place of the last one. */
export function newInvitation(sql: Sql, owner: TokenOwner, expiresAt: string) {
  const token = newSecret('di_', 40);
  const { organizationId, userId } = owner;
  const change = sql`
    INSERT INTO user_tokens (organization_id, user_id, purpose, token_hash, expires_at)
    SELECT organization_id, id, 'invitation', ${hashed(sql, token)}, ${expiresAt} FROM users
    WHERE organization_id = ${organizationId} AND id = ${userId} AND is_active
    ON CONFLICT (organization_id, user_id) WHERE purpose = 'invitation'
      DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at
    RETURNING user_id`;
  return { token, change };
}

/**
 * Whether another token of the user was made for the same purpose since a time, by a clock that may differ by a few
 * seconds, and was not withdrawn; also once the user has spent the token.
 */
export async function isTokenRepeated(
  sql: Sql,
  token: string,
  purpose: TokenPurpose,
  sinceMs: number,
): Promise<boolean> {
  const sole = await once(
    sql`
    SELECT t.organization_id FROM user_tokens t
    WHERE t.token_hash = ${hashed(sql, token)} AND NOT EXISTS (SELECT FROM user_tokens o
      WHERE o.organization_id = t.organization_id AND o.user_id = t.user_id AND o.purpose = ${purpose}
        AND o.token_hash <> t.token_hash
        AND o.expires_at > ${inMs(sinceMs, LIFE_MS[purpose] - LIMITS.mailFirstPauseMs)})`,
    'looking for other tokens',
    LIMITS.fetchDeadlineMs,
  );
  return sole.length === 0;
}

/** Voids a token that could not be mailed. */
export async function withdrawToken(sql: Sql, token: string): Promise<void> {
  await once(
    sql`DELETE FROM user_tokens WHERE token_hash = ${hashed(sql, token)} RETURNING organization_id`,
    'withdrawing a token',
    LIMITS.fetchDeadlineMs,
  );
}

/** Spends a token that proves an e-mail address; false when it is unknown, spent or expired, or its user is inactive. */
export async function verifyEmail(sql: Sql, token: string, now: number, origin: Origin): Promise<boolean> {
  const spent = await once(
    sql`
    WITH ${spending(sql, ['verify_email'], token, now)}, verified AS (
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

/**
 * Spends a token on a new password and ends the user's sessions; undefined when it is unknown, spent or expired, or
 * its user is inactive. The holder of the token reads the user's mail, so the address counts as verified from then on.
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
    WITH ${spending(sql, PASSWORD_PURPOSES, token, now)}, reset AS (
      UPDATE users u SET password_hash = ${passwordHash}, version = u.version + 1, updated_at = ${isoTime(now)},
        email_verified_at = coalesce(u.email_verified_at, ${isoTime(now)})
      FROM spent s WHERE u.organization_id = s.organization_id AND u.id = s.user_id
      RETURNING u.organization_id, u.id, s.is_verifying
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
 * `spent`: the active owner of a valid token, with whether its address is still to be verified. Every token of these
 * purposes goes with it. Of two statements at the same time the later one finds its token gone. The user's row is locked
 * first, as a deactivation does, which voids the tokens: of the two the later one sees what the earlier one did.
 */
function spending(sql: Sql, purposes: readonly string[], token: string, now: number): Fragment {
  return sql`
    holder AS MATERIALIZED (
      SELECT u.organization_id, u.id AS user_id, u.email_verified_at IS NULL AS is_verifying
      FROM user_tokens t JOIN users u ON u.organization_id = t.organization_id AND u.id = t.user_id
      WHERE t.token_hash = ${hashed(sql, token)} AND t.purpose = ANY(${textArray(purposes)}::text[])
        AND t.expires_at > ${isoTime(now)} AND u.is_active FOR UPDATE OF u
    ), voided AS (
      DELETE FROM user_tokens t USING holder h
      WHERE t.organization_id = h.organization_id AND t.user_id = h.user_id AND t.purpose = ANY(${textArray(purposes)}::text[])
      RETURNING t.organization_id, t.user_id, t.token_hash, h.is_verifying
    ), spent AS (
      SELECT organization_id, user_id, is_verifying FROM voided WHERE token_hash = ${hashed(sql, token)}
    )`;
}

import type { Role } from '../../../schema/accounts/role.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type Sql, textArray } from '../postgres.ts';
import { retried } from '../statements.ts';
import type { AccessSubjects } from './access-store.ts';

/** The caller behind a channel's key or a session's access token. */
export interface Credential extends AccessSubjects {
  /** SHA-256 of the key or token, hex. */
  readonly hash: string;
  /** 0 for super admins only. */
  readonly organizationId: number;
  /** Undecided for super admins. */
  readonly organizationStatus: string | null;
  /** The key's channel, or the built-in one of a session's organization; 0 for super admins. */
  readonly channelId: number;
  readonly channelStatus: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED' | null;
  readonly role: Role;
  readonly isActive: boolean;
  readonly isVerified: boolean;
  /** The agent that the user is, if any. */
  readonly agentId: number | null;
  /** Milliseconds since the epoch; Infinity for a key. */
  readonly expiresAtMs: number;
  /** The end of the session unless it is refreshed, not before `expiresAtMs`; Infinity for a key. */
  readonly sessionEndsAtMs: number;
  /** The limit of the key's channel in requests a second; 0 = unlimited, null = the default. */
  readonly rateLimit: number | null;
  readonly locationsWrite: boolean;
}

export interface SessionKey {
  /** 0 for that of a super admin. */
  readonly organizationId: number;
  readonly id: number;
}

export interface CredentialStore {
  /** Finds the callers of these hashes; unknown hashes are absent. */
  findCredentials(hashes: readonly string[]): Promise<Credential[]>;
  /** The caller of a session by its present access token, which may have expired; undefined once the session has ended. */
  findOfSession(session: SessionKey): Promise<Credential | undefined>;
  /** The built-in channel of an organization, in any status; undefined when there is no such organization. */
  findConsoleChannel(organizationId: number): Promise<number | undefined>;
}

export function createCredentialStore(sql: Sql): CredentialStore {
  return {
    findCredentials(hashes) {
      const query = () => sql<Credential[]>`
        WITH asked AS (SELECT decode(hash, 'hex') AS hash FROM unnest(${textArray(hashes)}::text[]) AS hash), held AS (
          SELECT asked.hash, s.organization_id, s.id, s.user_id, s.access_expires_at, s.refresh_expires_at
          FROM asked JOIN sessions s ON s.access_hash = asked.hash WHERE s.revoked_at IS NULL
          UNION ALL
          SELECT asked.hash, s.organization_id, s.id, s.user_id, p.access_expires_at, p.refresh_expires_at
          FROM asked JOIN session_pairs p ON p.access_hash = asked.hash
          JOIN sessions s ON s.organization_id = p.organization_id AND s.id = p.session_id WHERE s.revoked_at IS NULL
        )
        SELECT encode(asked.hash, 'hex') AS hash, c.organization_id, o.status AS organization_status,
          c.id AS channel_id, c.status AS channel_status, u.id AS user_id, u.role, u.is_active,
          u.email_verified_at IS NOT NULL AS is_verified,
          (SELECT min(a.id) FROM agents a WHERE a.organization_id = u.organization_id AND a.user_id = u.id) AS agent_id,
          NULL::bigint AS session_id, 'Infinity'::float8 AS expires_at_ms, 'Infinity'::float8 AS session_ends_at_ms,
          c.rate_limit, c.locations_write, (SELECT pg_current_snapshot()::text) AS snapshot
        FROM asked
        JOIN channels c ON c.key_hash = asked.hash
        JOIN organizations o ON o.organization_id = c.organization_id
        JOIN users u ON u.organization_id = c.organization_id AND u.id = c.user_id AND u.role <> 'super_admin'
        UNION ALL
        ${callersOfHeld(sql)}`;
      return retried(query, LIMITS.fetchDeadlineMs, 'looking up credentials');
    },
    async findOfSession({ organizationId, id }) {
      const query = () => sql<Credential[]>`
        WITH held AS (
          SELECT s.access_hash AS hash, s.organization_id, s.id, s.user_id, s.access_expires_at, s.refresh_expires_at
          FROM sessions s WHERE s.organization_id = ${organizationId} AND s.id = ${id} AND s.revoked_at IS NULL
            AND greatest(s.access_expires_at, s.refresh_expires_at) > now()
        )
        ${callersOfHeld(sql)}`;
      const [found] = await retried(query, LIMITS.fetchDeadlineMs, 'looking up a session');
      return found;
    },
    async findConsoleChannel(organizationId) {
      const query = () => sql<{ id: number }[]>`
        SELECT c.id FROM organizations o JOIN channels c ON c.organization_id = o.organization_id AND c.built_in
        WHERE o.organization_id = ${organizationId}`;
      const [channel] = await retried(query, LIMITS.fetchDeadlineMs, 'looking up an organization');
      return channel?.id;
    },
  };
}

/** The callers of sessions that a statement has found as `held`. */
function callersOfHeld(sql: Sql) {
  return sql`
    SELECT encode(s.hash, 'hex') AS hash, s.organization_id, o.status AS organization_status,
      coalesce(c.id, 0) AS channel_id, c.status AS channel_status, u.id AS user_id, u.role, u.is_active,
      u.email_verified_at IS NOT NULL AS is_verified,
      (SELECT min(a.id) FROM agents a WHERE a.organization_id = u.organization_id AND a.user_id = u.id) AS agent_id,
      s.id AS session_id, extract(epoch FROM s.access_expires_at)::float8 * 1000 AS expires_at_ms,
      extract(epoch FROM greatest(s.access_expires_at, s.refresh_expires_at))::float8 * 1000 AS session_ends_at_ms,
      NULL::integer AS rate_limit, coalesce(c.locations_write, false) AS locations_write,
      (SELECT pg_current_snapshot()::text) AS snapshot
    FROM held s
    JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
    LEFT JOIN organizations o ON o.organization_id = s.organization_id
    LEFT JOIN channels c ON c.organization_id = s.organization_id AND c.built_in
    WHERE CASE WHEN u.role = 'super_admin' THEN s.organization_id = 0 ELSE c.id IS NOT NULL AND o.status IS NOT NULL END`;
}

import type { ChannelRecord } from '../../../schema/accounts/channel.ts';
import type { OrganizationRecord } from '../../../schema/accounts/organization.ts';
import type { Role } from '../../../schema/accounts/role.ts';
import type { AgentRecord } from '../../../schema/fleet/agent.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Sql } from '../postgres.ts';
import { AGENT } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';

/** A user as its own application shows it. */
export interface CallerUser {
  readonly id: number;
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: Role;
  /** Null for users that are not agents. */
  readonly phoneNumber: string | null;
  readonly countryCode: string | null;
}

export type CallerOrganization = Pick<OrganizationRecord, 'name' | 'status' | 'currency' | 'settings'> & {
  readonly id: number;
};

/** A user with the organization that it acts in; null for a super admin who acts in none. */
export interface Person {
  readonly person: CallerUser;
  readonly organization: CallerOrganization | null;
}

/** Somebody who calls, as it is committed. */
export interface Caller extends Person {
  readonly channel: Pick<ChannelRecord, 'id' | 'name' | 'status'> | null;
  readonly agent: AgentRecord | null;
  /** Sequence of the organization's log at which it was true; null without an organization. */
  readonly sequence: number | null;
}

/** The columns of a Person: of a user `u`, the agent `a` that it is, and an organization `o`, both of which may be missing. */
export const PERSON = `
  json_build_object('id', u.id, 'email', u.email, 'firstName', u.first_name, 'lastName', u.last_name, 'role', u.role,
    'phoneNumber', a.phone_number, 'countryCode', a.country_code) AS person,
  CASE WHEN o.organization_id IS NOT NULL THEN json_build_object('id', o.organization_id, 'name', o.name,
    'status', o.status, 'currency', o.currency, 'settings', o.settings) END AS organization`;

/** Joins the agent `a` that a user `u` is. */
export const AGENT_OF_USER = `
  LEFT JOIN agents a ON a.organization_id = u.organization_id AND a.id =
    (SELECT min(b.id) FROM agents b WHERE b.organization_id = u.organization_id AND b.user_id = u.id)`;

/** The parts of a caller; `organizationId` is 0, and so is `channelId`, where it acts in no organization. */
export interface CallerIds {
  /** 0 for a super admin. */
  readonly homeId: number;
  readonly userId: number;
  readonly organizationId: number;
  readonly channelId: number;
}

/** Undefined when the user or the organization is gone. */
export async function readCaller(
  sql: Sql,
  { homeId, userId, organizationId, channelId }: CallerIds,
): Promise<Caller | undefined> {
  const query = () => sql<(Omit<Caller, 'agent'> & { readonly agent: unknown[] | null })[]>`
    SELECT ${sql.unsafe(PERSON)}, h.last_sequence AS sequence,
      CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'name', c.name, 'status', c.status) END AS channel,
      CASE WHEN a.id IS NOT NULL THEN ${sql.unsafe(AGENT.json('a'))} END AS agent
    FROM users u ${sql.unsafe(AGENT_OF_USER)}
    LEFT JOIN organizations o ON o.organization_id = ${organizationId}
    LEFT JOIN organization_heads h ON h.organization_id = o.organization_id
    LEFT JOIN channels c ON c.organization_id = o.organization_id AND c.id = ${channelId}
    WHERE u.organization_id = ${homeId} AND u.id = ${userId}
      AND (${organizationId}::bigint = 0 OR o.organization_id IS NOT NULL)`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading a caller');
  return row && { ...row, agent: row.agent && AGENT.ofJson(row.agent) };
}

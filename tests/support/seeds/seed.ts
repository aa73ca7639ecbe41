import { randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { hashSecret, newApiKey, newSecret } from '../../../engine/runtime/secrets.ts';
import { makeOrganization } from '../../../engine/store/accounts/organization-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import type { Role } from '../../../schema/accounts/role.ts';
import { withSql } from '../connections.ts';

export { withSql };

export interface OrganizationSeed {
  readonly name?: string;
  /** A limit per resource; none by default. */
  readonly limits?: Readonly<Record<string, number | null>>;
  readonly status?: 'active' | 'pending' | 'inactive' | 'rejected';
  readonly channelStatus?: ChannelSeed['status'];
  readonly role?: ChannelSeed['role'];
}

export interface ChannelSeed {
  readonly status?: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED';
  /** The user that the channel's key acts as. */
  readonly role?: Exclude<Role, 'super_admin'>;
  /** Whether it may stream positions; true by default. */
  readonly locationsWrite?: boolean;
}

export interface SeededChannel {
  readonly channelId: number;
  readonly userId: number;
  readonly key: string;
}

export interface SeededOrganization extends SeededChannel {
  readonly organizationId: number;
}

/** An organization with its head, a user, and an unlimited channel with a key. */
export async function seedOrganization(databaseUrl: string, seed: OrganizationSeed = {}): Promise<SeededOrganization> {
  const {
    name = 'Test organization',
    limits = {},
    status = 'active',
    channelStatus = 'ACTIVE',
    role = 'integration',
  } = seed;
  const organizationId = await withSql(databaseUrl, (sql) => makeOrganization(sql, { name, status, limits }));
  return { organizationId, ...(await seedChannel(databaseUrl, organizationId, { status: channelStatus, role })) };
}

/** One more channel of an organization, with a user and a key of its own. */
export function seedChannel(
  databaseUrl: string,
  organizationId: number,
  seed: ChannelSeed = {},
): Promise<SeededChannel> {
  const { status = 'ACTIVE', role = 'integration', locationsWrite = true } = seed;
  const key = newApiKey();
  return withSql(databaseUrl, async (sql) => {
    const userId = await insertUser(sql, organizationId, role, 'Test', 'User');
    const [channel] = await sql<{ id: number }[]>`
      INSERT INTO channels (organization_id, id, name, status, user_id, key_hash, rate_limit, locations_write)
      VALUES (${organizationId}, nextval('channel_ids'), 'test', ${status}, ${userId}, decode(${hashSecret(key)}, 'hex'), 0,
        ${locationsWrite})
      RETURNING id`;
    return { channelId: channel!.id, userId, key };
  });
}

/** An agent with its user. Seed it before the organization's first request: actors keep what they have read. */
export function seedAgent(
  databaseUrl: string,
  organizationId: number,
): Promise<{ readonly agentId: number; readonly userId: number }> {
  return withSql(databaseUrl, async (sql) => {
    const userId = await insertUser(sql, organizationId, 'agent', 'Amina', 'Diallo');
    const [agent] = await sql<{ id: number }[]>`
      INSERT INTO agents (organization_id, id, user_id, agent_type, first_name, last_name)
      VALUES (${organizationId}, nextval('agent_ids'), ${userId}, 'employee', 'Amina', 'Diallo') RETURNING id`;
    await sql`
      INSERT INTO usage (organization_id, resource, period, used) VALUES (${organizationId}, 'agents', '1970-01-01', 1)
      ON CONFLICT (organization_id, resource, period) DO UPDATE SET used = usage.used + 1`;
    return { agentId: agent!.id, userId };
  });
}

export interface SeededUser {
  readonly userId: number;
  readonly email: string;
  /** Undefined without a password: hashing one takes a while. */
  readonly password: string | undefined;
}

/** A verified user; a super admin belongs to organization 0. An `agent` is a user only, without the agent. */
export function seedUser(
  databaseUrl: string,
  organizationId: number,
  role: Role,
  password?: string,
): Promise<SeededUser> {
  return withSql(databaseUrl, async (sql) => {
    const userId = await insertUser(sql, organizationId, role, 'Test', 'User');
    const passwordHash = password === undefined ? null : await hashOf(password);
    const [user] = await sql<{ email: string }[]>`
      UPDATE users SET password_hash = ${passwordHash} WHERE organization_id = ${organizationId} AND id = ${userId}
      RETURNING email`;
    return { userId, email: user!.email, password };
  });
}

const hashes = new Map<string, string>();

async function hashOf(password: string): Promise<string> {
  const known = hashes.get(password) ?? (await hash(password));
  hashes.set(password, known);
  return known;
}

/** The access token of a session of the user, as after a login. */
export function seedSession(databaseUrl: string, organizationId: number, userId: number): Promise<string> {
  const accessToken = newSecret('da_', 40);
  return withSql(databaseUrl, async (sql) => {
    await sql`
      INSERT INTO sessions (organization_id, id, user_id, access_hash, access_expires_at)
      VALUES (${organizationId}, nextval('session_ids'), ${userId}, decode(${hashSecret(accessToken)}, 'hex'),
        now() + interval '15 minutes')`;
    return accessToken;
  });
}

async function insertUser(
  sql: Sql,
  organizationId: number,
  role: string,
  firstName: string,
  lastName: string,
): Promise<number> {
  const email = `${randomBytes(8).toString('hex')}@test.example`;
  const [user] = await sql<{ id: number }[]>`
    INSERT INTO users (organization_id, id, role, email, first_name, last_name, email_verified_at)
    VALUES (${organizationId}, nextval('user_ids'), ${role}, ${email}, ${firstName}, ${lastName}, now()) RETURNING id`;
  return user!.id;
}

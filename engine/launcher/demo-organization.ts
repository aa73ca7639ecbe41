import { hash } from '@node-rs/argon2';
import type { Vehicle } from '../../schema/fleet/agent.ts';
import { BASE64_URL, createRandomSource } from '../runtime/random.ts';
import { hashSecret, newApiKey } from '../runtime/secrets.ts';
import { makeOrganization } from '../store/accounts/organization-store.ts';
import { connectPostgres, type Sql } from '../store/postgres.ts';

interface Login {
  readonly email: string;
  readonly password: string;
}

/** Everything that a first try of the system needs; keys and passwords in the clear, for this machine only. */
export interface DemoOrganization {
  readonly baseUrl: string;
  readonly organizationId: number;
  readonly channelId: number;
  readonly apiKey: string;
  readonly superAdmin: Login;
  readonly orgAdmin: Login;
  readonly dispatcher: Login;
  readonly agents: ({ id: number } & Login)[];
}

const AGENT_NAMES = [
  'Amina Diallo',
  'Bruno Costa',
  'Chen Wei',
  'Dana Novak',
  'Elif Kaya',
  'Farid Haddad',
  'Grace Obi',
  'Hana Sato',
  'Ivan Petrov',
  'Julia Meyer',
];
const VEHICLES: readonly Vehicle[] = [
  { type: 'bike', maxWeightKg: 25, maxVolumeM3: 0.15, maxPackages: 5 },
  { type: 'car', maxWeightKg: 250, maxVolumeM3: 0.8, maxPackages: 30 },
  { type: 'van', maxWeightKg: 900, maxVolumeM3: 9, maxPackages: 120 },
];
const NAME = 'Demo organization';
const ADMIN = 'admin@demo.example';

/**
 * Makes the demo organization: an unlimited channel with a key, administrators, a dispatcher, ten agents. An existing one gets a new
 * key and new passwords, since only their hashes are kept.
 */
export async function ensureDemoOrganization(
  databaseUrl: string,
  place: { readonly baseUrl: string },
): Promise<DemoOrganization> {
  const sql = connectPostgres(databaseUrl, { name: 'dispatch demo', connections: 1, statementTimeoutMs: 30_000 });
  try {
    const organizationId = await ensureOrganization(sql);
    const superAdmin = await ensureUser(sql, 0, 'super_admin', 'super.admin@demo.example', 'Super Admin');
    const orgAdmin = await ensureUser(sql, organizationId, 'org_admin', ADMIN, 'Org Admin');
    const dispatcher = await ensureUser(
      sql,
      organizationId,
      'dispatcher',
      'dispatcher@demo.example',
      'Dana Dispatcher',
    );
    const integration = await ensureUser(
      sql,
      organizationId,
      'integration',
      'integration@demo.example',
      'Demo Integration',
    );
    const agents: { id: number; email: string; password: string }[] = [];
    for (const [index, name] of AGENT_NAMES.entries()) agents.push(await ensureAgent(sql, organizationId, name, index));
    const channel = await ensureChannel(sql, organizationId, integration.id);
    const login = ({ email, password }: Login) => ({ email, password });
    return {
      ...place,
      organizationId,
      ...channel,
      superAdmin: login(superAdmin),
      orgAdmin: login(orgAdmin),
      dispatcher: login(dispatcher),
      agents,
    };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Names change, and are not unique: the one of its administrator, and without one that of its name. */
async function ensureOrganization(sql: Sql): Promise<number> {
  const found = await sql<{ organizationId: number }[]>`
    SELECT organization_id FROM organizations o LEFT JOIN users u USING (organization_id)
    WHERE lower(u.email) = ${ADMIN} OR o.name = ${NAME}
    ORDER BY lower(u.email) = ${ADMIN} DESC NULLS LAST, organization_id LIMIT 1`;
  if (found[0]) return found[0].organizationId;
  return makeOrganization(sql, { name: NAME });
}

async function ensureUser(sql: Sql, organizationId: number, role: string, email: string, name: string) {
  const password = createRandomSource().text(20, BASE64_URL);
  const [firstName, lastName] = name.split(' ') as [string, string];
  const [row] = await sql<{ id: number }[]>`
    INSERT INTO users (organization_id, id, role, email, first_name, last_name, password_hash, email_verified_at)
    VALUES (${organizationId}, nextval('user_ids'), ${role}, ${email}, ${firstName}, ${lastName}, ${await hash(password)}, now())
    ON CONFLICT (lower(email)) DO UPDATE SET password_hash = excluded.password_hash RETURNING id`;
  return { id: row!.id, firstName, lastName, email, password };
}

/**
 * Each has a phone number from the range of fictional ones. The organization has no actor yet, so the new agents are
 * counted here.
 */
async function ensureAgent(sql: Sql, organizationId: number, name: string, index: number) {
  const address = `${name.toLowerCase().replace(' ', '.')}@demo.example`;
  const {
    id: userId,
    firstName,
    lastName,
    email,
    password,
  } = await ensureUser(sql, organizationId, 'agent', address, name);
  const [found] = await sql<{ id: number }[]>`
    SELECT id FROM agents WHERE organization_id = ${organizationId} AND user_id = ${userId}`;
  if (found) return { id: found.id, email, password };
  const phone = `20255501${String(index).padStart(2, '0')}`;
  const [made] = await sql<{ id: number }[]>`
    WITH counted AS (
      INSERT INTO usage (organization_id, resource, period, used) VALUES (${organizationId}, 'agents', '1970-01-01', 1)
      ON CONFLICT (organization_id, resource, period) DO UPDATE SET used = usage.used + 1
    )
    INSERT INTO agents (organization_id, id, user_id, agent_type, first_name, last_name, email, phone_e164, country_code,
      phone_number, vehicle)
    VALUES (${organizationId}, nextval('agent_ids'), ${userId}, 'employee', ${firstName}, ${lastName}, ${email},
      ${`+1${phone}`}, '+1', ${phone}, ${JSON.stringify(VEHICLES[index % VEHICLES.length])}::text::json) RETURNING id`;
  return { id: made!.id, email, password };
}

/** Its first channel: others may belong to the same user, and have the same name. */
async function ensureChannel(sql: Sql, organizationId: number, userId: number) {
  const apiKey = newApiKey();
  const keyHash = hashSecret(apiKey);
  const [found] = await sql<{ id: number }[]>`
    UPDATE channels SET key_hash = decode(${keyHash}, 'hex'), updated_at = now()
    WHERE organization_id = ${organizationId}
      AND id = (SELECT min(id) FROM channels WHERE organization_id = ${organizationId} AND user_id = ${userId})
    RETURNING id`;
  if (found) return { channelId: found.id, apiKey };
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO channels (organization_id, id, name, user_id, key_hash, rate_limit, locations_write)
    VALUES (${organizationId}, nextval('channel_ids'), 'demo', ${userId}, decode(${keyHash}, 'hex'), 0, true) RETURNING id`;
  return { channelId: made!.id, apiKey };
}

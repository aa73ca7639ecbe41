import type { CallOf } from '../../../gateway/client/document-types.ts';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import { type ApiClient, taskInput } from '../../support/api-client.ts';
import { type OrganizationSeed, type SeededOrganization, seedSession, withSql } from '../../support/seeds/seed.ts';
import type { ApiFixture } from '../api-fixture.ts';

export interface AgentList {
  readonly items: AgentView[];
  readonly count: number;
}

/** An organization with a dispatcher's client, who may do all with agents. */
export function dispatchersOf(
  fixture: ApiFixture,
  seed: OrganizationSeed = {},
): Promise<SeededOrganization & { readonly api: ApiClient }> {
  return fixture.organization({ role: 'dispatcher', ...seed });
}

let count = 0;

type NewAgent = CallOf<'post', '/agents'>['body'];

/** A body that POST /agents accepts, with an address that nobody has. */
export function agentInput(fields: object = {}): NewAgent & Record<string, unknown> {
  count += 1;
  const email = `agent.${process.pid}.${count}@test.example`;
  return { name: 'Amina Diallo', email, phone: '+493012345678', agentType: 'employee', ...fields };
}

export async function createAgent(api: ApiClient, fields: object = {}): Promise<AgentView> {
  const { data } = await api.dispatch.post('/agents', { body: agentInput(fields) });
  return data as AgentView;
}

/** A task that the agent has been given. */
export async function assignedTask(api: ApiClient, agentId: number, fields: object = {}): Promise<number> {
  const { data } = await api.dispatch.post('/tasks', { body: taskInput(fields) });
  const path = { id: data.id };
  await api.dispatch.post('/tasks/{id}/assign', { path, body: { agentId } });
  return data.id;
}

/** A task that the agent has accepted, as a dispatcher notes it. */
export async function acceptedTask(api: ApiClient, agentId: number, fields: object = {}): Promise<number> {
  const id = await assignedTask(api, agentId, fields);
  await api.dispatch.put('/tasks/{id}/status', { path: { id }, body: { status: 'accepted' } });
  return id;
}

/** A client of the agent itself, in a session. */
export async function clientOfAgent(fixture: ApiFixture, organizationId: number, agent: AgentView): Promise<ApiClient> {
  return fixture.clientOf(await sessionOfAgent(fixture, organizationId, agent.userId));
}

/** The access token of an agent whose address is verified. */
export async function sessionOfAgent(
  { gateway: { databaseUrl } }: ApiFixture,
  organizationId: number,
  userId: number,
): Promise<string> {
  await withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE users SET email_verified_at = now()
      WHERE organization_id = ${organizationId} AND id = ${userId} AND email_verified_at IS NULL`,
  );
  return seedSession(databaseUrl, organizationId, userId);
}

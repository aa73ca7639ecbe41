import assert from 'node:assert/strict';
import type { AssignmentRequestView } from '../../../schema/assignment/assignment.ts';
import type { Caller } from '../../../schema/commands.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { type SeededOrganization, seedChannel, seedSession, withSql } from '../../support/seeds/seed.ts';
import { createAgent, dispatchersOf } from '../agents/agent-place.ts';
import type { ApiFixture } from '../api-fixture.ts';

export interface RequestList {
  readonly items: AssignmentRequestView[];
  readonly count: number;
}

/** An agent on duty with a client of its own. */
interface AskedAgent {
  readonly id: number;
  readonly api: ApiClient;
  /** The token of the session behind `api`. */
  readonly token: string;
}

/** An organization whose agents are asked: `api` is its dispatcher's. */
export interface OfferPlace extends SeededOrganization {
  readonly api: ApiClient;
  readonly admin: ApiClient;
  readonly agents: readonly AskedAgent[];
  /** Looks for somebody for a new task, and asks these agents as a round would; several are asked at once. */
  offer(agentIds: readonly number[], fields?: object): Promise<AssignmentRequestView[]>;
}

const SYSTEM: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };

export async function offerPlace(
  fixture: ApiFixture,
  agentCount: number,
  assignment: object = {},
): Promise<OfferPlace> {
  const place = await dispatchersOf(fixture);
  const { organizationId } = place;
  const admin = fixture.clientOf(
    (await seedChannel(fixture.gateway.databaseUrl, organizationId, { role: 'org_admin' })).key,
  );
  // Nobody is asked but by `offer`: no round has a worker to run in.
  const settings = { assignment: { requestTtlSeconds: 3_600, maxTasksPerAgent: 1_000, ...assignment } };
  const changed = await admin.patch(`/organizations/${organizationId}`, { settings });
  assert.equal(changed.status, 200, changed.text);
  const agents: AskedAgent[] = [];
  for (let made = 0; made < agentCount; made += 1) agents.push(await agentOnDuty(fixture, place));
  return {
    ...place,
    admin,
    agents,
    offer: (agentIds, fields) => askAgents(fixture, place, agentIds, fields),
  };
}

/** Looks for somebody for a new task, and asks these agents, who are on duty, as a round would. */
export async function askAgents(
  { gateway }: ApiFixture,
  { api, organizationId }: Pick<OfferPlace, 'api' | 'organizationId'>,
  agentIds: readonly number[],
  fields: object = {},
): Promise<AssignmentRequestView[]> {
  const { id: taskId } = await api.createTask({ autoAssign: true, ...fields });
  const offers = agentIds.map((agentId) => ({ taskId, agentId, score: 12.5, distanceM: 800, etaSeconds: 240 }));
  const told = await gateway.ask(organizationId, { kind: 'propose-offers', caller: SYSTEM, offers, lacking: [] });
  assert.ok(told.ok, JSON.stringify(told));
  const query = { taskId, limit: 100 };
  const { items } = (await api.dispatch.get('/assignment-requests', { query })).data;
  assert.equal(items.length, agentIds.length, 'every agent was asked');
  return agentIds.map((agentId) => items.find((item) => item.agentId === agentId)!);
}

async function agentOnDuty(
  fixture: ApiFixture,
  { api, organizationId }: Pick<OfferPlace, 'api' | 'organizationId'>,
): Promise<AskedAgent> {
  const { id, userId } = await createAgent(api);
  const { databaseUrl } = fixture.gateway;
  await withSql(
    databaseUrl,
    (sql) =>
      sql`UPDATE users SET email_verified_at = now() WHERE organization_id = ${organizationId} AND id = ${userId}`,
  );
  const token = await seedSession(databaseUrl, organizationId, userId);
  const own = fixture.clientOf(token);
  await own.dispatch.put('/agents/{id}/duty', { path: { id: 'me' }, body: { onDuty: true } });
  return { id, api: own, token };
}

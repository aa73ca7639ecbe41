import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiClient, taskInput } from '../../support/api-client.ts';
import { ROUTES } from '../../support/contract/described-api.ts';
import { seedChannel, withSql } from '../../support/seeds/seed.ts';
import { assignedTask, clientOfAgent, createAgent } from '../agents/agent-place.ts';
import { useGateway } from '../api-fixture.ts';
import { seedRequest } from '../assignment/seed-request.ts';
import { seedDelivery } from '../webhooks/seed-delivery.ts';

/** A cursor goes on in its own list alone: of one organization, and of one record where the path names one. */

interface Page {
  readonly nextCursor: string | null;
}

/** An organization with two records in each list. */
interface Tenant {
  readonly api: ApiClient;
  /** Two of each record that a path names. */
  readonly named: Readonly<Record<string, readonly number[]>>;
}

/** Every list that takes a cursor. */
const PATHS = ROUTES.filter((route) => 'cursor' in (route.query?.schema.entries ?? {})).map(({ path }) => path);

const tenants: Tenant[] = [];
const fixture = useGateway({}, async () => {
  tenants.push(await tenant(1), await tenant(2));
});

async function tenant(number: number): Promise<Tenant> {
  const { databaseUrl } = fixture.gateway;
  const { organizationId, channelId, api } = await fixture.organization({ role: 'org_admin' });
  const made = async (path: string, body: object) => {
    const { status, body: answer, text } = await api.post<{ id: number }>(path, body);
    assert.equal(status, 201, text);
    return answer.data.id;
  };
  const [agents, webhooks]: [number[], number[]] = [[], []];
  for (const turn of [1, 2]) {
    const agentId = (await createAgent(api)).id;
    const webhookId = await made('/webhooks', { url: 'https://1.1.1.1/hook', events: ['*'] });
    agents.push(agentId);
    webhooks.push(webhookId);
    await made('/customers', { name: 'Ada', phone: `+4420794610${number}${turn}` });
    await made('/warehouses', { name: 'North', location: { address: 'Dock 4', latitude: 53.54, longitude: 9.98 } });
    await seedChannel(databaseUrl, organizationId);
    for (const minutes of [1, 2]) {
      const taskId = await made('/tasks', taskInput({ packages: [{ name: 'A parcel', barcode: 'BC-1' }] }));
      assert.equal((await api.post(`/tasks/${taskId}/assign`, { agentId })).status, 200);
      await made('/payments/cash', { taskId, amount: 1 });
      await seedRequest(databaseUrl, { organizationId, channelId, taskId, agentId, status: 'rejected' });
      await seedDelivery(databaseUrl, { organizationId, webhookId, sequence: null, body: '{}' });
      await seedRest(organizationId, taskId, agentId, minutes);
    }
  }
  return { api, named: { agents, webhooks } };
}

/** A rating, a notice, and where the agent was some minutes ago. */
function seedRest(organizationId: number, taskId: number, agentId: number, minutes: number): Promise<unknown> {
  const rating = { score: 5, comment: null, at: new Date().toISOString() };
  return withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`UPDATE tasks SET rating = ${sql.json(rating)} WHERE organization_id = ${organizationId} AND id = ${taskId}`;
    await sql`
      INSERT INTO notifications (organization_id, id, kind, channel, task_id, agent_id, user_id, push_token_id, platform,
        status, attempts, expires_at, settled_at)
      VALUES (${organizationId}, nextval('notification_ids'), 'task_cancelled', 'push', ${taskId}, 5, 6, 7, 'web', 'sent', 1,
        now() + interval '1 hour', now())`;
    await sql`
      INSERT INTO agent_trail (organization_id, agent_id, recorded_at, received_at, latitude, longitude, speed)
      VALUES (${organizationId}, ${agentId}, now() - ${minutes} * interval '1 minute', now(), 1, 2.5, 3.1)`;
  });
}

/** The address of a list: that of the first or second record where the path names one. */
function listOf(path: string, { named }: Tenant, place: 0 | 1 = 0): string {
  const query = path === '/packages' ? '?barcode=BC-1' : '?';
  return path.replace(/\/(\w+)\/:id/, (_, records: string) => `/${records}/${named[records]![place]}`) + query;
}

async function cursorOf({ api }: Tenant, list: string): Promise<string> {
  const { status, body, text } = await api.get<Page>(`${list}&limit=1`);
  assert.equal(status, 200, text);
  assert.ok(body.data.nextCursor, `${list} has records for more than a page`);
  return body.data.nextCursor;
}

async function refuses({ api }: Tenant, list: string, cursor: string, what: string): Promise<void> {
  const { status, body } = await api.get(`${list}&cursor=${cursor}`);
  assert.equal(status, 400, what);
  assert.match(`${body.message}`, /^cursor must be the nextCursor of /, what);
}

test('there are lists of which each record has its own', () => {
  assert.ok(PATHS.length >= 15, PATHS.join());
  assert.ok(PATHS.includes('/agents/:id/tasks') && PATHS.includes('/webhooks/:id/deliveries'));
});

for (const path of PATHS) {
  test(`a cursor of ${path} goes on in its list, and is 400 in every other`, async () => {
    const [own, other] = tenants as [Tenant, Tenant];
    const list = listOf(path, own);
    const cursor = await cursorOf(own, list);
    assert.equal((await own.api.get(`${list}&cursor=${cursor}`)).status, 200);
    await refuses(other, listOf(path, other), cursor, 'of another organization');
    if (path.includes(':id')) await refuses(own, listOf(path, own, 1), cursor, 'of another record');
    for (const elsewhere of PATHS)
      if (elsewhere !== path) await refuses(own, listOf(elsewhere, own), cursor, elsewhere);
  });

  test(`a cursor of ${path} from before its list was marked in it still goes on`, async () => {
    const [own] = tenants as [Tenant, Tenant];
    const list = listOf(path, own);
    const [unmarked, mark] = (await cursorOf(own, list)).split('.');
    assert.ok(mark);
    assert.equal((await own.api.get(`${list}&cursor=${unmarked}`)).status, 200);
  });
}

for (const [path, given, others] of [
  ['/notifications', '', ['status=sent', 'kind=task_cancelled', 'channel=push']],
  ['/notifications', 'status=sent&channel=push', ['', 'status=sent', 'status=failed&channel=push']],
  ['/webhooks/:id/deliveries', '', ['state=succeeded', 'type=task.created']],
  ['/webhooks/:id/deliveries', 'state=succeeded', ['', 'state=failed', 'state=succeeded&type=task.created']],
] as const)
  test(`a cursor of ${path}?${given} goes on with the same filters alone`, async () => {
    const [own] = tenants as [Tenant, Tenant];
    const list = listOf(path, own);
    const cursor = await cursorOf(own, `${list}&${given}`);
    const { status } = await own.api.get(`${list}&cursor=${cursor}&${given}&limit=7`);
    assert.equal(status, 200);
    for (const other of others) {
      const { status, body } = await own.api.get(`${list}&${other}&cursor=${cursor}`);
      const records = path.slice(path.lastIndexOf('/') + 1);
      const foreign = `cursor must be the nextCursor of a list of ${records} with the same filters`;
      assert.deepEqual([status, body.message], [400, [foreign]], other);
    }
  });

test("an agent's tasks are one list, by id and as `me`", async () => {
  const { organizationId, api } = await fixture.organization({ role: 'org_admin' });
  const agent = await createAgent(api);
  for (const _ of [1, 2, 3]) await assignedTask(api, agent.id);
  const courier = await clientOfAgent(fixture, organizationId, agent);
  const { nextCursor } = (await courier.get<Page>('/agents/me/tasks?limit=1')).body.data;
  for (const [client, name] of [
    [courier, 'me'],
    [courier, agent.id],
    [api, agent.id],
  ] as const)
    assert.equal((await client.get(`/agents/${name}/tasks?limit=1&cursor=${nextCursor}`)).status, 200);
});

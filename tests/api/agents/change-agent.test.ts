import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntryView } from '../../../schema/accounts/audit.ts';
import type { AccountView } from '../../../schema/accounts/user.ts';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import { seedAgent, withSql } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, signIn } from '../auth/auth-client.ts';
import { type AgentList, assignedTask, clientOfAgent, createAgent, dispatchersOf } from './agent-place.ts';

const fixture = useGateway();

interface EventList {
  readonly items: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
}

test('only the fields that are sent change; null takes away what may be missing', async () => {
  const { api } = await dispatchersOf(fixture);
  const before = await createAgent(api, {
    vehicle: { type: 'car' },
    skills: ['cold'],
    home: { latitude: 1, longitude: 2 },
  });
  const patch = async (fields: object) => {
    const reply = await api.patch<AgentView>(`/agents/${before.id}`, fields);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const named = await patch({ name: 'Grace Hopper', phone: '+12025550123', agentType: null, email: 'x@test.example' });
  const user = { ...before.user, firstName: 'Grace', lastName: 'Hopper', phoneNumber: '2025550123', countryCode: '+1' };
  assert.deepEqual(named, { ...before, user, updatedAt: named.updatedAt });
  const rest = await patch({ agentType: 'freelancer', vehicle: { type: 'van', maxPackages: 3 }, skills: ['b', 'a'] });
  assert.deepEqual([rest.agentType, rest.vehicle?.maxPackages, rest.skills], ['freelancer', 3, ['b', 'a']]);
  const bare = await patch({ vehicle: null, skills: null, home: null });
  assert.deepEqual([bare.vehicle, bare.skills, bare.home], [null, [], null]);
  assert.deepEqual(
    await patch({ name: 'Grace  Hopper', skills: [], isActive: true }),
    bare,
    'nothing new writes nothing',
  );
  assert.deepEqual((await api.get<AgentView>(`/agents/${before.id}`)).body.data, bare);
});

test('If-Match lets a change through only while the agent is as it was read', async () => {
  const { api } = await dispatchersOf(fixture);
  const { id } = await createAgent(api);
  const etag = (await api.get(`/agents/${id}`)).headers.etag!;
  const first = await api.patch(`/agents/${id}`, { name: 'One' }, { 'if-match': etag });
  assert.equal(first.status, 200);
  const late = await api.patch(`/agents/${id}`, { name: 'Two' }, { 'if-match': etag });
  assert.deepEqual([late.status, late.body.code], [412, 'PRECONDITION_FAILED']);
  const next = await api.patch(`/agents/${id}`, { name: 'Two' }, { 'if-match': first.headers.etag! });
  assert.equal(next.status, 200);
});

test('the user and every task of the agent show its new name, in lists and in single reads alike', async () => {
  const { api, organizationId } = await dispatchersOf(fixture, { role: 'org_admin' });
  const agent = await createAgent(api);
  const taskId = await assignedTask(api, agent.id);
  const before = await api.get(`/tasks/${taskId}`);
  assert.equal((await api.patch(`/agents/${agent.id}`, { name: 'Grace Hopper' })).status, 200);
  const single = await api.get(`/tasks/${taskId}`);
  assert.equal(single.body.data.agent?.user.firstName, 'Grace');
  assert.notEqual(single.headers.etag, before.headers.etag);
  assert.deepEqual((await api.list()).body.data.items, [single.body.data]);
  const stale = await api.patch(`/tasks/${taskId}`, { notes: 'n' }, { 'if-match': before.headers.etag! });
  assert.equal(stale.status, 412);
  const user = (await api.get<AccountView>(`/users/${agent.userId}`)).body.data;
  assert.deepEqual([user.firstName, user.lastName, user.role], ['Grace', 'Hopper', 'agent']);
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ same: boolean }[]>`
      SELECT (u.first_name, u.last_name, u.email) = (a.first_name, a.last_name, a.email) AS same
      FROM agents a JOIN users u ON u.organization_id = a.organization_id AND u.id = a.user_id
      WHERE a.organization_id = ${organizationId}`,
  );
  assert.deepEqual(row, { same: true });
});

/** Far from what an answer takes that waits for nothing, and from what a request may take. */
const LONGEST_MS = 10_000;

test('an agent whose activity ends is out at once: session, login and duty; it comes back without them', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const password = 'a long enough password';
  const made = await createAgent(api, { password });
  const login = { email: made.user.email!, password };
  const { accessToken } = await signIn(api, login);
  const agent = fixture.clientOf(accessToken);
  assert.equal((await agent.put('/agents/me/duty', { onDuty: true })).status, 200);
  const here = { latitude: 51.5, longitude: -0.1, recordedAt: new Date().toISOString() };
  assert.equal((await agent.post('/agents/me/locations', { points: [here] })).status, 202);
  const onMap = async () => (await api.get<{ count: number }>('/agents/locations/current')).body.data.count;
  assert.equal(await onMap(), 1);
  const startedAt = performance.now();
  const ended = await api.patch<AgentView>(`/agents/${made.id}`, { isActive: false });
  const tookMs = performance.now() - startedAt;
  assert.deepEqual([ended.status, ended.body.data.isActive, ended.body.data.onDuty], [200, false, false]);
  assert.ok(tookMs < LONGEST_MS, `answered after ${tookMs} ms`);
  assert.equal((await agent.get('/agents/me')).status, 401, 'refused as soon as that is answered');
  assert.equal((await ask(api, 'login', login)).status, 401);
  await until('it is on no map', async () => (await onMap()) === 0);
  const { items } = (await api.get<EventList>('/events')).body.data;
  assert.deepEqual(
    items.map(({ data, type }) => [type, data['onDuty']]),
    [
      ['agent.duty_changed', true],
      ['agent.duty_changed', false],
    ],
  );
  assert.equal((await api.patch(`/agents/${made.id}`, { isActive: true })).status, 200);
  assert.equal((await agent.get('/agents/me')).status, 401, 'a session that ended stays so');
  const { onDuty } = (await api.get<AgentView>(`/agents/${made.id}`)).body.data;
  assert.equal(onDuty, false);
  assert.equal((await (await clientOfAgent(fixture, organizationId, made)).get('/agents/me')).status, 200);
});

test('the activity of an agent who has open tasks does not end', async () => {
  const { api } = await dispatchersOf(fixture);
  const { id } = await createAgent(api);
  const taskIds = [await assignedTask(api, id), await assignedTask(api, id)];
  const end = () => api.patch(`/agents/${id}`, { isActive: false });
  const refused = await end();
  assert.deepEqual([refused.status, refused.body.code], [409, 'AGENT_HAS_OPEN_TASKS']);
  assert.deepEqual(refused.body.details, { agentId: id, openTasks: 2 });
  await api.put(`/tasks/${taskIds[0]}/status`, { status: 'cancelled' });
  assert.deepEqual((await end()).body.details, { agentId: id, openTasks: 1 });
  await api.post(`/tasks/${taskIds[1]}/unassign`, {});
  assert.equal((await end()).status, 200);
  const { items } = (await api.get<AgentList>('/agents?isActive=false')).body.data;
  assert.deepEqual(
    items.map((agent) => agent.id),
    [id],
  );
  const late = await api.post(`/tasks/${taskIds[1]}/assign`, { agentId: id });
  assert.deepEqual([late.status, late.body.code], [409, 'AGENT_NOT_ACTIVE']);
});

test('nor does it end when nobody has asked for the open tasks yet', async () => {
  const { databaseUrl } = fixture.gateway;
  const { api, ...owner } = await dispatchersOf(fixture);
  const { agentId } = await seedAgent(databaseUrl, owner.organizationId);
  const statuses = ['assigned', 'accepted', 'in_transit', 'completed', 'cancelled'] as const;
  await seedTasks(
    databaseUrl,
    owner,
    statuses.map((status) => ({ status, agentId })),
  );
  const { body } = await api.patch(`/agents/${agentId}`, { isActive: false });
  assert.deepEqual([body.code, body.details['openTasks']], ['AGENT_HAS_OPEN_TASKS', 3]);
});

test('of an end of activity and an assignment at once one is refused', async () => {
  const { api } = await dispatchersOf(fixture);
  for (let round = 0; round < 10; round++) {
    const { id } = await createAgent(api);
    const task = await api.createTask();
    const [ended, assigned] = await Promise.all([
      api.patch(`/agents/${id}`, { isActive: false }),
      api.post(`/tasks/${task.id}/assign`, { agentId: id }),
    ]);
    assert.deepEqual([ended.status, assigned.status].sort(), [200, 409], `${ended.text} ${assigned.text}`);
  }
});

test('a user whom the operator has locked stays locked when the agent gets another name', async () => {
  const { api, organizationId } = await dispatchersOf(fixture, { role: 'org_admin' });
  const { id, userId } = await createAgent(api);
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`UPDATE users SET is_active = false WHERE organization_id = ${organizationId} AND id = ${userId}`,
  );
  assert.equal((await api.patch(`/agents/${id}`, { name: 'Grace Hopper' })).status, 200);
  const { body } = await api.get<AccountView>(`/users/${userId}`);
  assert.deepEqual([body.data.firstName, body.data.isActive], ['Grace', false]);
});

test('the user of an agent is not changed by itself', async () => {
  const { api } = await dispatchersOf(fixture, { role: 'org_admin' });
  const { userId } = await createAgent(api);
  for (const fields of [{ name: 'Eve' }, { role: 'dispatcher' }, { isActive: false }]) {
    const { status, body } = await api.patch(`/users/${userId}`, fields);
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
    assert.match(String(body.message), /PATCH \/agents\/:id/);
  }
});

test('the audit log tells what an agent was and became, and no password', async () => {
  const { api, userId } = await dispatchersOf(fixture, { role: 'org_admin' });
  const { id } = await createAgent(api, { password: 'a long enough password' });
  await api.patch(`/agents/${id}`, { name: 'Grace Hopper' });
  const reply = await api.get<{ items: AuditEntryView[] }>(`/audit-logs?recordType=agent&recordId=${id}`);
  const [updated, created] = reply.body.data.items;
  assert.deepEqual([updated!.action, created!.action], ['agent.updated', 'agent.created']);
  assert.deepEqual([created!.before, updated!.before?.['firstName']], [null, 'Amina']);
  assert.deepEqual([updated!.after?.['firstName'], updated!.actor.userId], ['Grace', userId]);
  assert.ok(!reply.text.includes('argon2'));
});

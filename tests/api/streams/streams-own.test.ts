import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedAgent, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { refusalOf, sequencesOf, useStreams } from './stream-fixture.ts';

const fixture = useGateway();
const streams = useStreams();

const OWN = '/realtime/me/events';

/** Deactivates everybody. */
async function endAccess(organizationId: number): Promise<void> {
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`UPDATE users SET is_active = false WHERE organization_id = ${organizationId}`,
  );
}

/** An organization with two agents, each with a session. */
async function twoAgents() {
  const { databaseUrl } = fixture.gateway;
  const { api, organizationId } = await fixture.organization();
  const agents = [];
  for (let index = 0; index < 2; index += 1) {
    const { agentId, userId } = await seedAgent(databaseUrl, organizationId);
    agents.push({ agentId, key: await seedSession(databaseUrl, organizationId, userId) });
  }
  const watch = (key: string, query = '', lastEventId?: string) => {
    const resume = lastEventId === undefined ? {} : { lastEventId };
    return streams.watch(fixture.gateway.baseUrl, { key, organizationId, path: OWN, query, ...resume });
  };
  return { api, organizationId, one: agents[0]!, other: agents[1]!, watch };
}

test("an agent's stream shows its own tasks and duty, the loss of a task, and nothing else", async () => {
  const { api, one, other, watch } = await twoAgents();
  const [ofOne, ofOther] = [await watch(one.key), await watch(other.key)];
  const task = await api.createTask(); // 1
  await api.createTask(); // 2
  await api.post(`/tasks/${task.id}/assign`, { agentId: one.agentId }); // 3
  await api.post(`/tasks/${task.id}/unassign`, {}); // 4
  await api.post(`/tasks/${task.id}/assign`, { agentId: other.agentId }); // 5
  await fixture.clientOf(one.key).put('/agents/me/duty', { onDuty: true }); // 6
  await api.put(`/tasks/${task.id}/status`, { status: 'cancelled' }); // 7
  await fixture.clientOf(one.key).put('/agents/me/duty', { onDuty: false }); // 8
  assert.deepEqual(sequencesOf(await ofOne.take(4)), [3, 4, 6, 8]);
  assert.deepEqual(sequencesOf(await ofOther.take(2)), [5, 7]);
  const again = await watch(one.key, '', `${ofOne.lastEventId!.split('-')[0]}-0`);
  assert.deepEqual(sequencesOf(await again.take(4)), [3, 4, 6, 8], 'a resumed one no more and no less');
});

test("filters narrow an agent's stream, and never widen it", async () => {
  const { api, organizationId, one, other, watch } = await twoAgents();
  const [own, foreign] = [await api.createTask(), await api.createTask()];
  const byAgent = await watch(one.key, `agentIds=${other.agentId},${one.agentId}`);
  const byOther = await watch(one.key, `agentIds=${other.agentId}`);
  const byTask = await watch(one.key, `taskIds=${foreign.id}`);
  const byType = await watch(one.key, 'types=task.created');
  await api.post(`/tasks/${own.id}/assign`, { agentId: one.agentId });
  await api.post(`/tasks/${foreign.id}/assign`, { agentId: other.agentId });
  await fixture.clientOf(one.key).put('/agents/me/duty', { onDuty: true });
  assert.deepEqual(sequencesOf(await byAgent.take(2)), [3, 5]);
  // Every stream has received the events committed by then: with the end of access they have all that they will ever
  // get.
  await endAccess(organizationId);
  for (const stream of [byAgent, byOther, byTask, byType]) {
    await stream.ended;
    await assert.rejects(stream.next(), /the stream has ended/);
  }
});

test("an agent's stream shows its own position, and no other", async () => {
  const { api, one, other, watch } = await twoAgents();
  const stream = await watch(one.key, 'types=agent.locations_updated');
  const inside = await watch(one.key, 'types=agent.locations_updated&bbox=10,10,11,11');
  const points = (latitude: number) => ({
    points: [{ latitude, longitude: 10.5, recordedAt: new Date().toISOString() }],
  });
  await fixture.clientOf(other.key).post('/agents/me/locations', points(10.5));
  await fixture.clientOf(one.key).post('/agents/me/locations', points(12));
  const { data } = (await stream.next()) as unknown as { data: { data: { items: { agentId: number }[] } } };
  assert.deepEqual(
    data.data.items.map(({ agentId }) => agentId),
    [one.agentId],
  );
  await fixture.clientOf(one.key).post('/agents/me/locations', points(10.6));
  const entered = (await inside.next()) as unknown as { data: { data: { items: { latitude: number }[] } } };
  assert.deepEqual(
    entered.data.data.items.map(({ latitude }) => latitude),
    [10.6],
    'only what is in the box',
  );
  assert.equal((await api.get('/agents/locations/current')).status, 200);
});

test("other callers' own stream is the organization's, and an agent may not open that one", async () => {
  const { databaseUrl, baseUrl } = fixture.gateway;
  const { api, organizationId, one, watch } = await twoAgents();
  const { userId } = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const stream = await watch(await seedSession(databaseUrl, organizationId, userId));
  await api.createTask();
  assert.deepEqual(sequencesOf(await stream.take(1)), [1]);
  assert.equal((await refusalOf(streams.watch(baseUrl, { key: one.key, organizationId }))).status, 403);
});

test('a user in the role of an agent who is none is not found, and one that is deactivated is cut off', async () => {
  const { databaseUrl } = fixture.gateway;
  const { organizationId, one, watch } = await twoAgents();
  const { userId } = await seedUser(databaseUrl, organizationId, 'agent');
  const none = await refusalOf(watch(await seedSession(databaseUrl, organizationId, userId)));
  assert.equal(none.status, 404);
  const stream = await watch(one.key);
  let hasEnded = false;
  void stream.ended.then(() => (hasEnded = true));
  await endAccess(organizationId);
  await until('the stream ends', () => hasEnded);
});

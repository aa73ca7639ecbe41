import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import type { ScheduledItem } from '../../../schema/tasks/schedule.ts';
import { seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { useGateway } from '../api-fixture.ts';
import { assignedTask, clientOfAgent, createAgent, dispatchersOf } from './agent-place.ts';

const fixture = useGateway();

interface Schedule {
  readonly items: ScheduledItem[];
  readonly count: number;
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const later = (at: string, minutes: number) => new Date(Date.parse(at) + minutes * 60_000).toISOString();

test('a schedule tells the time that each open task takes up: scheduled ones theirs alone, others from when they were given', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const made = await createAgent(api);
  const agent = await clientOfAgent(fixture, organizationId, made);
  const read = async () => (await agent.get<Schedule>('/agents/me/schedule')).body.data;
  assert.deepEqual(await read(), { items: [], count: 0, shifts: [] });

  const [evening, noon] = [inHours(8), inHours(3)];
  const scheduled = { timeToServe: 'scheduled' } as const;
  const long = await assignedTask(api, made.id, { ...scheduled, scheduledAt: evening, estimatedDuration: 90 });
  const usual = await assignedTask(api, made.id, { ...scheduled, scheduledAt: noon });
  const quick = await assignedTask(api, made.id, { estimatedDuration: 20 });
  const someDay = await assignedTask(api, made.id);
  const assignedAt = async (id: number) => (await api.get(`/tasks/${id}`)).body.data.assignedAt!;
  const [first, second] = [await assignedAt(quick), await assignedAt(someDay)];
  const status = 'assigned';
  assert.deepEqual(await read(), {
    items: [
      { taskId: quick, from: first, until: later(first, 20), exclusive: false, status },
      { taskId: someDay, from: second, until: later(second, 24 * 60), exclusive: false, status },
      { taskId: usual, from: noon, until: later(noon, 60), exclusive: true, status },
      { taskId: long, from: evening, until: later(evening, 90), exclusive: true, status },
    ],
    count: 4,
    shifts: [],
  });

  await api.post(`/tasks/${long}/unassign`, {});
  await api.put(`/tasks/${usual}/status`, { status: 'cancelled' });
  for (const step of ['accepted', 'in_transit']) await agent.put(`/tasks/${quick}/status`, { status: step });
  assert.deepEqual(
    (await read()).items.map((item) => [item.taskId, item.status]),
    [
      [quick, 'in_transit'],
      [someDay, 'assigned'],
    ],
  );
  await agent.put(`/tasks/${quick}/status`, { status: 'completed' });
  assert.deepEqual((await api.get<Schedule>(`/agents/${made.id}/schedule`)).body.data.count, 1);
});

test('an agent reads its own schedule only, and others are refused as unknown ones', async () => {
  const { databaseUrl } = fixture.gateway;
  const { api, organizationId } = await dispatchersOf(fixture);
  const [one, two] = [await createAgent(api), await createAgent(api)];
  const foreign = await createAgent((await dispatchersOf(fixture)).api);
  const agent = await clientOfAgent(fixture, organizationId, one);
  const own = await agent.get<Schedule>(`/agents/${one.id}/schedule`);
  assert.equal(own.status, 200);
  assert.match(own.body.metadata.position, /^[a-z0-9]+-\d+$/);
  for (const id of [two.id, foreign.id, 999_000_111]) {
    const { status, body } = await agent.get(`/agents/${id}/schedule`);
    assert.deepEqual([status, body.message], [404, `Agent with ID ${id} not found`]);
  }
  assert.equal((await api.get(`/agents/${foreign.id}/schedule`)).status, 404);
  assert.equal((await api.get('/agents/me/schedule')).status, 404, 'a dispatcher is no agent');
  const { userId } = await seedUser(databaseUrl, organizationId, 'agent');
  const none = fixture.clientOf(await seedSession(databaseUrl, organizationId, userId));
  assert.equal((await none.get('/agents/me/schedule')).status, 404);
});

test('of more tasks than are shown those that begin first are shown, and all are counted', async () => {
  const { databaseUrl } = fixture.gateway;
  const { api, ...owner } = await dispatchersOf(fixture);
  const { id: agentId } = await createAgent(api);
  const tasks = Array.from({ length: LIMITS.scheduledItems + 1 }, () => ({ agentId, status: 'assigned' }) as const);
  const [first] = await seedTasks(databaseUrl, owner, tasks);
  await withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE tasks SET assigned_at = assigned_at + (id - ${first!.id}::bigint) * interval '1 s'
      WHERE organization_id = ${owner.organizationId}`,
  );
  const { items, count } = (await api.get<Schedule>(`/agents/${agentId}/schedule`)).body.data;
  assert.deepEqual([items.length, count], [LIMITS.scheduledItems, LIMITS.scheduledItems + 1]);
  assert.equal(items[0]!.taskId, first!.id);
});

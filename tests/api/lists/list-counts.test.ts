import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiClient, taskInput } from '../../support/api-client.ts';
import { seedAgent, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

/** So many tasks match that a list of them is not gathered, and their count is kept by the process. */
const MANY = 260;

async function createMany(api: ApiClient, count: number, overrides: object = {}): Promise<void> {
  const tasks = Array.from({ length: count }, () => taskInput(overrides));
  const { body } = await api.post<{ created: number }>('/tasks/batch', { tasks });
  assert.equal(body.data.created, count);
}

const sequenceOf = (position: string) => Number(position.split('-')[1]);

/** The count of a list, and its position in the log. */
async function countOf(api: ApiClient, query: string): Promise<{ readonly count: number; readonly sequence: number }> {
  const { status, body } = await api.list(`${query}&limit=1`);
  assert.equal(status, 200, JSON.stringify(body));
  return { count: body.data.count, sequence: sequenceOf(body.metadata.position) };
}

test('while tasks are created, each count is the count at the position beside it', async () => {
  const { api } = await fixture.organization();
  const { customerId } = await api.createTask();
  await createMany(api, MANY);
  // Every event of this organization is a created task of this customer: the sequence says how many there are.
  let isWriting = true;
  let [made, looked] = [0, 0];
  const write = async () => {
    for (; made < 120 || looked <= 30; made += 1) await api.createTask();
  };
  const writing = Promise.all([write(), write(), write(), write()]).finally(() => {
    isWriting = false;
  });
  const look = async () => {
    while (isWriting) {
      const { count, sequence } = await countOf(api, `customerId=${customerId}`);
      assert.equal(count, sequence);
      looked += 1;
    }
  };
  await Promise.all([writing, look(), look(), look()]);
  assert.equal((await countOf(api, `customerId=${customerId}`)).count, 1 + MANY + made);
});

test('a kept count follows tasks that begin and cease to match', async () => {
  const { api } = await fixture.organization();
  const first = await api.createTask({ integrationData: { shop: 'a' } });
  await createMany(api, MANY, { integrationData: { shop: 'a' } });
  const query = 'integrationData.shop=a&status=new';
  assert.equal((await countOf(api, query)).count, MANY + 1);
  assert.equal((await countOf(api, query)).count, MANY + 1);
  await api.put(`/tasks/${first.id}/status`, { status: 'cancelled' });
  assert.equal((await countOf(api, query)).count, MANY);
  const second = await api.createTask({ integrationData: { shop: 'b' } });
  assert.equal((await countOf(api, query)).count, MANY);
  assert.equal((await api.patch(`/tasks/${second.id}`, { integrationData: { shop: 'a' } })).status, 200);
  assert.equal((await countOf(api, query)).count, MANY + 1);
});

test('a list of tasks that many match shows what one that gathers them shows', async () => {
  const { api } = await fixture.organization();
  const { customerId } = await api.createTask();
  await createMany(api, MANY);
  for (const query of [`customerId=${customerId}`, `customerId=${customerId}&taskType=delivery&page=7`]) {
    const gathered = (await api.list(query)).body.data;
    const alongIndex = (await api.list(query)).body.data;
    assert.deepEqual(alongIndex, gathered, query);
  }
});

test('the counters agree with the tasks after every kind of change', async () => {
  const { api, organizationId } = await fixture.organization();
  await createMany(api, 30, { taskType: 'pickup' });
  const { items } = (await api.list('limit=30')).body.data;
  await Promise.all(
    items.map(async ({ id }, index) => {
      if (index % 3 === 0) await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
      if (index % 3 === 1) {
        const { status } = await api.patch(`/tasks/${id}`, {
          timeToServe: 'scheduled',
          scheduledAt: '2031-01-01T00:00:00Z',
        });
        assert.equal(status, 200);
      }
    }),
  );
  const counted = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ status: string; timeToServe: string; kept: number; real: number }[]>`
      SELECT status, time_to_serve, coalesce(c.kept, 0) AS kept, coalesce(t.real, 0) AS real
      FROM (SELECT status, time_to_serve, sum(count)::int AS kept FROM task_counts
          WHERE organization_id = ${organizationId} GROUP BY 1, 2) c
        FULL JOIN (SELECT status, time_to_serve, count(*)::int AS real FROM tasks
          WHERE organization_id = ${organizationId} GROUP BY 1, 2) t USING (status, time_to_serve)`,
  );
  assert.ok(counted.length > 0, 'no task is counted');
  for (const { kept, real, status } of counted) assert.equal(kept, real, status);
  assert.equal((await countOf(api, 'status=cancelled')).count, 10);
  assert.equal((await countOf(api, 'timeToServe=scheduled')).count, 10);
  assert.equal((await countOf(api, 'scheduledFrom=2031-01-01T00:00:00Z&scheduledTo=2031-01-01T00:00:00Z')).count, 10);
});

test('a list counts what another process has committed', async () => {
  const { api, organizationId } = await fixture.organization();
  const { agentId } = await seedAgent(fixture.gateway.databaseUrl, organizationId);
  const task = await api.createTask();
  assert.equal((await countOf(api, `agentId=${agentId}`)).count, 0);
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
      UPDATE tasks SET agent_id = ${agentId} WHERE organization_id = ${organizationId} AND id = ${task.id}`,
  );
  assert.equal((await countOf(api, `agentId=${agentId}`)).count, 1);
});

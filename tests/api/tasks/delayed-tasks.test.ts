import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiClient, createApiClient, taskInput } from '../../support/api-client.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { seedAgent, seedSession, withSql } from '../../support/seeds/seed.ts';
import { createTestPlace, startTestGateway, type TestGateway, type TestPlace } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';

interface EventPage {
  readonly items: { readonly data: { readonly task: { readonly id: number } } }[];
}

async function withGatewayAt<T>(
  place: TestPlace,
  work: (api: ApiClient, gateway: TestGateway) => Promise<T>,
): Promise<T> {
  const gateway = await startTestGateway({ place });
  const api = createApiClient(gateway);
  try {
    return await work(api, gateway);
  } finally {
    api.close();
    await gateway.stop();
  }
}

/** Sets all open tasks back, as if they had been made long ago. */
async function makeDue({ databaseUrl, organizationId }: TestPlace): Promise<void> {
  await withSql(databaseUrl, async (sql) => {
    const past = new Date(Date.now() - 60_000).toISOString();
    await sql`UPDATE tasks SET deadline_at = ${past}::timestamptz, created_at = created_at - interval '2 days'
      WHERE organization_id = ${organizationId} AND deadline_at IS NOT NULL`;
    await sql`UPDATE organization_heads SET next_deadline_at = ${past}::timestamptz WHERE organization_id = ${organizationId}`;
  });
}

function countDelays({ databaseUrl, organizationId }: TestPlace): Promise<number> {
  return withSql(databaseUrl, async (sql) => {
    const rows = await sql`SELECT 1 FROM events WHERE organization_id = ${organizationId} AND type = 'task.delayed'`;
    return rows.length;
  });
}

test('a task past its time becomes delayed, once, although the gateway was down when it was due', async () => {
  const place = await createTestPlace();
  try {
    const { late, cancelled } = await withGatewayAt(place, async (api) => {
      const [late, cancelled] = [await api.createTask({ estimatedDuration: 30 }), await api.createTask()];
      await api.put(`/tasks/${cancelled.id}/status`, { status: 'cancelled' });
      assert.equal(late.isDelayed, false);
      return { late, cancelled };
    });
    await makeDue(place);
    await withGatewayAt(place, async (api, gateway) => {
      const history = (await api.list()).body.metadata.position.split('-')[0]!;
      const stream = await openEventStream(gateway.baseUrl, { ...place, lastEventId: `${history}-3` });
      const [event] = await stream.take(1);
      stream.close();
      assert.deepEqual([event!.event, event!.data.data.task.isDelayed], ['task.delayed', true]);
      const read = (await api.get(`/tasks/${late.id}`)).body.data;
      const wound = (time: string) => new Date(Date.parse(time) - 2 * 86_400_000).toISOString();
      const dueAt = wound(late.dueAt);
      const told = { createdAt: wound(late.createdAt), dueAt, isDelayed: true, delayedAt: dueAt };
      assert.deepEqual({ ...read, updatedAt: late.updatedAt }, { ...late, ...told });
      assert.deepEqual(
        (await api.list()).body.data.items.map(({ id, isDelayed }) => [id, isDelayed]),
        [
          [cancelled.id, false],
          [late.id, true],
        ],
      );
      const { items } = (await api.get<EventPage>('/events?types=task.delayed')).body.data;
      assert.deepEqual(
        items.map(({ data }) => data.task.id),
        [late.id],
      );
      const { data } = (await api.put(`/tasks/${late.id}/status`, { status: 'cancelled' })).body;
      assert.deepEqual([data.status, data.isDelayed, data.delayedAt], ['cancelled', false, dueAt]);
    });
    await withGatewayAt(place, async (api) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      assert.equal((await api.get<EventPage>('/events?types=task.delayed')).body.data.items.length, 1);
    });
  } finally {
    await place.drop();
  }
});

test('more tasks than one look takes are all found', async () => {
  const place = await createTestPlace();
  try {
    const count = 620;
    await withGatewayAt(place, async (api) => {
      for (const each of [count / 2, count / 2]) {
        const tasks = Array.from({ length: each }, () => taskInput());
        assert.equal((await api.post('/tasks/batch', { tasks })).status, 200);
      }
    });
    await makeDue(place);
    await withGatewayAt(place, async (api) => {
      await until('all are delayed', async () => (await countDelays(place)) >= count);
      const { items } = (await api.get<EventPage>('/events?types=task.delayed&limit=1000')).body.data;
      assert.equal(items.length, count);
    });
  } finally {
    await place.drop();
  }
});

test('a window that ends makes a task late, and it stays late when it is completed', async () => {
  const place = await createTestPlace({ role: 'dispatcher' });
  try {
    await withGatewayAt(place, async (api, { baseUrl }) => {
      const { agentId, userId } = await seedAgent(place.databaseUrl, place.organizationId);
      const driver = createApiClient({
        baseUrl,
        key: await seedSession(place.databaseUrl, place.organizationId, userId),
      });
      const windowEnd = new Date(Date.now() + 1_500).toISOString();
      const [late, inTime] = [await api.createTask({ windowEnd }), await api.createTask({ windowEnd })];
      assert.deepEqual([late.dueAt, late.isDelayed, late.delayedAt], [windowEnd, false, null]);
      for (const { id } of [late, inTime]) {
        await api.post(`/tasks/${id}/assign`, { agentId });
        for (const status of ['accepted', 'in_transit']) await driver.put(`/tasks/${id}/status`, { status });
      }
      driver.close();
      const occurredAt = new Date().toISOString();
      const read = async (id: number) => (await api.get(`/tasks/${id}`)).body.data;
      await until('both are late', async () => (await read(late.id)).isDelayed && (await read(inTime.id)).isDelayed);
      await api.put(`/tasks/${late.id}/status`, { status: 'completed' });
      // As a driver tells who was offline.
      await api.put(`/tasks/${inTime.id}/status`, { status: 'completed', occurredAt });
      const shown = [await read(late.id), await read(inTime.id)];
      assert.deepEqual(
        shown.map(({ status, isDelayed, delayedAt }) => [status, isDelayed, delayedAt]),
        [
          ['completed', true, windowEnd],
          ['completed', false, null],
        ],
      );
      assert.deepEqual((await api.list('sortOrder=ASC')).body.data.items, shown);
    });
  } finally {
    await place.drop();
  }
});

test('a deadline of a release that judged otherwise is set right, and nothing counts as delayed', async () => {
  const place = await createTestPlace();
  try {
    const task = await withGatewayAt(place, (api) => api.createTask());
    const past = new Date(Date.now() - 60_000).toISOString();
    await withSql(place.databaseUrl, async (sql) => {
      await sql`UPDATE tasks SET deadline_at = ${past}::timestamptz WHERE organization_id = ${place.organizationId}`;
      await sql`UPDATE organization_heads SET next_deadline_at = ${past}::timestamptz
        WHERE organization_id = ${place.organizationId}`;
    });
    await withGatewayAt(place, async (api) => {
      const deadlines = () =>
        withSql(place.databaseUrl, async (sql) => {
          const [row] = await sql<{ own: string; next: string }[]>`SELECT t.deadline_at::text AS own,
            h.next_deadline_at::text AS next FROM tasks t JOIN organization_heads h USING (organization_id)`;
          return [row!.own, row!.next].map((time) => new Date(time).toISOString());
        });
      await until('both are right', async () => (await deadlines()).every((at) => at === task.dueAt));
      assert.deepEqual((await api.get(`/tasks/${task.id}`)).body.data, task);
    });
  } finally {
    await place.drop();
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { withSql } from '../../support/seeds/seed.ts';
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

/** Sets the clock of all open tasks back, as if they had been made long ago. */
async function makeDue({ databaseUrl, organizationId }: TestPlace): Promise<void> {
  await withSql(databaseUrl, async (sql) => {
    const past = new Date(Date.now() - 60_000).toISOString();
    await sql`UPDATE tasks SET deadline_at = ${past}::timestamptz WHERE organization_id = ${organizationId} AND deadline_at IS NOT NULL`;
    await sql`UPDATE organization_heads SET next_deadline_at = ${past}::timestamptz WHERE organization_id = ${organizationId}`;
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
      const [told] = await stream.take(1);
      stream.close();
      assert.deepEqual([told!.event, told!.data.data.task.isDelayed], ['task.delayed', true]);
      const read = (await api.get(`/tasks/${late.id}`)).body.data;
      assert.deepEqual({ ...read, updatedAt: late.updatedAt }, { ...late, isDelayed: true });
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
      const { body } = await api.put(`/tasks/${late.id}/status`, { status: 'cancelled' });
      assert.deepEqual([body.data.status, body.data.isDelayed], ['cancelled', false]);
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
    await withGatewayAt(place, (api) => Promise.all(Array.from({ length: count }, () => api.createTask())));
    await makeDue(place);
    await withGatewayAt(place, async (api) => {
      const delayed = async () => (await api.get<EventPage>('/events?types=task.delayed&limit=1000')).body.data.items;
      await until('all are delayed', async () => (await delayed()).length >= count);
      assert.equal((await delayed()).length, count);
    });
  } finally {
    await place.drop();
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryView, WebhookView } from '../../../schema/notices/webhook.ts';
import { useGateway } from '../api-fixture.ts';
import { seedDelivery } from './seed-delivery.ts';

/** The log of deliveries, read from rows as the workers leave them. */

interface DeliveryList {
  readonly items: DeliveryView[];
  readonly count: number;
  readonly nextCursor: string | null;
}

const fixture = useGateway();
const HOUR_MS = 3_600_000;

async function place() {
  const seeded = await fixture.organization({ role: 'org_admin' });
  const { api, organizationId } = seeded;
  const hook = { url: 'https://1.1.1.1/"hook"', events: ['*'] };
  const { id: webhookId } = (await api.post<WebhookView>('/webhooks', hook)).body.data;
  const { databaseUrl } = fixture.gateway;
  type Seed = Partial<Parameters<typeof seedDelivery>[1]>;
  const seed = (fields: Seed = {}) =>
    seedDelivery(databaseUrl, { organizationId, webhookId, sequence: null, body: '{}', ...fields });
  const list = async (query = '') => {
    const reply = await api.get<DeliveryList>(`/webhooks/${webhookId}/deliveries?${query}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  return { ...seeded, webhookId, seed, list };
}

const ATTEMPTS = [
  { at: '2026-11-21T12:00:00.000Z', status: null, error: 'connection refused', excerpt: null, durationMs: 3 },
  { at: '2026-11-21T12:00:05.000Z', status: 500, error: null, excerpt: 'no "luck"', durationMs: 12.5 },
];

test('a delivery shows its payload, its address, and the outcome of each attempt', async () => {
  const { api, webhookId, seed, list } = await place();
  const task = await api.createTask({ notes: 'ring "twice"' });
  const createdAt = new Date(Date.now() - HOUR_MS).toISOString();
  const id = await seed({ sequence: 1, body: undefined, state: 'pending', attempts: ATTEMPTS, createdAt });
  const read = await api.get<DeliveryView>(`/webhooks/deliveries/${id}`);
  assert.equal(read.status, 200, read.text);
  const { request, ...facts } = read.body.data;
  assert.deepEqual(facts, {
    ...{ id, webhookId, eventId: 'evt_seeded', type: 'task.created', sequence: 1, state: 'pending', attempt: 2 },
    ...{ attempts: ATTEMPTS, nextAttemptAt: createdAt, createdAt },
  });
  const [event] = (await api.get<{ items: unknown[] }>('/events')).body.data.items;
  assert.deepEqual(request, { url: 'https://1.1.1.1/"hook"', body: event });
  assert.deepEqual((request.body!['data'] as { task: unknown }).task, task);
  assert.deepEqual((await list()).items, [read.body.data]);
  assert.match(read.body.metadata.position, /-1$/);
  assert.ok(read.headers.etag);
});

test('a delivery has a body of its own, or none when its event is no longer kept', async () => {
  const { api, seed, list } = await place();
  const own = await seed({ type: 'webhook.test', body: '{"type":"webhook.test"}' });
  const gone = await seed({ sequence: 999, body: undefined });
  const { items } = await list();
  assert.deepEqual(
    items.map(({ id, request }) => [id, request.body]),
    [
      [gone, null],
      [own, { type: 'webhook.test' }],
    ],
  );
  assert.equal((await api.get<DeliveryView>(`/webhooks/deliveries/${gone}`)).body.data.request.body, null);
});

test('deliveries are found by state and type', async () => {
  const { seed, list, api, webhookId } = await place();
  const types = ['task.created', 'webhook.test'];
  const made: [id: number, state: string, type: string][] = [];
  for (const state of ['pending', 'succeeded', 'failed'] as const)
    for (const type of types) made.unshift([await seed({ state, type }), state, type]);
  const found = async (query: string) => (await list(query)).items.map(({ id, state, type }) => [id, state, type]);
  assert.deepEqual(await found(''), made);
  for (const wanted of ['pending', 'succeeded', 'failed']) {
    const ofState = made.filter(([, state]) => state === wanted);
    assert.deepEqual(await found(`state=${wanted}`), ofState);
    assert.deepEqual(
      await found(`state=${wanted}&type=webhook.test`),
      ofState.filter(([, , type]) => type === 'webhook.test'),
    );
  }
  assert.deepEqual(
    await found('type=task.created'),
    made.filter(([, , type]) => type === 'task.created'),
  );
  for (const bad of ['state=lost', 'type=task.*', 'limit=0', 'cursor=MA', 'cursor=x', 'cursor=LTE'])
    assert.equal((await api.get(`/webhooks/${webhookId}/deliveries?${bad}`)).status, 400, bad);
});

test('no page misses or repeats a delivery while others come', async () => {
  const { seed, list } = await place();
  const made: number[] = [];
  // Over midnight: they lie in several partitions.
  for (let index = 0; index < 9; index++) {
    const createdAt = new Date(Date.now() - (8 - index) * 3 * HOUR_MS).toISOString();
    made.unshift(await seed({ createdAt }));
  }
  const seen: number[] = [];
  let cursor: string | null = null;
  do {
    const page: DeliveryList = await list(`limit=4${cursor ? `&cursor=${cursor}` : ''}`);
    assert.equal(page.count, page.items.length);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
    await seed();
  } while (cursor);
  assert.deepEqual(seen, made);
});

test('deliveries of a deleted webhook are gone with it', async () => {
  const { api, webhookId, seed } = await place();
  const id = await seed();
  await api.delete(`/webhooks/${webhookId}`);
  for (const path of [`/webhooks/${webhookId}/deliveries`, `/webhooks/deliveries/${id}`])
    assert.equal((await api.get(path)).status, 404);
});

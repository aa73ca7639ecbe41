import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { AuditEntryView } from '../../../schema/accounts/audit.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { WebhookView } from '../../../schema/notices/webhook.ts';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import { seedChannel, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { seedDelivery } from './seed-delivery.ts';

/** The owners of webhooks, their entries in the audit log, and the answers to retries. */

type WebhookWithSecret = WebhookView & { readonly secret: string };

const fixture = useGateway({ organization: { role: 'org_admin' } });
const HOOK = { url: 'https://1.1.1.1/hook', events: ['*'] };

async function createWebhook(api: ApiClient = fixture.api, fields: object = {}): Promise<WebhookWithSecret> {
  const reply = await api.post<WebhookWithSecret>('/webhooks', { ...HOOK, ...fields });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

async function channel(role: 'integration' | 'org_admin' = 'integration') {
  const { databaseUrl, organizationId } = fixture.gateway;
  const seeded = await seedChannel(databaseUrl, organizationId, { role });
  return { ...seeded, api: fixture.clientOf(seeded.key) };
}

/** Every way to ask for a webhook or its delivery; the last one takes it away. */
function asks(api: ApiClient, webhookId: number, deliveryId: number): (() => Promise<ApiReply<unknown>>)[] {
  const path = `/webhooks/${webhookId}`;
  return [
    () => api.get(path),
    () => api.patch(path, { description: 'mine' }),
    () => api.post(`${path}/rotate-secret`, undefined),
    () => api.post(`${path}/test`, undefined),
    () => api.post(`${path}/replay`, { from: '2026-01-01T00:00:00Z' }),
    () => api.get(`${path}/deliveries`),
    () => api.get(`/webhooks/deliveries/${deliveryId}`),
    () => api.post(`/webhooks/deliveries/${deliveryId}/redeliver`, undefined),
    () => api.delete(path),
  ];
}

test("a channel's key makes webhooks of its channel and sees no other; an administrator sees all", async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const [mine, other] = [await channel(), await channel()];
  const webhook = await createWebhook(mine.api);
  assert.equal(webhook.channelId, mine.channelId);
  const office = await createWebhook();
  const deliveryId = await seedDelivery(databaseUrl, {
    organizationId,
    webhookId: webhook.id,
    sequence: null,
    body: '{}',
  });
  const listOf = async (api: ApiClient) => {
    const { items, count } = (await api.get<{ items: WebhookView[]; count: number }>('/webhooks?limit=100')).body.data;
    assert.equal(items.length, count);
    return items.map(({ id }) => id);
  };
  assert.deepEqual(await listOf(mine.api), [webhook.id]);
  assert.deepEqual(await listOf(other.api), []);
  const all = await listOf(fixture.api);
  assert.ok(all.includes(webhook.id) && all.includes(office.id));
  for (const ask of asks(other.api, webhook.id, deliveryId)) assert.equal((await ask()).status, 404);
  const [read, ...rest] = asks(other.api, office.id, 999000111);
  const told = `{"statusCode":404,"message":"Webhook with ID ${office.id} not found","error":"Not Found"}`;
  assert.equal((await read!()).text, told);
  for (const ask of rest) assert.equal((await ask()).status, 404);
  for (const ask of asks(mine.api, webhook.id, deliveryId)) {
    const { status, text } = await ask();
    assert.ok(status < 300, text);
  }
});

test("of several channels' webhooks an administrator may change each, but makes none that a channel owns", async () => {
  const mine = await channel();
  const { id } = await createWebhook(mine.api);
  const changed = await fixture.api.patch<WebhookView>(`/webhooks/${id}`, { description: 'seen to' });
  assert.deepEqual([changed.status, changed.body.data.channelId], [200, mine.channelId]);
  const office = await createWebhook((await channel('org_admin')).api, { channelId: mine.channelId });
  assert.equal(office.channelId, null, 'a key of an administrator is one');
});

test('a webhook of a channel can name no other channel, for any caller', async () => {
  const [mine, other] = [await channel(), await channel()];
  const own = await createWebhook(mine.api, { channelIds: [mine.channelId] });
  assert.deepEqual(own.channelIds, [mine.channelId]);
  const told = ['channelIds must hold no channel but the one that the webhook belongs to'];
  for (const reply of [
    await mine.api.post('/webhooks', { ...HOOK, channelIds: [mine.channelId, other.channelId] }),
    await mine.api.post('/webhooks', { ...HOOK, channelIds: [999000111] }),
    await mine.api.patch(`/webhooks/${own.id}`, { channelIds: [other.channelId] }),
    await fixture.api.patch(`/webhooks/${own.id}`, { channelIds: [other.channelId] }),
  ])
    assert.deepEqual([reply.status, reply.body.message], [400, told]);
});

test('of channels that are unknown or foreign the first is named, with the same bytes', async () => {
  const foreign = await fixture.organization();
  const { id } = await createWebhook();
  for (const channelId of [999000111, foreign.channelId]) {
    const channelIds = [fixture.gateway.channelId, channelId, 999000222];
    for (const { status, text } of [
      await fixture.api.post('/webhooks', { ...HOOK, channelIds }),
      await fixture.api.patch(`/webhooks/${id}`, { channelIds }),
    ]) {
      assert.equal(status, 404);
      assert.equal(text, `{"statusCode":404,"message":"Channel with ID ${channelId} not found","error":"Not Found"}`);
    }
  }
});

test('a dispatcher reads how all webhooks of the organization fare, without secrets, and changes none', async () => {
  const { api, organizationId } = await fixture.organization({ role: 'org_admin' });
  const { databaseUrl } = fixture.gateway;
  const ofChannel = fixture.clientOf((await seedChannel(databaseUrl, organizationId)).key);
  const dispatcher = fixture.clientOf((await seedChannel(databaseUrl, organizationId, { role: 'dispatcher' })).key);
  const made = [];
  for (const client of [api, ofChannel]) {
    const reply = await client.post<{ id: number; secret: string }>('/webhooks', HOOK);
    assert.equal(reply.status, 201, reply.text);
    const { secret, ...webhook } = reply.body.data;
    assert.match(secret, /^whsec_/);
    made.push(webhook);
  }
  const list = await dispatcher.get<{ items: unknown[]; count: number }>('/webhooks');
  assert.deepEqual(list.body.data, { items: made.toReversed(), count: 2, nextCursor: null });
  for (const webhook of made) {
    const { id } = webhook;
    assert.deepEqual((await dispatcher.get(`/webhooks/${id}`)).body.data, webhook);
    const deliveryId = await seedDelivery(databaseUrl, { organizationId, webhookId: id, sequence: 1 });
    const deliveries = await dispatcher.get<{ items: { id: number }[] }>(`/webhooks/${id}/deliveries`);
    assert.deepEqual(deliveries.body.data.items[0]?.id, deliveryId);
    assert.equal((await dispatcher.get(`/webhooks/deliveries/${deliveryId}`)).status, 200);
    const refused = [
      await dispatcher.patch(`/webhooks/${id}`, { isActive: false }),
      await dispatcher.post(`/webhooks/${id}/rotate-secret`, {}),
      await dispatcher.post(`/webhooks/${id}/test`, {}),
      await dispatcher.post(`/webhooks/${id}/replay`, { from: '2026-01-01T00:00:00Z' }),
      await dispatcher.post(`/webhooks/deliveries/${deliveryId}/redeliver`, {}),
      await dispatcher.post('/webhooks', HOOK),
    ];
    assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([403]));
  }
});

test('agents have no webhooks; a super admin has those of the organization that is named', async () => {
  const { api } = await fixture.organization({ role: 'agent' });
  assert.equal((await api.get('/webhooks')).status, 403);
  assert.equal((await api.post('/webhooks', HOOK)).status, 403);
  const { databaseUrl, organizationId } = fixture.gateway;
  const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
  const root = fixture.clientOf(await seedSession(databaseUrl, 0, userId));
  const inside = { 'x-organization-id': String(organizationId) };
  const made = await root.post<WebhookView>('/webhooks', HOOK, inside);
  assert.deepEqual([made.status, made.body.data.channelId], [201, null]);
  assert.equal((await fixture.api.get(`/webhooks/${made.body.data.id}`)).status, 200);
});

test('an organization has so many webhooks and no more, until one is deleted', async () => {
  const { api, organizationId } = await fixture.organization({ role: 'org_admin' });
  const { id } = await createWebhook(api);
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
      INSERT INTO webhooks (organization_id, id, version, url, events, concurrency, secret, is_active, active_since,
        start_sequence, created_at, updated_at)
      SELECT organization_id, nextval('webhook_ids'), version, url, events, concurrency, 'whsec_', is_active, active_since,
        start_sequence, created_at, updated_at
      FROM webhooks, generate_series(2, ${LIMITS.webhooksPerOrganization}) WHERE organization_id = ${organizationId}`,
  );
  const retry = { 'idempotency-key': 'one too many' };
  for (const isReplayed of [undefined, 'true']) {
    const { status, body, headers } = await api.post('/webhooks', HOOK, retry);
    assert.deepEqual([status, body.code], [409, 'WEBHOOK_LIMIT_REACHED']);
    assert.equal(headers['idempotency-replayed'], isReplayed);
  }
  await api.delete(`/webhooks/${id}`);
  await createWebhook(api);
});

test('literal paths win: deliveries are no webhook', async () => {
  const reply = await fixture.api.get('/webhooks/deliveries');
  assert.deepEqual([reply.status, reply.body.message], [404, 'Cannot GET /api/v1/webhooks/deliveries']);
  const { body } = await fixture.api.get('/webhooks/deliveries/999000111');
  assert.equal(body.message, 'Delivery with ID 999000111 not found');
});

test('If-Match lets a change through only while the webhook is as it was read', async () => {
  const { id } = await createWebhook();
  const { etag } = (await fixture.api.get(`/webhooks/${id}`)).headers;
  const change = (description: string) => fixture.api.patch(`/webhooks/${id}`, { description }, { 'if-match': etag! });
  assert.equal((await change('first')).status, 200);
  const second = await change('second');
  assert.deepEqual([second.status, second.body.code], [412, 'PRECONDITION_FAILED']);
});

test('the audit log has every change and order, and no secret', async () => {
  const { api, channelId, userId } = await fixture.organization({ role: 'org_admin' });
  const { secret, ...made } = await createWebhook(api);
  const path = `/webhooks/${made.id}`;
  const changed = (await api.patch<WebhookView>(path, { description: 'CRM' })).body.data;
  const rotated = (await api.post<WebhookWithSecret>(`${path}/rotate-secret`, undefined)).body.data;
  await api.post(`${path}/test`, undefined);
  await api.createTask();
  await api.post(`${path}/replay`, { from: made.createdAt });
  await api.delete(path);
  const log = await api.get<{ items: AuditEntryView[] }>(`/audit-logs?recordType=webhook&recordId=${made.id}`);
  const { items } = log.body.data;
  assert.deepEqual(
    items.map(({ action }) => action),
    ['deleted', 'replayed', 'tested', 'secret_rotated', 'updated', 'created'].map((what) => `webhook.${what}`),
  );
  const [deleted, , , , updated, created] = items;
  assert.deepEqual([created!.before, created!.after, created!.actor.userId], [null, made, userId]);
  assert.deepEqual([updated!.before, updated!.after], [made, changed]);
  assert.deepEqual([deleted!.after, deleted!.actor.id], [null, channelId]);
  for (const hidden of [secret, rotated.secret, 'whsec_']) assert.ok(!log.text.includes(hidden));
});

test('a retry gets the first answer, the secret included, and makes or changes nothing more', async () => {
  const { api } = await fixture.organization({ role: 'org_admin' });
  const { id } = await createWebhook(api);
  const retried = [
    () => api.post('/webhooks', HOOK, key),
    () => api.post(`/webhooks/${id}/rotate-secret`, undefined, key),
    () => api.post(`/webhooks/${id}/test`, undefined, key),
    () => api.patch(`/webhooks/${id}`, { isActive: false }, key),
  ];
  const key = { 'idempotency-key': randomUUID() };
  for (const ask of retried) {
    const first = await ask();
    assert.ok(first.status < 300, first.text);
    const again = await ask();
    assert.deepEqual([again.status, again.body.data], [first.status, first.body.data]);
    assert.equal(again.headers['idempotency-replayed'], 'true');
  }
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ webhooks: number; versions: number; orders: number; kept: string }[]>`
      SELECT count(*) AS webhooks, max(w.version) AS versions,
        (SELECT count(*) FROM webhook_orders WHERE webhook_id = ${id}) AS orders,
        (SELECT string_agg(encode(sealed, 'escape'), '') FROM kept_outcomes k
          WHERE k.organization_id = max(w.organization_id)) AS kept
      FROM webhooks w WHERE w.organization_id = (SELECT organization_id FROM webhooks WHERE id = ${id})`,
  );
  assert.deepEqual([row!.webhooks, row!.versions, row!.orders], [2, 3, 1]);
  assert.ok(!row!.kept.includes('whsec_'), 'what is kept is sealed');
});

test('of requests at once with one key one makes the webhook', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const replies = await Promise.all(Array.from({ length: 10 }, () => fixture.api.post('/webhooks', HOOK, key)));
  for (const { status, body } of replies) assert.deepEqual([status, body.data], [201, replies[0]!.body.data]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { WebhookView } from '../../../schema/notices/webhook.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { type SeededOrganization, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { seedDelivery } from './seed-delivery.ts';

/** The deliveries that callers order beside the log: the rows that the workers will find. */

const fixture = useGateway({ own: 'it listens to its Redis' });

type Place = SeededOrganization & { readonly api: ApiClient; readonly webhookId: number };

async function place(): Promise<Place> {
  const seeded = await fixture.organization({ role: 'org_admin' });
  const hook = { url: 'https://1.1.1.1/hook', events: ['*'] };
  const { id } = (await seeded.api.post<WebhookView>('/webhooks', hook)).body.data;
  return { ...seeded, webhookId: id };
}

interface OrderRow {
  readonly kind: string;
  readonly deliveryId: number | null;
  readonly afterSequence: number | null;
  readonly lastSequence: number | null;
  readonly eventId: string | null;
  readonly body: string | null;
}

function ordersOf({ webhookId }: Place): Promise<OrderRow[]> {
  return withSql(fixture.gateway.databaseUrl, async (sql) => [
    ...(await sql<OrderRow[]>`
        SELECT kind, delivery_id, after_sequence, last_sequence, event_id, body
        FROM webhook_orders WHERE webhook_id = ${webhookId} ORDER BY id`),
  ]);
}

const NOTHING = { deliveryId: null, afterSequence: null, lastSequence: null, eventId: null, body: null };

test('a test is an order with its event, whether or not the webhook is active', async () => {
  const at = await place();
  const { api, webhookId, organizationId, channelId } = at;
  await api.patch(`/webhooks/${webhookId}`, { isActive: false });
  const { status, body } = await api.post<{ id: number; eventId: string }>(`/webhooks/${webhookId}/test`, undefined);
  assert.equal(status, 202);
  const { id, eventId, ...rest } = body.data;
  assert.deepEqual(rest, { state: 'pending', type: 'webhook.test' });
  assert.match(eventId, /^evt_test_[A-Za-z0-9]{24}$/);
  const [order] = await ordersOf(at);
  const { body: sent, ...row } = order!;
  assert.deepEqual(row, { kind: 'test', deliveryId: id, eventId, afterSequence: null, lastSequence: null });
  const { timestamp, ...event } = JSON.parse(sent!) as Record<string, unknown>;
  assert.ok(Math.abs(Date.parse(timestamp as string) - Date.now()) < 60_000);
  const webhook = (await api.get<WebhookView>(`/webhooks/${webhookId}`)).body.data;
  assert.deepEqual(event, {
    ...{ id: eventId, type: 'webhook.test', apiVersion: 'v1', organizationId, channelId, sequence: null },
    data: { webhook },
  });
  assert.equal((await api.get(`/webhooks/deliveries/${id}`)).status, 404, 'there is none before the workers have it');
});

test('a delivery is ordered again as long as there is something to send', async () => {
  const at = await place();
  const { api, webhookId, organizationId } = at;
  await api.createTask();
  const { databaseUrl } = fixture.gateway;
  const id = await seedDelivery(databaseUrl, { organizationId, webhookId, sequence: 1, state: 'failed' });
  const { status, body } = await api.post(`/webhooks/deliveries/${id}/redeliver`, undefined);
  assert.deepEqual([status, body.data], [202, { id, state: 'pending', type: 'task.created', eventId: 'evt_seeded' }]);
  assert.deepEqual(await ordersOf(at), [{ ...NOTHING, kind: 'redelivery', deliveryId: id }]);
  const gone = await seedDelivery(databaseUrl, { organizationId, webhookId, sequence: 999 });
  const refused = await api.post(`/webhooks/deliveries/${gone}/redeliver`, undefined);
  assert.deepEqual([refused.status, refused.body.code], [410, 'EVENTS_EXPIRED']);
  assert.equal((await api.post('/webhooks/deliveries/999000111/redeliver', undefined)).status, 404);
});

/** Puts the events of the log at these minutes of an hour ago; undefined: they are no longer kept. */
async function dateLog(
  { organizationId }: Place,
  minutes: readonly (number | undefined)[],
): Promise<(minute: number) => string> {
  const hour = Date.now() - 3_600_000;
  const at = (minute: number) => new Date(hour + minute * 60_000).toISOString();
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`DELETE FROM events WHERE organization_id = ${organizationId}`;
    for (const [index, minute] of minutes.entries()) {
      if (minute === undefined) continue;
      await sql`
        INSERT INTO events (organization_id, sequence, at, type, epoch, body)
        VALUES (${organizationId}, ${index + 1}, ${at(minute)}, 'task.created', 1, '{}')`;
    }
    const last = minutes.findLast((minute) => minute !== undefined) ?? 0;
    await sql`
      UPDATE organization_heads SET last_sequence = ${minutes.length}, last_at = ${at(last)}
      WHERE organization_id = ${organizationId}`;
  });
  return at;
}

test('a replay is of the sequences that lie between two moments, both included', async () => {
  const at = await place();
  const time = await dateLog(at, [0, 5, 5, 10, 20, 20, 20, 30]);
  const expected = [
    [
      [-5, 59],
      [1, 8],
    ],
    [
      [0, 0],
      [1, 1],
    ],
    [
      [5, 10],
      [2, 4],
    ],
    [
      [1, 19],
      [2, 4],
    ],
    [
      [20, 20],
      [5, 7],
    ],
    [
      [30, undefined],
      [8, 8],
    ],
    [[6, 9], undefined],
    [[31, undefined], undefined],
  ] as const;
  for (const [[from, to], span] of expected) {
    const body = { from: time(from), ...(to === undefined ? {} : { to: time(to) }) };
    const reply = await at.api.post(`/webhooks/${at.webhookId}/replay`, body);
    assert.equal(reply.status, 202, reply.text);
    const [fromSequence, toSequence] = span ?? [null, null];
    const count = span ? span[1] - span[0] + 1 : 0;
    assert.deepEqual(reply.body.data, { fromSequence, toSequence, count }, `${from} to ${to}`);
  }
  assert.deepEqual(
    (await ordersOf(at)).map(({ kind, afterSequence, lastSequence }) => [kind, afterSequence! + 1, lastSequence]),
    expected.flatMap(([, span]) => (span ? [['replay', ...span]] : [])),
  );
});

test('a replay begins where the log begins, and is refused where nothing is left', async () => {
  const at = await place();
  const replay = (from: string, to: string) => at.api.post(`/webhooks/${at.webhookId}/replay`, { from, to });
  const none = await replay('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');
  assert.deepEqual([none.status, none.body.data], [202, { fromSequence: null, toSequence: null, count: 0 }]);
  const time = await dateLog(at, [undefined, undefined, 20, 30]);
  const partly = await replay(time(0), time(25));
  assert.deepEqual([partly.status, partly.body.data], [202, { fromSequence: 3, toSequence: 3, count: 1 }]);
  const below = await replay(time(0), time(19));
  assert.deepEqual([below.status, below.body.code], [410, 'EVENTS_EXPIRED']);
  const later = await replay(time(31), time(40));
  assert.deepEqual([later.status, later.body.data], [202, { fromSequence: null, toSequence: null, count: 0 }]);
  const emptied = await dateLog(at, [undefined, undefined]);
  assert.equal((await replay(emptied(-9), emptied(0))).status, 410);
  assert.equal((await replay(emptied(1), emptied(2))).status, 202);
});

test('all faults in the times of a replay are named', async () => {
  const { api, webhookId } = await place();
  const replay = async (body: object) => (await api.post(`/webhooks/${webhookId}/replay`, body)).body.message;
  assert.deepEqual(await replay({}), ['from is required']);
  assert.deepEqual(await replay({ from: 'yesterday', to: 7 }), [
    'from must be an ISO 8601 date-time with a zone or offset',
    'to must be a string',
  ]);
  assert.deepEqual(await replay({ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }), [
    'to must not be before from',
  ]);
});

test('so many orders of a webhook wait and no more, and a retry with the same key goes through once there is room', async () => {
  const at = await place();
  const { api, webhookId, organizationId } = at;
  const order = (key: string) => api.post(`/webhooks/${webhookId}/test`, undefined, { 'idempotency-key': key });
  const orders = Array.from({ length: LIMITS.webhookOrders }, (_, index) => order(`${index}`));
  for (const { status } of await Promise.all(orders)) assert.equal(status, 202);
  const refused = await order('late');
  assert.deepEqual([refused.status, refused.body.code], [429, 'TOO_MANY_ORDERS']);
  assert.equal(refused.headers['retry-after'], '1');
  assert.equal((await ordersOf(at)).length, LIMITS.webhookOrders);
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`DELETE FROM webhook_orders WHERE organization_id = ${organizationId}`,
  );
  assert.equal((await order('late')).status, 202);
});

test('the workers learn at once of registrations and orders', async () => {
  const { redisUrl, redisPrefix } = fixture.gateway.place;
  const redis = connectRedis(redisUrl, createLog('test', 'silent'), 'patient');
  try {
    const hinted = new Set<string>();
    redis.on('pmessage', (_pattern, _channel, message: string) => {
      for (const id of message.split(',')) hinted.add(id);
    });
    await redis.psubscribe(`${redisPrefix}:*:committed`);
    const { api, webhookId, organizationId } = await place();
    const isHinted = () => hinted.has(String(organizationId));
    await until('a hint of the webhook', isHinted);
    hinted.clear();
    await api.post(`/webhooks/${webhookId}/test`, undefined);
    await until('a hint of the order', isHinted);
  } finally {
    redis.disconnect();
  }
});

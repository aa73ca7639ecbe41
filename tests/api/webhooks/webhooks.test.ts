import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookPlace } from '../../../engine/store/secrets/stored-secret.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { WebhookView } from '../../../schema/notices/webhook.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { secretBox } from '../../support/secrets.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

type WebhookWithSecret = WebhookView & { readonly secret: string };
interface WebhookList {
  readonly items: WebhookView[];
  readonly count: number;
}

const fixture = useGateway({ organization: { role: 'org_admin' } });

const URL_GIVEN = 'https://1.1.1.1/hook?a=1';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const place = () => fixture.organization({ role: 'org_admin' });

async function createWebhook(fields: object = {}, api: ApiClient = fixture.api): Promise<WebhookWithSecret> {
  const reply = await api.post<WebhookWithSecret>('/webhooks', { url: URL_GIVEN, events: ['task.*'], ...fields });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

function withoutSecret({ secret: _secret, ...webhook }: WebhookWithSecret): WebhookView {
  return webhook;
}

function query<T extends object>(text: string, parameters: (string | number)[]): Promise<T[]> {
  return withSql(fixture.gateway.databaseUrl, async (sql) => [...(await sql.unsafe<T[]>(text, parameters))]);
}

interface StoredWebhook {
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly hoursLeft: number | null;
  readonly startSequence: number;
  readonly head: number;
  readonly isNew: boolean;
}

async function stored(webhookId: number): Promise<StoredWebhook> {
  const rows = await query<StoredWebhook & { organizationId: number }>(
    `SELECT organization_id, sealed_secret AS secret, sealed_previous_secret AS previous_secret, extract(epoch FROM previous_secret_until - updated_at)::float8 / 3600 AS hours_left,
       start_sequence, last_sequence AS head, active_since >= updated_at - interval '1 second' AS is_new
     FROM webhooks JOIN organization_heads USING (organization_id) WHERE id = $1`,
    [webhookId],
  );
  const { organizationId, secret, previousSecret, ...rest } = rows[0]!;
  const opened = (text: string) => secretBox.open(text, webhookPlace(organizationId, webhookId));
  return { ...rest, secret: opened(secret), previousSecret: previousSecret && opened(previousSecret) };
}

/** The rows that the workers write for an endpoint that they have given up. */
async function disable(webhookId: number, reason: 'gone' | 'failing'): Promise<void> {
  await query(
    `INSERT INTO webhook_followers (organization_id, webhook_id, last_sequence, failures, failing_since, disabled_at,
       disabled_reason)
     SELECT organization_id, id, start_sequence, 7, now(), now() + interval '1 minute', $2 FROM webhooks WHERE id = $1`,
    [webhookId, reason],
  );
}

test('a webhook is created with a secret that is shown once, and receives events from then on', async () => {
  const { api, channelId } = await place();
  await api.createTask();
  const made = await createWebhook(
    {
      events: ['task.*', 'agent.locations_updated', 'payment.failed', 'task.*'],
      ...{ statuses: ['completed'], channelIds: [channelId], description: 'CRM', concurrency: 4 },
    },
    api,
  );
  const { secret, ...webhook } = made;
  assert.match(secret, SECRET);
  const { id, createdAt, updatedAt, ...rest } = webhook;
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    url: URL_GIVEN,
    events: ['task.*', 'agent.locations_updated', 'payment.failed'],
    ...{ statuses: ['completed'], channelIds: [channelId], channelId: null, description: 'CRM', concurrency: 4 },
    ...{ isActive: true, status: 'active', disabledReason: null, disabledAt: null, failingSince: null },
  });
  const read = await api.get<WebhookView>(`/webhooks/${id}`);
  assert.deepEqual(read.body.data, webhook);
  assert.match(read.body.metadata.position, /^[a-z0-9]+-1$/);
  const row = await stored(id);
  assert.deepEqual([row.secret, row.previousSecret, row.startSequence], [secret, null, 1]);
});

test('by itself nothing is narrowed, and one attempt at a time is under way', async () => {
  const { statuses, channelIds, description, concurrency } = await createWebhook();
  assert.deepEqual([statuses, channelIds, description, concurrency], [null, null, null, 1]);
});

test('every violation is named at once, and none is kept under an Idempotency-Key', async () => {
  const key = { 'idempotency-key': 'first wrong, then right' };
  const wrong = {
    ...{ url: 'ftp://1.1.1.1', events: ['task'], statuses: [], channelIds: [0] },
    ...{ description: 7, concurrency: LIMITS.webhookConcurrency + 1 },
  };
  const { status, body } = await fixture.api.post('/webhooks', wrong, key);
  assert.equal(status, 400);
  const [urlTold, eventsTold, ...others] = body.message;
  assert.equal(urlTold, 'url must begin with https:// or http://');
  assert.match(eventsTold!, /^events\.0 must be one of: \*, task\.\*, .*payment\.refunded, agent\.locations_updated$/);
  assert.deepEqual(others, [
    'statuses must not be empty',
    'channelIds.0 must be a positive integer',
    'description must be a string',
    'concurrency must be an integer between 1 and 16',
  ]);
  assert.equal((await fixture.api.post('/webhooks', { url: URL_GIVEN, events: ['*'] }, key)).status, 201);
  const { id } = await createWebhook();
  const changed = await fixture.api.patch(`/webhooks/${id}`, { events: [], isActive: 'yes', concurrency: 1.5 });
  assert.deepEqual(changed.body.message, [
    'events must not be empty',
    'concurrency must be an integer between 1 and 16',
    'isActive must be a boolean',
  ]);
});

/** Every URL stands in tests/unit/runtime/check-webhook-url.test.ts. */
for (const [url, told] of [
  ['https://1.1.1.1/a b', 'must not contain spaces or control characters'],
  [`https://1.1.1.1/${'x'.repeat(LIMITS.webhookUrlChars)}`, `must be at most ${LIMITS.webhookUrlChars} characters`],
  ['http://169.254.169.254/latest', 'must not lead to a private address'],
] as const) {
  test(`nothing is sent to ${url.slice(0, 40)}: it ${told}`, async () => {
    const { id } = await createWebhook();
    for (const reply of [
      await fixture.api.post('/webhooks', { url, events: ['*'] }),
      await fixture.api.patch(`/webhooks/${id}`, { url }),
    ])
      assert.deepEqual([reply.status, reply.body.message], [400, [`url ${told}`]]);
    assert.equal((await fixture.api.get<WebhookView>(`/webhooks/${id}`)).body.data.url, URL_GIVEN);
  });
}

test('a URL that leads to a private address is reported before an unknown webhook, and after a kept answer', async () => {
  const url = 'http://127.0.0.1/';
  assert.equal((await fixture.api.patch('/webhooks/999000111', { url })).status, 400);
  const key = { 'idempotency-key': 'used for another payload' };
  assert.equal((await fixture.api.post('/webhooks', { url: URL_GIVEN, events: ['*'] }, key)).status, 201);
  const reused = await fixture.api.post('/webhooks', { url, events: ['*'] }, key);
  assert.deepEqual([reused.status, reused.body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
});

test('webhooks are listed newest first, page by page and by status, and no secret is shown again', async () => {
  const { api } = await place();
  const made: WebhookWithSecret[] = [];
  for (const description of ['one', 'two', 'three']) made.push(await createWebhook({ description }, api));
  const [one, two, three] = made.map(withoutSecret) as [WebhookView, WebhookView, WebhookView];
  const all = await api.get<WebhookList>('/webhooks');
  assert.deepEqual(all.body.data, { items: [three, two, one], count: 3, nextCursor: null });
  for (const { secret } of made) assert.ok(!all.text.includes(secret));
  const second = await api.get<WebhookList>('/webhooks?limit=2&page=2');
  assert.deepEqual(second.body.data, { items: [one], count: 3, nextCursor: null });
  await api.patch(`/webhooks/${one.id}`, { isActive: false });
  await disable(two.id, 'gone');
  for (const [status, id] of Object.entries({ inactive: one.id, disabled: two.id, active: three.id })) {
    const { items, count } = (await api.get<WebhookList>(`/webhooks?status=${status}`)).body.data;
    assert.deepEqual([items.map((item) => [item.id, item.status]), count], [[[id, status]], 1]);
  }
  const either = (await api.get<WebhookList>('/webhooks?status=inactive,disabled')).body.data;
  assert.deepEqual([either.items.map(({ id }) => id), either.count], [[two.id, one.id], 2]);
  for (const bad of ['limit=101', 'page=0', 'status=on', 'status=active,on'])
    assert.equal((await api.get(`/webhooks?${bad}`)).status, 400);
});

test('only the fields that are sent change; null takes a filter away', async () => {
  const fields = { statuses: ['completed', 'cancelled'], channelIds: [fixture.gateway.channelId], description: 'CRM' };
  const before = withoutSecret(await createWebhook(fields));
  const path = `/webhooks/${before.id}`;
  const change = { url: 'https://1.0.0.1/', events: ['*'], statuses: null, concurrency: 2 };
  const first = (await fixture.api.patch<WebhookView>(path, change)).body.data;
  assert.deepEqual(first, { ...before, ...change, updatedAt: first.updatedAt });
  const second = (await fixture.api.patch<WebhookView>(path, { channelIds: null, description: null })).body.data;
  assert.deepEqual(second, { ...first, channelIds: null, description: null, updatedAt: second.updatedAt });
  const ignored = {
    id: 4,
    channelId: 1,
    secret: 'whsec_x',
    status: 'disabled',
    url: null,
    events: null,
    isActive: null,
  };
  assert.deepEqual((await fixture.api.patch<WebhookView>(path, ignored)).body.data, second);
});

test('a webhook that is switched on again starts at the present end of the log', async () => {
  const { api } = await place();
  const { id } = await createWebhook({}, api);
  const path = `/webhooks/${id}`;
  await api.createTask();
  const same = (await api.patch<WebhookView>(path, { isActive: true })).body.data;
  assert.deepEqual([same.status, (await stored(id)).startSequence], ['active', 0], 'it was on all the time');
  const off = (await api.patch<WebhookView>(path, { isActive: false })).body.data;
  assert.deepEqual([off.isActive, off.status, (await stored(id)).startSequence], [false, 'inactive', 0]);
  await api.createTask();
  const on = (await api.patch<WebhookView>(path, { isActive: true })).body.data;
  assert.deepEqual([on.isActive, on.status], [true, 'active']);
  const row = await stored(id);
  assert.deepEqual([row.startSequence, row.isNew], [2, true]);
});

test('a webhook that the workers disabled shows the reason, and works again when it is switched on', async () => {
  const { api } = await place();
  const { id, url } = await createWebhook({}, api);
  await disable(id, 'failing');
  const { data } = (await api.get<WebhookView>(`/webhooks/${id}`)).body;
  assert.deepEqual([data.isActive, data.status, data.disabledReason], [true, 'disabled', 'failing']);
  assert.notEqual(data.failingSince, null);
  assert.ok(data.disabledAt! > data.failingSince!);
  const changed = (await api.patch<WebhookView>(`/webhooks/${id}`, { description: 'still off' })).body.data;
  assert.equal(changed.status, 'disabled');
  await api.createTask();
  // The clock of the worker that disabled it was a minute ahead.
  const on = (await api.patch<WebhookView>(`/webhooks/${id}`, { isActive: true, url })).body.data;
  const health = { status: 'active', disabledReason: null, disabledAt: null, failingSince: null };
  assert.deepEqual(on, { ...changed, ...health, updatedAt: on.updatedAt });
  assert.deepEqual((await api.get<WebhookView>(`/webhooks/${id}`)).body.data, on);
  assert.equal((await stored(id)).startSequence, 1);
});

test('a rotated secret is shown once, and the last one signs along for a day', async () => {
  const { secret: first, ...webhook } = await createWebhook();
  const rotate = () => fixture.api.post<WebhookWithSecret>(`/webhooks/${webhook.id}/rotate-secret`, undefined);
  const { status, body } = await rotate();
  assert.equal(status, 200);
  const { secret: second, updatedAt, ...rest } = body.data;
  assert.match(second, SECRET);
  assert.deepEqual({ ...rest, updatedAt: webhook.updatedAt }, webhook);
  const row = await stored(webhook.id);
  assert.deepEqual([row.secret, row.previousSecret, row.hoursLeft], [second, first, 24]);
});

test('a rotation that is repeated within ten minutes replaces the new secret, and a later one ends the old', async () => {
  const { secret: first, id } = await createWebhook();
  const rotate = async () =>
    (await fixture.api.post<WebhookWithSecret>(`/webhooks/${id}/rotate-secret`, undefined)).body.data.secret;
  const passMinutes = (minutes: number) =>
    query(
      `UPDATE webhooks SET previous_secret_until = previous_secret_until - $2 * interval '1 minute' WHERE id = $1`,
      [id, minutes],
    );
  const secrets = [first, await rotate()];
  await passMinutes(9);
  secrets.push(await rotate());
  const repeated = await stored(id);
  assert.deepEqual([repeated.secret, repeated.previousSecret], [secrets[2], first], 'the receiver has the first one');
  await passMinutes(2);
  secrets.push(await rotate());
  const later = await stored(id);
  assert.deepEqual([later.secret, later.previousSecret, later.hoursLeft], [secrets[3], secrets[2], 24]);
  assert.equal(new Set(secrets).size, 4);
});

test('a deleted webhook is gone with its orders and what the workers noted of it', async () => {
  const { api } = await place();
  const { id } = await createWebhook({}, api);
  const { id: kept } = await createWebhook({}, api);
  for (const webhookId of [id, kept]) {
    await disable(webhookId, 'gone');
    assert.equal((await api.post(`/webhooks/${webhookId}/test`, undefined)).status, 202);
  }
  const remove = () => api.delete(`/webhooks/${id}`);
  const { status, body } = await remove();
  assert.deepEqual([status, body.data], [200, {}]);
  assert.equal((await remove()).status, 404);
  assert.equal((await api.get(`/webhooks/${id}`)).status, 404);
  const left = await query<{ webhookId: number }>(
    `SELECT id AS webhook_id FROM webhooks WHERE id = ANY($1::bigint[])
     UNION ALL SELECT webhook_id FROM webhook_orders WHERE webhook_id = ANY($1::bigint[])
     UNION ALL SELECT webhook_id FROM webhook_followers WHERE webhook_id = ANY($1::bigint[])`,
    [`{${id},${kept}}`],
  );
  assert.deepEqual(
    left.map(({ webhookId }) => webhookId),
    [kept, kept, kept],
  );
});

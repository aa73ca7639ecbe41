import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attempt, DeliveryView, WebhookView } from '../../../schema/notices/webhook.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { type SeededOrganization, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { seedDelivery } from './seed-delivery.ts';

/** The consequences of a change of a webhook for its health, and for deliveries that wait to be sent again. */

const fixture = useGateway({ organization: { role: 'org_admin' } });

const FAILED: Attempt = { at: '2026-11-20T08:00:00.000Z', status: 503, error: null, excerpt: '', durationMs: 7 };

type Place = SeededOrganization & { readonly api: ApiClient; readonly webhook: WebhookView; readonly path: string };

/** A webhook whose endpoint has failed for four days and asked for a pause of one; two deliveries wait. */
async function failingPlace(): Promise<Place> {
  const seeded = await fixture.organization({ role: 'org_admin' });
  const hook = { url: 'https://1.1.1.1/hook', events: ['*'] };
  const { id } = (await seeded.api.post<WebhookView>('/webhooks', hook)).body.data;
  await query(`UPDATE webhooks SET active_since = now() - interval '9 days' WHERE id = $1`, id);
  await query(
    `INSERT INTO webhook_followers (organization_id, webhook_id, last_sequence, lease, leased_until, failures,
       failing_since, paused_until, next_due_at)
     SELECT organization_id, id, start_sequence, gen_random_uuid(), now() + interval '10 seconds', 7,
       now() - interval '4 days', now() + interval '1 day', now() + interval '1 day' FROM webhooks WHERE id = $1`,
    id,
  );
  const { organizationId } = seeded;
  for (const attempts of [[FAILED], [FAILED, FAILED]])
    await seedDelivery(fixture.gateway.databaseUrl, {
      ...{ organizationId, webhookId: id, sequence: null, body: '{}' },
      ...{ state: 'pending', attempts },
    });
  await query(
    `UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 day'
     WHERE webhook_id = $1 AND state = 'pending'`,
    id,
  );
  await seedDelivery(fixture.gateway.databaseUrl, {
    ...{ organizationId, webhookId: id, sequence: null, body: '{}', attempts: [FAILED] },
  });
  const webhook = (await seeded.api.get<WebhookView>(`/webhooks/${id}`)).body.data;
  return { ...seeded, webhook, path: `/webhooks/${id}` };
}

function query<T extends object>(text: string, webhookId: number): Promise<T[]> {
  return withSql(fixture.gateway.databaseUrl, async (sql) => [...(await sql.unsafe<T[]>(text, [webhookId]))]);
}

interface Health {
  readonly isHeld: boolean;
  readonly failures: number;
  readonly isFailing: boolean;
  readonly isPaused: boolean;
  readonly isDue: boolean | null;
}

async function healthOf({ webhook }: Place): Promise<Health | undefined> {
  const rows = await query<Health>(
    `SELECT lease IS NOT NULL AS is_held, failures, failing_since IS NOT NULL AS is_failing,
       paused_until IS NOT NULL AS is_paused, next_due_at <= now() AS is_due
     FROM webhook_followers WHERE webhook_id = $1`,
    webhook.id,
  );
  return rows[0] && { ...rows[0] };
}

/** Oldest first. */
async function deliveriesOf({ api, path }: Place): Promise<DeliveryView[]> {
  return (await api.get<{ items: DeliveryView[] }>(`${path}/deliveries`)).body.data.items.toReversed();
}

const statesOf = async (at: Place) => (await deliveriesOf(at)).map(({ state }) => state);
const change = async ({ api, path }: Place, fields: object) => (await api.patch<WebhookView>(path, fields)).body.data;

const OLD: Health = { isHeld: true, failures: 7, isFailing: true, isPaused: true, isDue: false };

test('a webhook with another address has no failures and no pause, and what waits is tried again at once', async () => {
  const at = await failingPlace();
  assert.notEqual(at.webhook.failingSince, null);
  const moved = await change(at, { url: 'https://1.1.1.1/other' });
  assert.deepEqual([moved.status, moved.failingSince], ['active', null]);
  assert.deepEqual((await at.api.get<WebhookView>(at.path)).body.data, moved);
  const fresh = { isHeld: false, failures: 0, isFailing: false, isPaused: false, isDue: true };
  assert.deepEqual(await healthOf(at), fresh, 'its holder writes nothing more of the old address');
  const deliveries = await deliveriesOf(at);
  assert.deepEqual(
    deliveries.map(({ state, attempt }) => [state, attempt]),
    [
      ['pending', 1],
      ['pending', 2],
      ['succeeded', 1],
    ],
  );
  const times = deliveries.slice(0, 2).map(({ nextAttemptAt }) => Date.parse(nextAttemptAt!));
  assert.ok(Math.max(...times) <= Date.now() + 60_000, 'the pause that the old address asked for is over');
  assert.equal(times[0], times[1], 'the oldest goes first');
});

test('a change that leaves the address keeps the health, also when it is only spelled in another way', async () => {
  const at = await failingPlace();
  const { url, failingSince } = at.webhook;
  for (const fields of [
    { url, description: 'CRM' },
    { isActive: true, concurrency: 3 },
    { url: 'HTTPS://1.1.1.1:443/hook' },
  ])
    assert.equal((await change(at, fields)).failingSince, failingSince);
  assert.deepEqual(await healthOf(at), OLD);
  const [first] = await deliveriesOf(at);
  assert.ok(Date.parse(first!.nextAttemptAt!) > Date.now() + 60_000);
});

test('the address of one that is disabled or switched off changes nothing but that', async () => {
  const at = await failingPlace();
  await query(
    `UPDATE webhook_followers SET disabled_at = now(), disabled_reason = 'failing' WHERE webhook_id = $1`,
    at.webhook.id,
  );
  const disabled = await change(at, { url: 'https://1.1.1.1/second' });
  assert.deepEqual([disabled.status, disabled.failingSince], ['disabled', at.webhook.failingSince]);
  assert.deepEqual(await healthOf(at), OLD);
  const off = await change(at, { isActive: false, url: 'https://1.1.1.1/third' });
  assert.equal((await change(at, { url: 'https://1.1.1.1/fourth' })).status, off.status);
  assert.equal((await healthOf(at))!.failures, OLD.failures);
});

test('a webhook that is switched off tries nothing again: what waits has failed, says why, and can be ordered', async () => {
  const at = await failingPlace();
  await change(at, { isActive: false });
  const deliveries = await deliveriesOf(at);
  assert.deepEqual(
    deliveries.map(({ state, attempt, attempts, nextAttemptAt }) => [state, attempt, attempts.length, nextAttemptAt]),
    [
      ['failed', 2, 2, null],
      ['failed', 3, 3, null],
      ['succeeded', 1, 1, null],
    ],
  );
  const { at: endedAt, ...told } = deliveries[1]!.attempts[2]!;
  assert.deepEqual(told, { status: null, error: 'the webhook was switched off', excerpt: null, durationMs: 0 });
  assert.ok(Math.abs(Date.parse(endedAt) - Date.now()) < 60_000);
  assert.deepEqual(deliveries[1]!.attempts.slice(0, 2), [FAILED, FAILED]);
  const { isDue, isHeld } = (await healthOf(at))!;
  assert.deepEqual([isDue, isHeld], [null, true], 'its holder writes what is under way');
  assert.equal((await at.api.post(`/webhooks/deliveries/${deliveries[0]!.id}/redeliver`, undefined)).status, 202);
});

test('a webhook that is switched on sends nothing of before, even what an earlier release left waiting', async () => {
  const at = await failingPlace();
  await query(
    `UPDATE webhook_followers SET disabled_at = now(), disabled_reason = 'gone' WHERE webhook_id = $1`,
    at.webhook.id,
  );
  assert.deepEqual(await statesOf(at), ['pending', 'pending', 'succeeded']);
  await change(at, { isActive: true });
  assert.deepEqual(await statesOf(at), ['failed', 'failed', 'succeeded']);
  const [first] = await deliveriesOf(at);
  assert.equal(first!.attempts.at(-1)!.error, 'the webhook was disabled');
  assert.equal((await healthOf(at))!.isHeld, false, 'its holder writes nothing of before');
});

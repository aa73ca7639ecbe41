import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Sql } from '../../../engine/store/postgres.ts';
import { createDeliveryStore } from '../../../engine/store/webhooks/delivery-store.ts';
import { createFollowerStore } from '../../../engine/store/webhooks/follower-store.ts';
import { secretBox } from '../../support/secrets.ts';
import { until } from '../../support/until.ts';
import { createRunnerPlace, type RunnerPlace } from './endpoint-runner-place.ts';

let place: RunnerPlace;
before(async () => {
  place = await createRunnerPlace();
});
after(() => place.drop());

test('deliveries that are queued while their webhook is released are due at once', async () => {
  const key = await place.addWebhook();
  const followers = createFollowerStore(place.sql, secretBox);
  const lease = randomUUID();
  const isDue = async () => {
    const [row] = await place.sql<{ isDue: boolean | null }[]>`
      SELECT next_due_at <= now() AS is_due FROM webhook_followers
      WHERE organization_id = ${key.organizationId} AND webhook_id = ${key.webhookId}`;
    return row!.isDue;
  };
  assert.ok(await followers.lease(key, lease));
  const released = await place.sql.begin(async (transaction) => {
    const beside = transaction as unknown as Sql;
    const now = new Date().toISOString();
    const event = { eventId: 'evt_late', type: 'agent.locations_updated', body: '{}' };
    await createDeliveryStore(beside).queuePositions(key, now, [event]);
    const release = followers.release(key, lease);
    await until('the release waits', async () => {
      const waiting = await place.sql`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return waiting.length > 0;
    });
    return { release };
  });
  await released.release;
  assert.equal(await isDue(), true);
  // The next holder finds the delivery, whose time then counts again.
  assert.ok(await followers.lease(key, lease));
  await place.sql`UPDATE webhook_deliveries SET state = 'succeeded', next_attempt_at = NULL`;
  await followers.release(key, lease);
  assert.equal(await isDue(), null);
});

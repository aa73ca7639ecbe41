import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../schema/limits.ts';
import { createApiClient } from '../support/api-client.ts';
import { Journal } from '../support/journal.ts';
import { assertKeptPromises } from './support/final-rows.ts';
import { runLoad, sendOverHttp } from './support/journaled-load.ts';
import { startWebhookSystem } from './support/webhook-system.ts';

const TASKS = 100;

test('workers killed with -9, and a Redis emptied, during 200 changes keep no event from any webhook', async () => {
  const webhooks = await startWebhookSystem();
  const { system } = webhooks;
  const { place } = system;
  const journal = new Journal();
  const client = createApiClient({ baseUrl: system.baseUrl, key: place.key });
  try {
    await Promise.all([system.startGateway(), webhooks.startWorkers()]);
    const ordered = await webhooks.register('in-order', place);
    await webhooks.register('four-at-once', place, 4);
    const load = runLoad({
      journal,
      send: sendOverHttp(() => [client]),
      organizationIds: [place.organizationId],
      connections: 4,
      tasks: TASKS,
      name: 'task',
      mixed: true,
    });
    load.catch(() => {});
    await webhooks.untilArrived(ordered, TASKS / 3);
    await webhooks.killWorkers();
    await webhooks.letLeasesPass();
    await webhooks.startWorkers();
    await webhooks.untilArrived(ordered, (2 * TASKS) / 3);
    await webhooks.emptyRedis();
    await load;
    await webhooks.untilDelivered();
    await webhooks.assertDelivered(webhooks.webhooks.length * LIMITS.webhookUnrecorded);
    await assertKeptPromises(journal, place.databaseUrl);
    assert.ok(ordered.arrivals.length > 1.5 * TASKS, `only ${ordered.arrivals.length} changes arrived`);
  } finally {
    client.close();
    await webhooks.stop();
  }
});

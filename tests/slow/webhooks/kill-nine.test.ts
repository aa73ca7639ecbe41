import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertKeptPromises } from '../../faults/support/final-rows.ts';
import { type FollowedStream, followStream } from '../../faults/support/followed-stream.ts';
import { byOrganization, runLoad, sendOverHttp } from '../../faults/support/journaled-load.ts';
import { type RegisteredWebhook, startWebhookSystem, type WebhookSystem } from '../../faults/support/webhook-system.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { Journal } from '../../support/journal.ts';
import type { SeededOrganization } from '../../support/seeds/seed.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';

/** About two changes come of each. */
const TASKS = 2_600;
const CHANGES = 5_000;
const CONNECTIONS = 16;
/** Spread evenly over the load. */
const CRASHES = 3;
const MOST_DUPLICATES = 0.01;
/** Deliveries that have failed and wait for hours: of tasks, one of which is cancelled. */
const [LATER_TASKS, LATER] = [3, 4];

interface Crash {
  readonly what: string;
  crash(webhooks: WebhookSystem): Promise<void>;
  /** The time that it takes to go on. */
  recover(webhooks: WebhookSystem): Promise<void>;
}

const crashes: readonly Crash[] = [
  {
    what: 'a gateway killed with -9',
    crash: ({ system }) => system.killGateway(),
    recover: async ({ system }) => void (await system.startGateway()),
  },
  {
    what: 'workers killed with -9',
    crash: (webhooks) => webhooks.killWorkers(),
    recover: (webhooks) => webhooks.startWorkers(),
  },
  { what: 'a Redis emptied', crash: (webhooks) => webhooks.emptyRedis(), recover: async () => {} },
];

for (const crash of crashes) {
  test(`${crash.what} amid 5,000 changes keeps no event from three webhooks, nor from streams elsewhere`, (t) =>
    survive(t, crash));
}

/** Everything at once: webhooks under load, deliveries that wait for hours, an organization that falls silent, streams. */
async function survive(t: TestContext, { crash, recover }: Crash): Promise<void> {
  const webhooks = await startWebhookSystem({ organizations: 2 });
  const { system } = webhooks;
  const [busy, silent] = system.organizations as [SeededOrganization, SeededOrganization];
  const journal = new Journal();
  const clients: ApiClient[] = [];
  let other: TestGateway | undefined;
  let stream: FollowedStream | undefined;
  try {
    await system.startGateway();
    const environment = { ...webhooks.environment, GATEWAY_ID: 'other' };
    other = await startTestGateway({ place: system.place, process: true, environment });
    await webhooks.startWorkers();
    const baseUrls = [system.baseUrl, other.baseUrl];
    const clientsOf = byOrganization([busy, silent], ({ key }) =>
      baseUrls.map((baseUrl) => createApiClient({ baseUrl, key })),
    );
    clients.push(...[busy, silent].flatMap(({ organizationId }) => clientsOf(organizationId)));
    stream = await followStream(journal, other.baseUrl, busy);
    for (const name of ['one', 'two', 'three']) await webhooks.register(name, busy);
    const common = { journal, send: sendOverHttp(clientsOf), connections: CONNECTIONS };
    const ofBusy = { ...common, organizationIds: [busy.organizationId] };
    const makeEarly = () => runLoad({ ...ofBusy, tasks: LATER_TASKS, name: 'early' });
    const waiting = await makeWait(webhooks, webhooks.webhooks[2]!, makeEarly);

    const load = runLoad({ ...ofBusy, tasks: TASKS, name: 'task', mixed: true });
    load.catch(() => {});
    for (let number = 1; number <= CRASHES; number++) {
      await webhooks.untilArrived(webhooks.webhooks[0]!, (CHANGES * number) / (CRASHES + 1));
      await crash(webhooks);
      await recover(webhooks);
    }
    await load;
    const hush = await webhooks.register('silent', silent);
    // Nothing comes after these that would draw attention to them.
    await runLoad({ ...common, organizationIds: [silent.organizationId], tasks: 1, name: 'last' });
    await crash(webhooks);
    await recover(webhooks);
    await webhooks.untilDelivered([hush]);
    await assertStillWaiting(webhooks, waiting);
    await webhooks.untilDelivered();

    const last = Math.max(...webhooks.webhooks[0]!.arrivals.map(({ sequence }) => sequence!));
    await stream.reaches(last);
    await assertKeptPromises(journal, system.place.databaseUrl);
    assert.ok(last >= CHANGES, `only ${last} changes were made`);
    const arrivals = webhooks.webhooks.reduce((sum, webhook) => sum + webhook.arrivals.length, 0);
    const duplicates = await webhooks.assertDelivered(arrivals * MOST_DUPLICATES);
    t.diagnostic(`${last} events, ${arrivals} arrivals, ${duplicates} came twice`);
  } finally {
    stream?.stop();
    for (const client of clients) client.close();
    await other?.stop();
    await webhooks.stop();
  }
}

/** Has a webhook refuse some events, and puts their next attempts off for hours. Resolves to their sequences. */
async function makeWait(
  webhooks: WebhookSystem,
  webhook: RegisteredWebhook,
  makeEarly: () => Promise<void>,
): Promise<number[]> {
  webhook.behave(503);
  await makeEarly();
  await until('the failures are written', async () => (await pendingOf(webhooks, webhook)).length === LATER);
  await putOff(webhooks, webhook, 3);
  webhook.behave(204);
  return (await pendingOf(webhooks, webhook)).map(({ sequence }) => sequence);
}

/** Waiting deliveries have waited all the time; each comes when its time has come. */
async function assertStillWaiting(webhooks: WebhookSystem, waiting: readonly number[]): Promise<void> {
  const webhook = webhooks.webhooks[2]!;
  const pending = await pendingOf(webhooks, webhook);
  assert.deepEqual(
    pending.filter(({ hours }) => hours > 2).map(({ sequence }) => sequence),
    waiting,
  );
  await putOff(webhooks, webhook, 0);
}

interface PendingRow {
  readonly sequence: number;
  readonly hours: number;
}

function pendingOf(webhooks: WebhookSystem, webhook: RegisteredWebhook): Promise<PendingRow[]> {
  const { organizationId, webhookId } = webhook;
  return withSql(webhooks.system.place.databaseUrl, async (sql) => [
    ...(await sql<PendingRow[]>`
      SELECT sequence, extract(epoch FROM next_attempt_at - now())::float8 / 3600 AS hours FROM webhook_deliveries
      WHERE organization_id = ${organizationId} AND webhook_id = ${webhookId} AND state = 'pending' ORDER BY sequence`),
  ]);
}

async function putOff(webhooks: WebhookSystem, webhook: RegisteredWebhook, hours: number): Promise<void> {
  const { organizationId, webhookId } = webhook;
  await withSql(webhooks.system.place.databaseUrl, async (sql) => {
    const then = sql`now() + ${hours} * interval '1 hour'`;
    await sql`
      UPDATE webhook_deliveries SET next_attempt_at = ${then}
      WHERE organization_id = ${organizationId} AND webhook_id = ${webhookId} AND state = 'pending'`;
    await sql`
      UPDATE webhook_followers SET next_due_at = ${then}
      WHERE organization_id = ${organizationId} AND webhook_id = ${webhookId}`;
  });
}

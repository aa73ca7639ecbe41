import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { type Clock, systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createLogStore } from '../../../engine/store/log/event-log-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import { createDeliveryStore, type DeliveryStore } from '../../../engine/store/webhooks/delivery-store.ts';
import { createFollowerStore, type EndpointKey } from '../../../engine/store/webhooks/follower-store.ts';
import type { Attempt, WebhookRecord } from '../../../schema/notices/webhook.ts';
import { AttemptCounts } from '../../../workers/webhooks/attempt-counts.ts';
import { EndpointRunner } from '../../../workers/webhooks/endpoint-runner.ts';
import { OutcomeWriter } from '../../../workers/webhooks/outcome-writer.ts';
import type { DeliverySender, SendOutcome } from '../../../workers/webhooks/send-delivery.ts';
import { secretBox } from '../../support/secrets.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { createMigratedDatabase } from '../../support/stores.ts';

export type Sent = Parameters<DeliverySender['send']>[0];
/** The endpoint's behaviour where it differs from a 204 at once. */
type Endpoint = (sent: Sent) => Promise<Partial<SendOutcome>> | Partial<SendOutcome>;

export const accepts: Endpoint = () => ({});
export const fails: Endpoint = () => ({ isSuccess: false, status: 500 });

interface DeliveryRow {
  readonly id: number;
  readonly eventId: string;
  readonly type: string;
  readonly sequence: number | null;
  readonly state: string;
  readonly attempt: number;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt: string | null;
}

interface FollowerRow {
  readonly lastSequence: number;
  readonly lease: string | null;
  readonly failures: number;
  readonly pausedUntil: string | null;
  readonly disabledReason: string | null;
  readonly nextDueAt: string | null;
}

interface EndpointRunnerOptions {
  /** Makes a store of its own of the deliveries'. */
  readonly wrap?: (store: DeliveryStore) => DeliveryStore;
  readonly clock?: Clock;
}

/** Postgres with one organization, whose log tests write themselves, and runners that send to functions. */
export interface RunnerPlace {
  readonly sql: Sql;
  readonly organizationId: number;
  /** Commits events of these types, each with the next sequence. */
  commit(...types: readonly string[]): Promise<void>;
  /** A webhook that receives the commits from now on. */
  addWebhook(webhook?: Partial<WebhookRecord>): Promise<EndpointKey>;
  /** A process's runner that sends to `endpoint`, and what it sent. */
  openEndpointRunner(
    endpoint: Endpoint,
    options?: EndpointRunnerOptions,
  ): { readonly runner: EndpointRunner; readonly sent: Sent[] };
  serve(runner: EndpointRunner, key: EndpointKey): Promise<void>;
  deliveries(key: EndpointKey): Promise<DeliveryRow[]>;
  follower(key: EndpointKey): Promise<FollowerRow>;
  /** Lets the time pass that retries and a pause of the endpoint take. */
  letPausesPass(key: EndpointKey): Promise<void>;
  drop(): Promise<void>;
}

export async function createRunnerPlace(): Promise<RunnerPlace> {
  const database = await createMigratedDatabase();
  const { organizationId } = await seedOrganization(database.url);
  const sql = connectPostgres(database.url, { name: 'test', connections: 6, statementTimeoutMs: 30_000 });
  const runners: EndpointRunner[] = [];
  return {
    sql,
    organizationId,
    async commit(...types) {
      const events = JSON.stringify(types.map((type) => JSON.stringify({ type, data: {} })));
      await sql`
        WITH head AS (
          UPDATE organization_heads SET last_sequence = last_sequence + ${types.length}
          WHERE organization_id = ${organizationId} RETURNING last_sequence)
        INSERT INTO events (organization_id, sequence, at, type, epoch, body)
          SELECT ${organizationId}, sequence, now(), rest::json ->> 'type', 1,
            '{"id":"evt_h0_1_' || sequence || '",' || substr(rest, 2)
          FROM head, json_array_elements_text(${events}::text::json) WITH ORDINALITY AS t(rest, nth),
            LATERAL (SELECT last_sequence - ${types.length} + nth AS sequence) AS s`;
    },
    addWebhook: (webhook) => insertWebhook(sql, organizationId, webhook),
    openEndpointRunner(endpoint, { wrap = (store: DeliveryStore) => store, clock = systemClock } = {}) {
      const sent: Sent[] = [];
      const runner = createEndpointRunner(sql, wrap(createDeliveryStore(sql)), clock, async (request) => {
        sent.push(request);
        return { ...ANSWERED, ...(await endpoint(request)) };
      });
      runners.push(runner);
      return { runner, sent };
    },
    serve: (runner, key) => runner.serve(key, new AbortController().signal),
    async deliveries({ webhookId }) {
      const rows = await sql<DeliveryRow[]>`
        SELECT id, event_id, type, sequence, state, attempt, attempts, next_attempt_at FROM webhook_deliveries
        WHERE webhook_id = ${webhookId} ORDER BY id`;
      return [...rows];
    },
    async follower({ webhookId }) {
      const [row] = await sql<FollowerRow[]>`SELECT * FROM webhook_followers WHERE webhook_id = ${webhookId}`;
      return row!;
    },
    async letPausesPass({ webhookId }) {
      await sql`
        UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 s'
        WHERE webhook_id = ${webhookId} AND state = 'pending'`;
      await sql`
        UPDATE webhook_followers SET next_due_at = now(), paused_until = paused_until - interval '1 day'
        WHERE webhook_id = ${webhookId}`;
    },
    async drop() {
      for (const runner of runners) runner.stop();
      await sql.end({ timeout: 5 });
      await database.drop();
    },
  };
}

const ANSWERED: SendOutcome = {
  atMs: 0,
  status: 204,
  error: null,
  excerpt: '',
  durationMs: 1,
  retryAfterMs: undefined,
  isSuccess: true,
  isGone: false,
};

function createEndpointRunner(
  sql: Sql,
  deliveries: DeliveryStore,
  clock: Clock,
  send: DeliverySender['send'],
): EndpointRunner {
  const lease = randomUUID();
  return new EndpointRunner({
    followers: createFollowerStore(sql, secretBox),
    deliveries,
    events: createLogStore(sql),
    writer: new OutcomeWriter(deliveries, lease),
    sender: { send, stop: async () => {} },
    counts: new AttemptCounts(),
    lease,
    clock,
    scheduler: systemScheduler,
    draw: () => 0.5,
    log: pino({ level: 'silent' }),
  });
}

async function insertWebhook(
  sql: Sql,
  organizationId: number,
  webhook: Partial<WebhookRecord> = {},
): Promise<EndpointKey> {
  const { events = ['*'], concurrency = 1 } = webhook;
  const [row] = await sql<{ id: number }[]>`
    INSERT INTO webhooks (organization_id, id, version, url, events, concurrency, secret, is_active, active_since,
        start_sequence, created_at, updated_at)
      SELECT organization_id, nextval('webhook_ids'), 1, 'http://127.0.0.1:1/',
        ARRAY(SELECT json_array_elements_text(${JSON.stringify(events)}::text::json)), ${concurrency}, 'whsec_AAAA', true,
        now(), last_sequence, now(), now()
      FROM organization_heads WHERE organization_id = ${organizationId}
    RETURNING id`;
  return { organizationId, webhookId: row!.id };
}

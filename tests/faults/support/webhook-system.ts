import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { startWorkersProcess, type WorkersProcess } from '../../integration/workers/workers-place.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { type SeededOrganization, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import {
  countDuplicates,
  type EndpointRecord,
  findDeliveryViolations,
  isComplete,
  type LoggedRow,
} from '../../support/services/webhook-checker.ts';
import { type SinkEndpoint, startWebhookSink, type WebhookSink } from '../../support/services/webhook-sink.ts';
import { type CrashableSystem, startCrashableSystem } from '../../support/system/crashable-system.ts';
import { type OwnRedis, startOwnRedis } from '../../support/system/own-stores.ts';
import { PATIENCE_MS } from '../../support/until.ts';

/** A webhook with its endpoint. */
export interface RegisteredWebhook extends SinkEndpoint {
  readonly name: string;
  readonly organizationId: number;
  readonly webhookId: number;
  readonly concurrency: number;
  /** Switches the webhook on or off. */
  setActive(isActive: boolean): Promise<void>;
}

export interface WebhookSystemOptions {
  /** The number of webhooks; 1 by default. */
  readonly organizations?: number;
}

/** Gateway, workers and a Redis that a test may kill or empty at any moment, and endpoints that receive all events. */
export interface WebhookSystem {
  readonly system: CrashableSystem;
  /** The environment for gateways that a test starts beside the system's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly webhooks: readonly RegisteredWebhook[];
  /** Needs the gateway. */
  register(name: string, organization: SeededOrganization, concurrency?: number): Promise<RegisteredWebhook>;
  startWorkers(): Promise<void>;
  /** Sends kill -9. Other workers may take over when the lease has run out. */
  killWorkers(): Promise<void>;
  /** Moves the clock past the lease of the dead workers. */
  letLeasesPass(): Promise<void>;
  /** Sends FLUSHALL. */
  emptyRedis(): Promise<void>;
  /** Resolves when this many attempts have come; rejects when no more come. */
  untilArrived(webhook: RegisteredWebhook, count: number): Promise<void>;
  /** Resolves when each webhook has accepted every event of its organization; rejects when no more come. */
  untilDelivered(webhooks?: readonly RegisteredWebhook[]): Promise<void>;
  /**
   * Fails with the findings of the checker, and with more than `mostDuplicates`. Resolves to the number of duplicates.
   */
  assertDelivered(mostDuplicates: number): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the stores and the sink; the test starts gateway and workers. */
export async function startWebhookSystem({ organizations = 1 }: WebhookSystemOptions = {}): Promise<WebhookSystem> {
  const releaser = createReleaser(() => {});
  try {
    const redis = await startOwnRedis(releaser);
    const environment = { REDIS_URL: redis.url, WEBHOOK_ALLOW_PRIVATE: '1' };
    const system = await startCrashableSystem({ organizations, environment });
    releaser.push('system', () => system.stop());
    const sink = await startWebhookSink();
    releaser.push('sink', () => sink.stop());
    return new RunningSystem({ system, redis, sink, environment, release: () => releaser.stop() });
  } catch (error) {
    await releaser.stop().catch(() => {});
    throw error;
  }
}

interface Parts {
  readonly system: CrashableSystem;
  readonly redis: OwnRedis;
  readonly sink: WebhookSink;
  readonly environment: Readonly<Record<string, string>>;
  readonly release: () => Promise<void>;
}

const POLL_MS = 20;

class RunningSystem implements WebhookSystem {
  readonly webhooks: RegisteredWebhook[] = [];
  readonly system: CrashableSystem;
  readonly environment: Readonly<Record<string, string>>;
  readonly #parts: Parts;
  readonly #admins = new Map<number, ApiClient>();
  #workers: WorkersProcess | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.system = parts.system;
    this.environment = parts.environment;
  }

  async register(name: string, organization: SeededOrganization, concurrency = 1): Promise<RegisteredWebhook> {
    const { organizationId } = organization;
    const endpoint = this.#parts.sink.endpoint(name);
    const admin = await this.#adminOf(organizationId);
    const made = await admin.post<{ id: number; secret: string }>('/webhooks', {
      url: endpoint.url,
      events: ['*'],
      concurrency,
    });
    assert.equal(made.status, 201, made.text);
    const { id: webhookId, secret } = made.body.data;
    endpoint.trust(secret);
    const webhook: RegisteredWebhook = {
      name,
      organizationId,
      webhookId,
      concurrency,
      url: endpoint.url,
      // It throws once something has come that breaks the contract.
      get arrivals() {
        return endpoint.arrivals;
      },
      behave: (behaviour) => endpoint.behave(behaviour),
      trust: (given) => endpoint.trust(given),
      async setActive(isActive) {
        const { status, text } = await admin.patch(`/webhooks/${webhookId}`, { isActive });
        assert.equal(status, 200, text);
      },
    };
    this.webhooks.push(webhook);
    return webhook;
  }

  async startWorkers(): Promise<void> {
    const { databaseUrl, redisPrefix } = this.system.place;
    this.#workers = await startWorkersProcess({
      DATABASE_URL: databaseUrl,
      REDIS_PREFIX: redisPrefix,
      ...this.environment,
    });
  }

  async killWorkers(): Promise<void> {
    const killed = this.#workers;
    this.#workers = undefined;
    await killed?.kill();
  }

  async letLeasesPass(): Promise<void> {
    await withSql(this.system.place.databaseUrl, (sql) => sql`UPDATE webhook_followers SET leased_until = now()`);
  }

  async emptyRedis(): Promise<void> {
    const redis = new Redis(this.#parts.redis.url);
    try {
      await redis.flushall();
    } finally {
      redis.disconnect();
    }
  }

  untilArrived(webhook: RegisteredWebhook, count: number): Promise<void> {
    return whileComing([webhook], `${count} at ${webhook.name}`, () => webhook.arrivals.length >= count);
  }

  async untilDelivered(webhooks: readonly RegisteredWebhook[] = this.webhooks): Promise<void> {
    const records = await this.#records(webhooks);
    await whileComing(webhooks, 'every event everywhere', () => records.every(isComplete));
  }

  async assertDelivered(mostDuplicates: number): Promise<number> {
    const records = await this.#records(this.webhooks);
    const violations = findDeliveryViolations(records);
    const shown = violations.slice(0, 20).map(({ rule, message }) => `${rule}: ${message}`);
    assert.ok(violations.length === 0, `${violations.length} promises were broken:\n${shown.join('\n')}`);
    const duplicates = records.reduce((sum, record) => sum + countDuplicates(record), 0);
    assert.ok(duplicates <= mostDuplicates, `${duplicates} events came twice, at most ${mostDuplicates} may`);
    return duplicates;
  }

  async stop(): Promise<void> {
    for (const admin of this.#admins.values()) admin.close();
    await this.#workers?.stop();
    await this.#parts.release();
  }

  /** The events of the organization in the log now. */
  #records(webhooks: readonly RegisteredWebhook[]): Promise<EndpointRecord[]> {
    return withSql(this.system.place.databaseUrl, async (sql) => {
      const records: EndpointRecord[] = [];
      for (const { name, organizationId, arrivals, concurrency } of webhooks) {
        const promised = await sql<LoggedRow[]>`
          SELECT sequence, type, body FROM events WHERE organization_id = ${organizationId} ORDER BY sequence`;
        records.push({ name, arrivals, promised, isOrdered: concurrency === 1 });
      }
      return records;
    });
  }

  async #adminOf(organizationId: number): Promise<ApiClient> {
    const known = this.#admins.get(organizationId);
    if (known) return known;
    const { databaseUrl } = this.system.place;
    const { userId } = await seedUser(databaseUrl, organizationId, 'org_admin');
    const key = await seedSession(databaseUrl, organizationId, userId);
    const admin = createApiClient({ baseUrl: this.system.baseUrl, key });
    this.#admins.set(organizationId, admin);
    return admin;
  }
}

/** Waits as long as attempts keep coming. */
async function whileComing(webhooks: readonly RegisteredWebhook[], what: string, isSo: () => boolean): Promise<void> {
  let count = -1;
  for (let since = performance.now(); !isSo(); await delay(POLL_MS)) {
    const now = webhooks.reduce((sum, { arrivals }) => sum + arrivals.length, 0);
    if (now !== count) since = performance.now();
    count = now;
    assert.ok(performance.now() - since < PATIENCE_MS, `nothing comes any more, after ${count}: ${what}`);
  }
}

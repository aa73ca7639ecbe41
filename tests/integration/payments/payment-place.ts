import { after, before } from 'node:test';
import { type Scheduler, systemScheduler } from '../../../engine/runtime/clock.ts';
import { readConfig } from '../../../engine/runtime/config.ts';
import { createReleaser, type Releaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PaymentView } from '../../../schema/money/payment.ts';
import { startPayments } from '../../../workers/payments/start-payments.ts';
import { type ApiClient, type ApiReply, createApiClient } from '../../support/api-client.ts';
import { SECRETS, secretBox } from '../../support/secrets.ts';
import { seedChannel } from '../../support/seeds/seed.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { SECRET_KEY, type StripeServer, startStripeServer, WEBHOOK_SECRET } from './stripe-server.ts';

export interface PaymentPlace {
  readonly gateway: TestGateway;
  /** An administrator's. */
  readonly api: ApiClient;
  readonly sql: Sql;
  readonly stripe: StripeServer;
  /** Settings of workers that carry out the payments of this place. */
  readonly workerEnvironment: Readonly<Record<string, string>>;
  /** Asks for an online payment of a new task. */
  initialize(amount?: string, currency?: string): Promise<PaymentView>;
  read(paymentId: number): Promise<PaymentView>;
  /** The payment, once it is so. */
  when(paymentId: number, isSo: (payment: PaymentView) => boolean): Promise<PaymentView>;
  /** Everything that is noted by now is due now. */
  hurry(): Promise<void>;
  /** Resolves when it is so, with no pauses between looks. */
  hurried(what: string, isSo: () => Promise<boolean>): Promise<void>;
  /** The workers' notes about one payment or all. */
  steps(paymentId?: number): Promise<{ step: string; attempts: number; dueInMs: number; lastError: string | null }[]>;
  /** The open steps of a payment, by its record. */
  stepOf(paymentId: number): Promise<string | null>;
  /** Movements of money for a payment, each by what it is. */
  transfersOf(paymentId: number): Promise<string[]>;
  /** Workers carry payments out meanwhile. */
  working(body: () => Promise<void>): Promise<void>;
  /** Without a credential, as a customer or a provider asks. */
  ask(
    method: string,
    path: string,
    options?: { body?: string | Buffer; headers?: Readonly<Record<string, string>> },
  ): Promise<ApiReply<unknown>>;
}

/** Instead of LIMITS.paymentSweepMs, so that tests do not wait. */
const SWEEP_MS = 25;
const quickScheduler: Scheduler = {
  ...systemScheduler,
  every: (periodMs, task) => systemScheduler.every(periodMs === LIMITS.paymentSweepMs ? SWEEP_MS : periodMs, task),
};

/** A gateway, stores and a stand-in for Stripe, for all tests of a file. Stops everything that `prepare` returns. */
export function usePayments(
  provider: 'stripe' | 'test',
  prepare: (place: PaymentPlace, releaser: Releaser) => Promise<void> = async () => {},
): PaymentPlace {
  const releaser = createReleaser(() => {});
  let place: PaymentPlace | undefined;
  before(async () => {
    const stripe = await startStripeServer();
    releaser.push('stripe', () => stripe.stop());
    const settings = {
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_BASE: stripe.url,
    };
    const environment: Record<string, string> = provider === 'stripe' ? settings : {};
    const gateway = await startTestGateway({ environment });
    releaser.push('gateway', () => gateway.stop());
    place = await placeAt(gateway, stripe, environment, releaser.push);
    await prepare(place, releaser);
  });
  after(() => releaser.stop());
  return new Proxy({} as PaymentPlace, { get: (_, name) => place![name as keyof PaymentPlace] });
}

async function placeAt(
  gateway: TestGateway,
  stripe: StripeServer,
  environment: Readonly<Record<string, string>>,
  push: (name: string, release: () => unknown) => void,
): Promise<PaymentPlace> {
  const { baseUrl, databaseUrl, organizationId, place } = gateway;
  const { key } = await seedChannel(databaseUrl, organizationId, { role: 'org_admin' });
  const api = createApiClient({ baseUrl, key });
  push('client', () => api.close());
  const sql = connectPostgres(databaseUrl, { name: 'test', connections: 4, statementTimeoutMs: 30_000 });
  push('connections', () => sql.end({ timeout: 5 }));
  const workerEnvironment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: place.redisUrl,
    REDIS_PREFIX: place.redisPrefix,
    ...SECRETS,
    PUBLIC_URL: baseUrl,
    ...environment,
  };

  async function read(paymentId: number): Promise<PaymentView> {
    const reply = await api.get<PaymentView>(`/payments/${paymentId}`);
    if (reply.status !== 200) throw new Error(`GET /payments/${paymentId} answered ${reply.status}: ${reply.text}`);
    return reply.body.data;
  }

  return {
    gateway,
    api,
    sql,
    stripe,
    workerEnvironment,
    read,
    async initialize(amount = '12.50', currency = 'EUR') {
      const { id: taskId } = await api.createTask();
      const reply = await api.post<PaymentView>('/payments/initialize', { taskId, amount, currency });
      if (reply.status !== 201) throw new Error(`POST /payments/initialize answered ${reply.status}: ${reply.text}`);
      return reply.body.data;
    },
    async when(paymentId, isSo) {
      let payment: PaymentView | undefined;
      await until(`payment ${paymentId} is as expected`, async () => {
        payment = await read(paymentId);
        return isSo(payment);
      });
      return payment!;
    },
    ...rowsOf(sql, organizationId),
    async working(meanwhile) {
      const stopping = createReleaser(() => {});
      await startPayments({
        config: readConfig(workerEnvironment),
        secretBox,
        random: createRandomSource(),
        scheduler: quickScheduler,
        log: createLog('workers', 'silent'),
        releaser: stopping,
      });
      try {
        await meanwhile();
      } finally {
        await stopping.stop();
      }
    },
    ask: (method, path, { body, headers } = {}) =>
      api.raw({ method, path, headers: headers ?? {}, body: body as string | undefined }),
  };
}

/** The rows of the organization's payments in Postgres. */
function rowsOf(
  sql: Sql,
  organizationId: number,
): Pick<PaymentPlace, 'hurry' | 'hurried' | 'steps' | 'stepOf' | 'transfersOf'> {
  async function hurry(): Promise<void> {
    await sql`UPDATE payment_attempts SET due_at = now() WHERE organization_id = ${organizationId}`;
  }

  return {
    hurry,
    hurried: (what, isSo) =>
      until(what, async () => {
        await hurry();
        return isSo();
      }),
    steps: async (paymentId) => [
      ...(await sql<{ step: string; attempts: number; dueInMs: number; lastError: string | null }[]>`
        SELECT step, attempts, extract(epoch FROM due_at - now())::float8 * 1000 AS due_in_ms, last_error
        FROM payment_attempts
        WHERE organization_id = ${organizationId} AND ${paymentId === undefined ? sql`true` : sql`payment_id = ${paymentId}`}
        ORDER BY payment_id, step`),
    ],
    async stepOf(paymentId) {
      const [row] = await sql<{ step: string | null }[]>`
        SELECT step FROM payments WHERE organization_id = ${organizationId} AND id = ${paymentId}`;
      return row!.step;
    },
    async transfersOf(paymentId) {
      const rows = await sql<{ kind: string }[]>`
        SELECT kind FROM ledger_transfers
        WHERE organization_id = ${organizationId} AND payment_id = ${paymentId} ORDER BY id`;
      return rows.map(({ kind }) => kind);
    },
  };
}

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { seedAgent, seedSession } from '../../support/seeds/seed.ts';
import { type FcmServer, startFcmServer } from '../../support/services/fcm-server.ts';
import { type PushService, startPushService } from '../../support/services/push-service.ts';
import { createTestPlace, startTestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { startOwnRedis, startWorkersProcess, type WorkersProcess } from '../workers/workers-place.ts';

/** A gateway, workers in a process of their own, Google and a push service of browsers, and a courier with a session. */
export interface WorkersAndServices {
  readonly api: ApiClient;
  readonly courier: ApiClient;
  readonly sql: Sql;
  readonly fcm: FcmServer;
  readonly browsers: PushService;
  readonly redis: Awaited<ReturnType<typeof startOwnRedis>>;
  startWorkers(environment?: Readonly<Record<string, string>>): Promise<WorkersProcess>;
  /** Registers a device. */
  register(deviceId: string, token: string, platform?: string): Promise<void>;
  /** A task that the courier has on its way. */
  taskEnRoute(): Promise<number>;
  cancel(taskId: number): Promise<void>;
  /** Dead senders do not come back. */
  endLeases(): Promise<void>;
  untilSettled(): Promise<void>;
  /** The ids of the notices of a task's cancellation that a phone got, as often as it did. */
  noticesOf(taskId: number, token: string): (string | undefined)[];
  /** The phones that a task's cancellation went to, as often as it did. */
  cancellationsOf(taskId: number): string[];
}

export async function withWorkers(body: (place: WorkersAndServices) => Promise<void>): Promise<void> {
  const redis = await startOwnRedis();
  const seeded = await createTestPlace({ role: 'dispatcher' });
  const { databaseUrl, organizationId, key } = seeded;
  const { agentId, userId } = await seedAgent(databaseUrl, organizationId);
  const session = await seedSession(databaseUrl, organizationId, userId);
  const [fcm, browsers] = [await startFcmServer(), await startPushService()];
  const folder = mkdtempSync(join(tmpdir(), 'dispatch-notices-'));
  const certificate = join(folder, 'ca.pem');
  writeFileSync(certificate, browsers.ca);
  const shared = { REDIS_URL: redis.url, WEBHOOK_ALLOW_PRIVATE: '1' };
  const gateway = await startTestGateway({ place: seeded, environment: shared });
  const [api, courier] = [key, session].map((each) => createApiClient({ baseUrl: gateway.baseUrl, key: each }));
  const sql = connectPostgres(databaseUrl, { name: 'test', connections: 2, statementTimeoutMs: 30_000 });
  const started: WorkersProcess[] = [];
  const place: WorkersAndServices = {
    ...{ api: api!, courier: courier!, sql, fcm, browsers, redis },
    async startWorkers(environment = {}) {
      const workers = await startWorkersProcess({
        ...{ DATABASE_URL: databaseUrl, REDIS_PREFIX: seeded.redisPrefix, ...shared, DATA_DIR: folder },
        ...{ FCM_URL: fcm.url, FCM_SERVICE_ACCOUNT: fcm.serviceAccount, NODE_EXTRA_CA_CERTS: certificate },
        ...environment,
      });
      started.push(workers);
      return workers;
    },
    async register(deviceId, token, platform = 'android') {
      const { status, text } = await courier!.post('/notifications/push-token', { deviceId, token, platform });
      assert.equal(status, 201, text);
    },
    async taskEnRoute() {
      const { id } = await api!.createTask();
      await api!.post(`/tasks/${id}/assign`, { agentId });
      for (const status of ['accepted', 'in_transit']) await api!.put(`/tasks/${id}/status`, { status });
      return id;
    },
    async cancel(taskId) {
      assert.equal((await api!.put(`/tasks/${taskId}/status`, { status: 'cancelled' })).status, 200);
    },
    endLeases: async () => void (await sql`UPDATE notifications SET due_at = now() WHERE status = 'pending'`),
    untilSettled: () =>
      until('every notice is sent', async () => {
        const [row] = await sql<{ isSettled: boolean }[]>`
          SELECT bool_and(h.last_sequence <= coalesce(p.last_sequence, 0))
            AND NOT EXISTS (SELECT FROM notifications WHERE status = 'pending') AS is_settled
          FROM organization_heads h LEFT JOIN relay_positions p
            ON p.organization_id = h.organization_id AND p.consumer = 'notices'`;
        return row!.isSettled;
      }),
    noticesOf: (taskId, phone) => cancellations(fcm, taskId).flatMap(({ token, id }) => (token === phone ? [id] : [])),
    cancellationsOf: (taskId) =>
      cancellations(fcm, taskId)
        .map(({ token }) => token)
        .sort(),
  };
  try {
    await body(place);
  } finally {
    for (const workers of started) await workers.kill();
    api!.close();
    courier!.close();
    await sql.end({ timeout: 5 });
    await gateway.stop();
    await seeded.drop();
    await Promise.all([fcm.stop(), browsers.stop(), redis.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function cancellations({ messages }: FcmServer, taskId: number) {
  return messages
    .filter(({ data }) => data['kind'] === 'task_cancelled' && data['taskId'] === String(taskId))
    .map(({ token, data }) => ({ token, id: data['noticeId'] }));
}

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createNoticeFollowStore } from '../../../engine/store/notifications/notice-follow-store.ts';
import { createNoticeStore } from '../../../engine/store/notifications/notice-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import type { NotificationView } from '../../../schema/notices/notification.ts';
import type { Mail } from '../../../workers/notifications/mail-transport.ts';
import type { Device, Push, SendOutcome } from '../../../workers/notifications/notice.ts';
import { createNoticeFollower } from '../../../workers/notifications/notice-follower.ts';
import { NoticeSender } from '../../../workers/notifications/notice-sender.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { seedAgent, seedChannel, seedOrganization, seedSession } from '../../support/seeds/seed.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';

export const PUBLIC_URL = 'https://dispatch.example.com';

/** An agent with a session, in which devices are registered. */
export interface Courier {
  readonly agentId: number;
  readonly userId: number;
  readonly session: string;
  readonly api: ApiClient;
  /** A phone with this token. */
  register(token: string, deviceId?: string): Promise<void>;
}

export interface SentPush extends Push {
  readonly device: Device;
}

/** A gateway, and what workers do with notices, to senders that the test answers for. */
export interface NoticePlace {
  readonly gateway: TestGateway;
  readonly sql: Sql;
  readonly api: ApiClient;
  readonly admin: ApiClient;
  readonly couriers: readonly Courier[];
  readonly pushes: readonly SentPush[];
  readonly mails: readonly Mail[];
  /** Sets the outcome of pushes from then on. */
  answer(reply: (push: SentPush) => SendOutcome | Promise<SendOutcome>): void;
  /** Sets the outcome of mails from then on: sent, unless it throws. */
  answerMails(reply: (mail: Mail) => Promise<void>): void;
  /** Follows the log to its end, as so many processes at a time. */
  follow(processes?: number): Promise<void>;
  /** Follows, and sends until nothing is due, as so many processes at a time. */
  notify(processes?: number): Promise<void>;
  /** Sends as one process, while `body` runs. */
  whileSending(body: () => Promise<void>): Promise<void>;
  /** As if all pauses were over. */
  letPausesPass(): Promise<void>;
  /** Oldest first. */
  notices(): Promise<NotificationView[]>;
  /** `task_cancelled sent, …` of all notices, oldest first. */
  told(): Promise<string[]>;
  /** A task that a courier has, after these steps. */
  taskOf(courier: Courier, ...steps: readonly string[]): Promise<number>;
  step(taskId: number, status: string): Promise<void>;
}

type WithNotices = (couriers: number, body: (place: NoticePlace) => Promise<void>) => Promise<void>;

/**
 * One gateway for all tests of a file. The returned function runs `body` at a place with an organization of its own and so
 * many couriers; senders look across organizations, so it leaves no notice and no device behind.
 */
export function useNotices(): WithNotices {
  const { gateway, clientOf, connect } = useOwnGateway();
  return async (couriers, body) => {
    const { databaseUrl } = gateway();
    const sql = connect();
    const organization = await seedOrganization(databaseUrl, { role: 'dispatcher' });
    const seeded: Courier[] = [];
    for (let made = 0; made < couriers; made++)
      seeded.push(await seedCourier(databaseUrl, organization.organizationId, clientOf));
    const { key } = await seedChannel(databaseUrl, organization.organizationId, { role: 'org_admin' });
    const clients = { api: clientOf(organization.key), admin: clientOf(key), couriers: seeded };
    try {
      await body(placeOf({ ...gateway(), ...organization }, sql, clients));
    } finally {
      await sql`TRUNCATE notifications, push_tokens`;
    }
  };
}

function useOwnGateway() {
  let gateway: TestGateway;
  let sql: Sql | undefined;
  const clients: ApiClient[] = [];
  before(async () => {
    gateway = await startTestGateway({ environment: { WEBHOOK_ALLOW_PRIVATE: '1' } });
  });
  after(async () => {
    for (const client of clients) client.close();
    await sql?.end({ timeout: 5 });
    await gateway?.stop();
  });
  return {
    gateway: () => gateway,
    connect() {
      sql ??= connectPostgres(gateway.databaseUrl, { name: 'test', connections: 6, statementTimeoutMs: 30_000 });
      return sql;
    },
    clientOf(key: string) {
      const client = createApiClient({ baseUrl: gateway.baseUrl, key });
      clients.push(client);
      return client;
    },
  };
}

async function seedCourier(
  databaseUrl: string,
  organizationId: number,
  clientOf: (key: string) => ApiClient,
): Promise<Courier> {
  const { agentId, userId } = await seedAgent(databaseUrl, organizationId);
  const session = await seedSession(databaseUrl, organizationId, userId);
  const api = clientOf(session);
  return {
    ...{ agentId, userId, session, api },
    async register(token, deviceId = token) {
      const reply = await api.post('/notifications/push-token', { token, deviceId, platform: 'android' });
      assert.equal(reply.status, 201, reply.text);
    },
  };
}

function placeOf(
  gateway: TestGateway,
  sql: Sql,
  { api, admin, couriers }: Pick<NoticePlace, 'api' | 'admin' | 'couriers'>,
): NoticePlace {
  const { organizationId } = gateway;
  const senders = new Senders();
  const { pushes, mails } = senders;
  const notices = () => readNotices(sql, organizationId);
  const follow = (processes = 1) => followToEnd(sql, organizationId, processes);
  async function step(taskId: number, status: string): Promise<void> {
    const reply = await api.put(`/tasks/${taskId}/status`, { status });
    assert.equal(reply.status, 200, reply.text);
  }
  return {
    ...{ gateway, sql, api, admin, couriers, pushes, mails, notices, follow, step },
    answer(reply) {
      senders.answer = reply;
    },
    answerMails(reply) {
      senders.answerMail = reply;
    },
    async notify(processes = 1) {
      await follow(processes);
      const noticeSenders = Array.from({ length: processes }, () => senders.startNoticeSender(sql));
      await until('nothing is due', async () => {
        const due = await sql`SELECT FROM notifications WHERE status = 'pending' AND due_at <= now() LIMIT 1`;
        return due.length === 0;
      });
      await Promise.all(noticeSenders.map((sender) => sender.stop()));
    },
    async whileSending(body) {
      const sender = senders.startNoticeSender(sql);
      try {
        await body();
      } finally {
        await sender.stop();
      }
    },
    async letPausesPass() {
      await sql`UPDATE notifications SET due_at = now() WHERE status = 'pending'`;
    },
    told: async () => (await notices()).map(({ kind, status }) => `${kind} ${status}`),
    async taskOf({ agentId }, ...steps) {
      const { id } = await api.createTask();
      const assigned = await api.post(`/tasks/${id}/assign`, { agentId });
      assert.equal(assigned.status, 200, assigned.text);
      for (const status of steps) await step(id, status);
      return id;
    },
  };
}

/** The senders of notices. */
class Senders {
  readonly pushes: SentPush[] = [];
  readonly mails: Mail[] = [];
  answer: (push: SentPush) => SendOutcome | Promise<SendOutcome> = () => ({ kind: 'sent' });
  answerMail: (mail: Mail) => Promise<void> = async () => {};

  startNoticeSender(sql: Sql): NoticeSender {
    return new NoticeSender({
      store: createNoticeStore(sql),
      pushes: { send: async (device, push) => this.#push({ ...push, device }) },
      sendMail: async (mail) => {
        this.mails.push(mail);
        await this.answerMail(mail);
      },
      publicUrl: PUBLIC_URL,
      fault: () => {},
      clock: systemClock,
      scheduler: systemScheduler,
      draw: () => 0.5,
      log: createLog('workers', 'silent'),
    });
  }

  #push(push: SentPush): SendOutcome | Promise<SendOutcome> {
    this.pushes.push(push);
    return this.answer(push);
  }
}

async function readNotices(sql: Sql, organizationId: number): Promise<NotificationView[]> {
  const rows = await sql<NotificationView[]>`
    SELECT id, kind, channel, status, reason, task_id, user_id, customer_id, address, attempts,
      due_at AS next_attempt_at, expires_at, created_at, settled_at
    FROM notifications WHERE organization_id = ${organizationId} ORDER BY id`;
  return [...rows];
}

/** Follows the log of an organization to its end, as so many processes at a time. */
export async function followToEnd(sql: Sql, organizationId: number, processes: number): Promise<void> {
  const store = createNoticeFollowStore(sql);
  const isBehind = async () => {
    const [row] = await sql<{ isBehind: boolean }[]>`
      SELECT h.last_sequence > coalesce(p.last_sequence, 0) AS is_behind FROM organization_heads h
      LEFT JOIN relay_positions p ON p.organization_id = h.organization_id AND p.consumer = 'notices'
      WHERE h.organization_id = ${organizationId}`;
    return row!.isBehind;
  };
  while (await isBehind()) {
    const followers = Array.from({ length: processes }, () =>
      createNoticeFollower({ store, onMade: () => {}, fault: () => {} }),
    );
    await Promise.all(followers.map((follow) => follow([organizationId], () => {})));
  }
}

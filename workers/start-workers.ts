import { join } from 'node:path';
import { type Scheduler, systemClock, systemScheduler } from '../engine/runtime/clock.ts';
import { type Config, publicUrlOf, requireUrl } from '../engine/runtime/config.ts';
import type { Releaser } from '../engine/runtime/lifecycle.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createMetricsAccess } from '../engine/runtime/metrics/metrics-access.ts';
import { createRandomSource } from '../engine/runtime/random.ts';
import type { SecretBox } from '../engine/runtime/secret-box.ts';
import { createMailStore, type MailStore } from '../engine/store/accounts/mail-store.ts';
import { createDeletionStore } from '../engine/store/cluster/deletion-store.ts';
import { createMaintenanceStore } from '../engine/store/cluster/maintenance-store.ts';
import { currentHistory } from '../engine/store/cluster/platform-store.ts';
import { watchHistory } from '../engine/store/cluster/watch-history.ts';
import { createRelayStore, type RelayStore } from '../engine/store/log/relay-store.ts';
import { checkMigrated } from '../engine/store/migrate.ts';
import { createRoundTurnStore } from '../engine/store/planning/round-turn-store.ts';
import { createPositionStore } from '../engine/store/positions/position-store.ts';
import { connectPostgres, type Sql } from '../engine/store/postgres.ts';
import { connectRedis, subscribeTo } from '../engine/store/redis.ts';
import { type RedisKeys, redisKeys } from '../engine/store/redis-keys.ts';
import { sealSecrets } from '../engine/store/secrets/seal-secrets.ts';
import { openSecretBox } from '../engine/store/secrets/secret-key-store.ts';
import { JOBS } from '../schema/jobs.ts';
import { LIMITS } from '../schema/limits.ts';
import { activityJobId, createActivityProcessor } from './activity.ts';
import { type Assignment, type AssignmentOptions, startAssignment } from './assignment/start-assignment.ts';
import { createBacklog } from './backlog.ts';
import { checkEvictionPolicy } from './eviction-policy.ts';
import { type JobRunner, type Processors, startJobRunner } from './job-runner.ts';
import { startJobSchedule } from './job-schedule.ts';
import { createOrganizationDeletionProcessor } from './maintenance/organization-deletion.ts';
import {
  createAccessUpkeepProcessor,
  createPartitionProcessor,
  createSearchIndexProcessor,
} from './maintenance/upkeep-processors.ts';
import { startMetricsListener } from './metrics-listener.ts';
import { createMailTransport, removeMailsTo, type SendMail } from './notifications/mail-transport.ts';
import { type MailCounts, startMailer } from './notifications/mailer.ts';
import { startNotifications } from './notifications/start-notifications.ts';
import { type OutboxRelay, startOutboxRelay } from './outbox-relay.ts';
import { type Payments, startPayments } from './payments/start-payments.ts';
import { waitForStore } from './wait-for-store.ts';
import { openWebhooks, type Webhooks } from './webhooks/start-webhooks.ts';
import { type WorkersParts, workersMetrics } from './workers-metrics.ts';

export interface WorkersOptions {
  readonly config: Config;
  readonly log: Log;
  readonly releaser: Releaser;
  /** Times the sweeps and schedules; the system's by default. */
  readonly scheduler?: Scheduler;
  /** Told once that the event logs have got another history: the process should end. */
  readonly onOtherHistory?: () => void;
}

const SCHEDULES = [
  ['partitions', LIMITS.partitionCheckMs],
  ['search-index', LIMITS.searchIndexMs],
  ['organization-deletion', LIMITS.deletionCheckMs],
  ['access-upkeep', LIMITS.accessUpkeepMs],
  ['webhook-notices', LIMITS.webhookNoticeMs],
  ['webhook-positions', LIMITS.webhookPositionsMs / 4],
  ['payment-reconciliation', LIMITS.paymentReconciliationMs],
] as const;

/**
 * Puts the workers together, in the order in which things start; the releaser stops them in the opposite one. Waits
 * for stores that are away, and goes on when they come back. Throws ConfigError for a Redis that would evict
 * jobs, for a database that does not let us in or lacks a migration, and for one whose secrets are under another key.
 */
export async function startWorkers({
  config,
  log,
  releaser,
  scheduler = systemScheduler,
  onOtherHistory = () => {},
}: WorkersOptions): Promise<void> {
  const databaseUrl = requireUrl('DATABASE_URL', config.databaseUrl);
  const redisUrl = requireUrl('REDIS_URL', config.redisUrl);
  const starting = new AbortController();

  const sql = connectPostgres(databaseUrl, {
    name: 'dispatch workers',
    connections: connectionsOfJobs(),
    statementTimeoutMs: LIMITS.readDeadlineMs,
  });
  releaser.push('postgres', () => sql.end({ timeout: 2 }));
  const redis = connectRedis(redisUrl, log, 'patient');
  releaser.push('redis', () => redis.disconnect());
  releaser.push('start', () => starting.abort());

  const random = createRandomSource();
  const findPlace = async () => {
    await checkMigrated(sql);
    const secretBox = await openSecretBox(sql, config);
    await sealClearSecrets(sql, secretBox, log);
    return { secretBox, history: await currentHistory(sql, random) };
  };
  const { secretBox, history } = await waitForStore('reaching Postgres', findPlace, log, starting.signal);
  releaser.push('history', watchHistory({ sql, random, scheduler, log, history, onOther: onOtherHistory }));
  // These can do with Postgres alone: mail goes out, payments are carried out and rounds are made while Redis is away, and
  // metrics say so.
  const sendMail = openMail(config);
  const mails = mailUsers(createMailStore(sql), sendMail, { config, scheduler, log, releaser });
  const payments = await startPayments({ config, secretBox, random, scheduler, log, releaser });
  const notifications = await startNotifications({ config, secretBox, sendMail, random, scheduler, log, releaser });
  const keys = redisKeys(config.redisPrefix, history);
  const relayStore = createRelayStore(sql);
  const positions = createPositionStore(redis, keys);
  const removePositions = (organizationId: number) => redis.del(keys.positions(organizationId));
  const webhooks = openWebhooks({ config, secretBox, history, positions, sendMail, random, log, releaser });
  const assignment = openAssignment(redisUrl, keys, { config, secretBox, scheduler, log, releaser });
  releaser.push('relay', () => assignment.stop());
  const backlog = createBacklog(sql, systemClock, log);
  await serveMetrics({ assignment, notifications, webhooks, payments, mails, backlog }, config, log, releaser);

  await checkEvictionPolicy(redis, log);
  const processors = {
    ...createProcessors(sql, relayStore, config, log, removePositions),
    ...webhooks.processors,
    ...payments.processors,
  };
  const runner = await startJobRunner({ redis, prefix: keys.jobs, processors, clock: systemClock, scheduler, log });
  releaser.push('jobs', () => runner.stop());
  payments.follow(runner);

  const relays = [startActivityRelay(runner, relayStore, scheduler, log), webhooks.follow(runner)];
  for (const relay of relays) releaser.push('relay', () => relay.stop());
  listenForHints(redisUrl, log, releaser, {
    [keys.moved]: (message) => assignment.moved(message),
    [keys.searches]: (message) => assignment.hint(message),
    [keys.payments]: () => payments.hint(),
    [keys.committed](message) {
      for (const relay of [...relays, notifications]) relay.hint(message);
    },
  });

  await startSchedules(runner, scheduler, log, releaser);
  log.info({ history, jobs: Object.keys(JOBS) }, 'workers ready');
}

/**
 * Each running job may hold one, except webhooks and payments, which have their own; the relay's sweep and the mailer
 * come on top.
 */
function connectionsOfJobs(): number {
  const { webhooks: _webhooks, 'payment-steps': _steps, ...otherJobs } = JOBS;
  return Object.values(otherJobs).reduce((sum, { concurrency }) => sum + concurrency, 2);
}

/** Seals what the release before, or its gateways that still run, left in clear. */
async function sealClearSecrets(sql: Sql, secretBox: SecretBox, log: Log): Promise<void> {
  const counts = await sealSecrets(sql, secretBox, 'clear');
  if (Object.values(counts).some((count) => count > 0)) log.info(counts, 'secrets that were in clear are encrypted');
}

/** Sends users the mails with their links. Returns the counts of them. */
function mailUsers(
  store: MailStore,
  send: SendMail,
  { config, scheduler, log, releaser }: Required<Omit<WorkersOptions, 'onOtherHistory'>>,
): Readonly<MailCounts> {
  const mailer = startMailer({ store, send, publicUrl: publicUrlOf(config), clock: systemClock, scheduler, log });
  releaser.push('mailer', () => mailer.stop());
  return mailer.counts;
}

/** Partitions are needed at once, for today. */
async function startSchedules(runner: JobRunner, scheduler: Scheduler, log: Log, releaser: Releaser): Promise<void> {
  for (const [name, everyMs] of SCHEDULES) {
    const schedule = startJobSchedule({ runner, name, everyMs, scheduler, log });
    releaser.push(`schedule of ${name}`, () => schedule.stop());
  }
  await runner
    .add('partitions', [{ id: 'partitions-at-start', payload: {} }])
    .catch((error) => log.warn({ err: error }, 'partitions wait for their schedule'));
}

/** Rounds go on without Redis, so they do not wait for it. */
function openAssignment(
  redisUrl: string,
  keys: RedisKeys,
  options: Omit<AssignmentOptions, 'kept' | 'turns'>,
): Assignment {
  const { log, releaser } = options;
  // The patient connection logs that Redis is away.
  const redis = connectRedis(redisUrl, log.child({}, { level: 'silent' }));
  releaser.push('redis (rounds)', () => redis.disconnect());
  const turns = createRoundTurnStore(redis, keys, createRandomSource().uuid());
  return startAssignment({ ...options, kept: createPositionStore(redis, keys), turns });
}

/** `on`: what is done with the messages of each channel. None is needed: what they tell is found without them, later. */
function listenForHints(
  redisUrl: string,
  log: Log,
  releaser: Releaser,
  on: Readonly<Record<string, (message: string) => void>>,
): void {
  // Two connections come and go together; one logs it.
  const hints = connectRedis(redisUrl, log.child({}, { level: 'silent' }), 'patient');
  releaser.push('hints', () => hints.disconnect());
  hints.on('message', (channel, message) => on[channel]?.(message));
  subscribeTo(hints, Object.keys(on), (err) => log.warn({ err }, 'no hints: the relays use their sweeps alone'));
}

async function serveMetrics(parts: WorkersParts, config: Config, log: Log, releaser: Releaser): Promise<void> {
  parts.backlog.look();
  const mayRead = createMetricsAccess(config.metricsToken);
  const metrics = await startMetricsListener(config.workersMetrics, workersMetrics(parts), mayRead, log);
  releaser.push('metrics', () => metrics.stop());
  log.info({ host: config.workersMetrics.host, port: metrics.port }, 'metrics of the workers are served');
}

function startActivityRelay(runner: JobRunner, store: RelayStore, scheduler: Scheduler, log: Log): OutboxRelay {
  return startOutboxRelay({
    findLagging: (after, limit) => store.findLagging('activity', after, limit),
    wake: (organizationIds) =>
      runner.add(
        'activity',
        organizationIds.map((organizationId) => ({ id: activityJobId(organizationId), payload: { organizationId } })),
      ),
    gatherMs: LIMITS.activityGatherMs,
    scheduler,
    log,
  });
}

function createProcessors(
  sql: Sql,
  relayStore: RelayStore,
  config: Config,
  log: Log,
  removePositions: (organizationId: number) => Promise<number>,
): Omit<Processors, keyof Webhooks['processors'] | keyof Payments['processors']> {
  const maintenanceStore = createMaintenanceStore(sql);
  const removeMails = (organizationId: number) => removeMailsTo(organizationId, outboxOf(config));
  return {
    activity: createActivityProcessor(relayStore, log),
    partitions: createPartitionProcessor(maintenanceStore, config.eventRetentionDays, log),
    'search-index': createSearchIndexProcessor(maintenanceStore),
    'organization-deletion': createOrganizationDeletionProcessor({
      store: createDeletionStore(sql),
      removals: [removeMails, removePositions],
      log,
    }),
    'access-upkeep': createAccessUpkeepProcessor(maintenanceStore, log),
  };
}

function openMail(config: Config): SendMail {
  const { smtpUrl, mailFrom: from } = config;
  const outbox = outboxOf(config);
  return createMailTransport({ smtpUrl, from, outbox, clock: systemClock, random: createRandomSource() });
}

/** Where mails become files. */
function outboxOf({ dataDir }: Config): string {
  return join(dataDir, 'outbox');
}

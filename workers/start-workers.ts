import { join } from 'node:path';
import { systemClock, systemScheduler } from '../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../engine/runtime/config.ts';
import type { Releaser } from '../engine/runtime/lifecycle.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createRandomSource } from '../engine/runtime/random.ts';
import { createDeletionStore } from '../engine/store/deletion-store.ts';
import { createMailStore } from '../engine/store/mail-store.ts';
import { createMaintenanceStore } from '../engine/store/maintenance-store.ts';
import { checkMigrated } from '../engine/store/migrate.ts';
import { currentHistory } from '../engine/store/platform-store.ts';
import { connectPostgres, type Sql } from '../engine/store/postgres.ts';
import { connectRedis } from '../engine/store/redis.ts';
import { redisKeys } from '../engine/store/redis-keys.ts';
import { createRelayStore, type RelayStore } from '../engine/store/relay-store.ts';
import { JOBS } from '../schema/jobs.ts';
import { LIMITS } from '../schema/limits.ts';
import { checkEvictionPolicy } from './eviction-policy.ts';
import { activityJobId, createActivityProcessor } from './history/activity.ts';
import { type Processors, startJobRunner } from './job-runner.ts';
import { startJobSchedule } from './job-schedule.ts';
import { createAccessUpkeepProcessor } from './maintenance/access-upkeep.ts';
import { createOrganizationDeletionProcessor } from './maintenance/organization-deletion.ts';
import { createPartitionProcessor } from './maintenance/partitions.ts';
import { createSearchIndexProcessor } from './maintenance/search-index.ts';
import { createMailTransport, removeMailsTo } from './notifications/mail-transport.ts';
import { type Mailer, startMailer } from './notifications/mailer.ts';
import { startOutboxRelay } from './outbox-relay.ts';
import { waitForStore } from './wait-for-store.ts';

export interface WorkersOptions {
  readonly config: Config;
  readonly log: Log;
  readonly releaser: Releaser;
}

const SCHEDULES = [
  ['partitions', LIMITS.partitionCheckMs],
  ['search-index', LIMITS.searchIndexMs],
  ['organization-deletion', LIMITS.deletionCheckMs],
  ['access-upkeep', LIMITS.accessUpkeepMs],
] as const;

/**
 * Puts the workers together, in the order in which things start; the releaser stops them in the opposite one. Waits
 * for stores that are away, and goes on when they come back. Throws ConfigError for a Redis that would evict
 * jobs, and for a database that lacks a migration.
 */
export async function startWorkers({ config, log, releaser }: WorkersOptions): Promise<void> {
  const scheduler = systemScheduler;
  const databaseUrl = requireUrl('DATABASE_URL', config.databaseUrl);
  const redisUrl = requireUrl('REDIS_URL', config.redisUrl);
  const starting = new AbortController();

  const sql = connectPostgres(databaseUrl, {
    name: 'dispatch workers',
    // Each running job may hold one; the relay's sweep and the mailer go beside them.
    connections: Object.values(JOBS).reduce((sum, { concurrency }) => sum + concurrency, 2),
    statementTimeoutMs: LIMITS.readDeadlineMs,
  });
  releaser.push('postgres', () => sql.end({ timeout: 2 }));
  const redis = connectRedis(redisUrl, log, 'patient');
  releaser.push('redis', () => redis.disconnect());
  releaser.push('start', () => starting.abort());

  const findHistory = async () => {
    await checkMigrated(sql);
    return currentHistory(sql, createRandomSource());
  };
  const history = await waitForStore('reaching Postgres', findHistory, log, starting.signal);
  // Needs Postgres alone: mail goes out while Redis is away.
  const mailer = startMail(sql, config, log);
  releaser.push('mailer', () => mailer.stop());
  await checkEvictionPolicy(redis, log);
  const keys = redisKeys(config.redisPrefix, history);

  const relayStore = createRelayStore(sql);
  const processors = createProcessors(sql, relayStore, config, log, (organizationId) =>
    redis.del(keys.positions(organizationId)),
  );
  const runner = await startJobRunner({ redis, prefix: keys.jobs, processors, clock: systemClock, log });
  releaser.push('jobs', () => runner.stop());

  const relay = startOutboxRelay({
    findLagging: (after, limit) => relayStore.findLagging('activity', after, limit),
    wake: (organizationIds) =>
      runner.add(
        'activity',
        organizationIds.map((organizationId) => ({ id: activityJobId(organizationId), payload: { organizationId } })),
      ),
    scheduler,
    log,
  });
  releaser.push('relay', () => relay.stop());

  // Of two connections that come and go together, one tells of it.
  const hints = connectRedis(redisUrl, log.child({}, { level: 'silent' }), 'patient');
  releaser.push('hints', () => hints.disconnect());
  hints.on('message', (_channel, message) => relay.hint(message));
  hints
    .subscribe(keys.committed)
    .catch((error) => log.warn({ err: error }, 'no hints: the relay goes by its sweep alone'));

  for (const [name, everyMs] of SCHEDULES) {
    const schedule = startJobSchedule({ runner, name, everyMs, scheduler, log });
    releaser.push(`schedule of ${name}`, () => schedule.stop());
  }
  await runner
    .add('partitions', [{ id: 'partitions-at-start', payload: {} }])
    .catch((error) => log.warn({ err: error }, 'partitions wait for their schedule'));
  log.info({ history, jobs: Object.keys(JOBS) }, 'workers ready');
}

function createProcessors(
  sql: Sql,
  relayStore: RelayStore,
  config: Config,
  log: Log,
  removePositions: (organizationId: number) => Promise<number>,
): Processors {
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

function startMail(sql: Sql, config: Config, log: Log): Mailer {
  const clock = systemClock;
  const { smtpUrl, mailFrom: from } = config;
  const send = createMailTransport({ smtpUrl, from, outbox: outboxOf(config), clock, random: createRandomSource() });
  return startMailer({ store: createMailStore(sql), send, clock, scheduler: systemScheduler, log });
}

/** Where mails become files. */
function outboxOf({ dataDir }: Config): string {
  return join(dataDir, 'outbox');
}

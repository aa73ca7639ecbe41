import { systemClock, systemScheduler } from '../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../engine/runtime/config.ts';
import type { Releaser } from '../engine/runtime/lifecycle.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createRandomSource } from '../engine/runtime/random.ts';
import { createMaintenanceStore } from '../engine/store/maintenance-store.ts';
import { checkMigrated } from '../engine/store/migrate.ts';
import { currentHistory } from '../engine/store/platform-store.ts';
import { connectPostgres } from '../engine/store/postgres.ts';
import { connectRedis } from '../engine/store/redis.ts';
import { redisKeys } from '../engine/store/redis-keys.ts';
import { createRelayStore } from '../engine/store/relay-store.ts';
import { JOBS } from '../schema/jobs.ts';
import { LIMITS } from '../schema/limits.ts';
import { checkEvictionPolicy } from './eviction-policy.ts';
import { createActivityProcessor } from './history/activity.ts';
import { startJobRunner } from './job-runner.ts';
import { startJobSchedule } from './job-schedule.ts';
import { createPartitionProcessor } from './maintenance/partitions.ts';
import { createSearchIndexProcessor } from './maintenance/search-index.ts';
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
    // Each running job may hold one; the relay's sweep goes beside them.
    connections: Object.values(JOBS).reduce((sum, { concurrency }) => sum + concurrency, 1),
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
  await checkEvictionPolicy(redis, log);
  const keys = redisKeys(config.redisPrefix, history);

  const relayStore = createRelayStore(sql);
  const maintenanceStore = createMaintenanceStore(sql);
  const runner = await startJobRunner({
    redis,
    prefix: keys.jobs,
    processors: {
      activity: createActivityProcessor(relayStore, log),
      partitions: createPartitionProcessor(maintenanceStore, config.eventRetentionDays, log),
      'search-index': createSearchIndexProcessor(maintenanceStore),
    },
    clock: systemClock,
    log,
  });
  releaser.push('jobs', () => runner.stop());

  const relay = startOutboxRelay({
    findLagging: (after, limit) => relayStore.findLagging('activity', after, limit),
    wake: (organizationIds) =>
      runner.add(
        'activity',
        organizationIds.map((organizationId) => ({ id: `activity-${organizationId}`, payload: { organizationId } })),
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

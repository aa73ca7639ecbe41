import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { ConfigError, readConfig } from '../../../engine/runtime/config.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { JOBS } from '../../../schema/jobs.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type Processors, startJobRunner } from '../../../workers/job-runner.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { findInRedis } from '../../support/system/find-in-redis.ts';
import { until } from '../../support/until.ts';
import { createWorkersPlace, startOwnRedis } from './workers-place.ts';

const log = createLog('workers', 'silent');
const redisServer = await startOwnRedis();
after(() => redisServer.stop());
let places = 0;

async function startRunner(processors: Partial<Processors>) {
  const redis = connectRedis(redisServer.url, log, 'patient');
  const prefix = `test-${places++}`;
  const idle = Object.fromEntries(Object.keys(JOBS).map((name) => [name, async () => {}])) as unknown as Processors;
  const runner = await startJobRunner({
    redis,
    prefix,
    clock: systemClock,
    scheduler: systemScheduler,
    log,
    processors: { ...idle, ...processors },
  });
  const activity = new Queue('{activity}', { connection: redis, prefix, skipMetasUpdate: true });
  return {
    runner,
    redis,
    activity,
    async stop() {
      await runner.stop();
      await activity.close();
      redis.disconnect();
    },
  };
}

test('BullMQ keeps few notes of the jobs that have run', async () => {
  let runs = 0;
  const { runner, redis, activity, stop } = await startRunner({
    async activity() {
      runs += 1;
    },
  });
  const jobs = Array.from({ length: LIMITS.jobsPerAdd }, (_, index) => ({
    id: `activity-${index}`,
    payload: { organizationId: index + 1 },
  }));
  try {
    await runner.add('activity', jobs);
    await until('all have run', () => runs === jobs.length);
    const notes = await redis.xlen(activity.toKey('events'));
    // Redis trims whole nodes of a hundred.
    assert.ok(notes > 0 && notes <= LIMITS.jobNotes + 100, `${notes} notes of ${runs} jobs`);
  } finally {
    await stop();
  }
});

test('a job with a payload that its name does not allow fails once, and its id is free again', async () => {
  const seen: number[] = [];
  const { runner, activity, stop } = await startRunner({
    activity: async ({ organizationId }) => void seen.push(organizationId),
  });
  try {
    for (const payload of [{}, { organizationId: '1' }, { organizationId: -1 }, { organizationId: 1.5 }, []]) {
      await activity.add('activity', payload, { jobId: 'activity-7', attempts: 5, removeOnFail: true });
      await until('its id is free', async () => (await activity.getJob('activity-7')) === undefined);
    }
    assert.deepEqual(seen, []);
    await runner.add('activity', [{ id: 'activity-7', payload: { organizationId: 7 } }]);
    await until('it runs', () => seen.length > 0);
    assert.deepEqual(seen, [7]);
  } finally {
    await stop();
  }
});

test('a job that fails runs again after a pause, up to its limit, and can be added again afterwards', async () => {
  const runsAt: number[] = [];
  const { runner, activity, stop } = await startRunner({
    async activity() {
      runsAt.push(performance.now());
      if (runsAt.length < 3) throw new Error('not yet');
    },
  });
  const job = { id: 'activity-7', payload: { organizationId: 7 } };
  try {
    await runner.add('activity', [job]);
    await until('it is done', async () => (await activity.getJob(job.id)) === undefined);
    assert.equal(runsAt.length, 3);
    assert.ok(runsAt[2]! - runsAt[1]! > 400, 'the second pause is longer than half a second, less the jitter');
    await runner.add('activity', [job]);
    await until('it runs again', () => runsAt.length === 4);
  } finally {
    await stop();
  }
});

test('many wake-ups for one organization become one job', async () => {
  let runs = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { runner, activity, stop } = await startRunner({
    async activity() {
      runs += 1;
      await finished;
    },
  });
  try {
    const job = { id: 'activity-7', payload: { organizationId: 7 } };
    for (let i = 0; i < 50; i++) await runner.add('activity', [job, job]);
    finish();
    await until('it is done', async () => (await activity.getJob(job.id)) === undefined);
    assert.equal(runs, 1);
  } finally {
    await stop();
  }
});

test('stopping lets a running job finish and starts no other', async () => {
  const finished: number[] = [];
  let begun = 0;
  const { runner, stop } = await startRunner({
    async activity({ organizationId }, signal) {
      begun += 1;
      while (!signal.aborted) await delay(5);
      await delay(200);
      finished.push(organizationId);
    },
  });
  const jobs = [1, 2, 3, 4, 5, 6].map((organizationId) => ({
    id: `activity-${organizationId}`,
    payload: { organizationId },
  }));
  await runner.add('activity', jobs);
  await until('as many run as may', () => begun === 4);
  await stop();
  assert.deepEqual(finished.sort(), [1, 2, 3, 4]);
});

test('a schedule that Redis lost is put back and runs at once', async () => {
  let runs = 0;
  const { runner, redis, stop } = await startRunner({
    async partitions() {
      runs += 1;
    },
  });
  try {
    await runner.ensureScheduled('partitions', 3_600_000);
    await until('it runs', () => runs === 1);
    await runner.ensureScheduled('partitions', 3_600_000);
    await delay(200);
    assert.equal(runs, 1, 'a schedule that stands is left alone');
    await redis.flushall();
    await runner.ensureScheduled('partitions', 3_600_000);
    await until('it runs again', () => runs === 2);
  } finally {
    await stop();
  }
});

test('a schedule by a clock that was far ahead is made again and runs at once, one by a clock little ahead stands', async (t) => {
  let runs = 0;
  const { runner, stop } = await startRunner({
    async partitions() {
      runs += 1;
    },
  });
  const scheduledAhead = async (aheadMs: number, everyMs: number) => {
    const before = runs;
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + aheadMs });
    await runner.ensureScheduled('partitions', everyMs);
    await until('it runs', () => runs === before + 1);
    t.mock.timers.reset();
    await runner.ensureScheduled('partitions', everyMs);
  };
  try {
    await scheduledAhead(3 * 3_600_000, 3_600_000);
    await until('it runs again', () => runs === 2);
    await runner.ensureScheduled('partitions', 3_600_000);
    for (const [aheadMs, everyMs] of [
      [30_000, 15_000],
      [1_800_000, 3_600_001],
    ] as const) {
      const before = runs;
      await scheduledAhead(aheadMs, everyMs);
      await delay(200);
      assert.equal(runs, before + 1, `${aheadMs} ms ahead`);
    }
  } finally {
    await stop();
  }
});

test('nothing in Redis names a job once it is forgotten, though its worker has died and that was noted', async () => {
  let left: string[] | undefined;
  const { runner, redis, activity, stop } = await startRunner({
    async 'organization-deletion'(_, _signal, queues) {
      await queues.forget('activity', 'activity-7');
      left = await findInRedis(redis, activity.opts.prefix!, ['activity-7']);
    },
  });
  try {
    // As it lies there when a worker took it and died.
    await activity.pause();
    await activity.add('activity', { organizationId: 7 }, { jobId: 'activity-7' });
    await redis.lmove(activity.toKey('wait'), activity.toKey('active'), 'LEFT', 'RIGHT');
    await until('that is noted', async () => (await redis.sismember(activity.toKey('stalled'), 'activity-7')) === 1);
    await runner.ensureScheduled('organization-deletion', 3_600_000);
    await until('it is forgotten', () => left !== undefined);
    assert.deepEqual(left, []);
  } finally {
    await stop();
  }
});

test('workers refuse a Redis that would evict jobs', async () => {
  const place = await createWorkersPlace(0, redisServer.url);
  const redis = connectRedis(redisServer.url, log, 'patient');
  const releaser = createReleaser(() => {});
  try {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const starting = startWorkers({ config: readConfig(place.environment), log, releaser });
    await assert.rejects(starting, (error) => error instanceof ConfigError && /allkeys-lru/.test(error.message));
  } finally {
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    redis.disconnect();
    await releaser.stop();
    await place.drop();
  }
});

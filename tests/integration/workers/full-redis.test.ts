import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../../engine/launcher/processes/free-port.ts';
import { readConfig } from '../../../engine/runtime/config.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { JOBS } from '../../../schema/jobs.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { readMetrics } from '../../support/metrics.ts';
import { until } from '../../support/until.ts';
import { createWorkersPlace, startOwnRedis, startWorkersProcess } from './workers-place.ts';

const LOOK_MS = 3_000;
const queues = Object.keys(JOBS).length;

test('workers at a Redis that is full say so once for each queue, ask once a second, and go on when it has room', async (t) => {
  const server = await startOwnRedis();
  t.after(() => server.stop());
  const place = await createWorkersPlace(1, server.url);
  t.after(() => place.drop());
  const redis = connectRedis(server.url, createLog('workers', 'silent'), 'patient');
  t.after(() => redis.disconnect());
  const refusals = async () => {
    const found = /errorstat_OOM:count=(\d+)/.exec(await redis.info('errorstats'));
    return found ? Number(found[1]) : 0;
  };
  const workers = await startWorkersProcess(place.environment);
  t.after(() => workers.kill());

  await redis.config('SET', 'maxmemory', '1mb');
  await until('queues are refused', async () => (await refusals()) >= queues);
  const linesBefore = workers.logLines.length;
  await delay(LOOK_MS);
  const told = workers.logLines.filter((line) => line.includes('a queue has trouble')).length;
  assert.ok(told > 0 && told <= queues, `${told} lines of ${queues} queues`);
  const more = workers.logLines.slice(linesBefore);
  assert.ok(more.length <= 3 * queues, `${more.length} lines, the last of them: ${more.at(-1)}`);
  // Some jobs and sweeps ask beside the queues.
  const asked = await refusals();
  assert.ok(asked < 20 * queues * (LOOK_MS / 1_000), `${asked} refusals`);

  await place.commit(place.organizationIds[0]!, 3);
  await redis.config('SET', 'maxmemory', '0');
  await place.untilCounted();
  assert.equal(await workers.stop(), 0);
});

test('workers that start while Redis is away serve metrics, which tell what waits for it, and stop', async (t) => {
  const place = await createWorkersPlace(1, 'redis://127.0.0.1:1');
  t.after(() => place.drop());
  await place.commit(place.organizationIds[0]!, 3);
  const port = await findFreePort();
  const config = readConfig({ ...place.environment, WORKERS_METRICS_PORT: `${port}` });
  const releaser = createReleaser(() => {});
  // It waits for Redis until the end.
  startWorkers({ config, log: createLog('workers', 'silent'), releaser }).catch(() => {});
  try {
    await until('the metrics count the events', async () => {
      const metrics = await readMetrics(`http://127.0.0.1:${port}/metrics`).catch(() => '');
      return metrics.includes('\ndispatch_relay_lag_events{consumer="activity"} 3\n');
    });
  } finally {
    await releaser.stop();
  }
});

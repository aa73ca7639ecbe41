import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { JOBS, type JobName } from '../../../schema/jobs.ts';
import { PROVIDER_STEPS } from '../../../schema/money/payment.ts';
import { type Processors, startJobRunner } from '../../../workers/job-runner.ts';
import { startTcpProxy } from '../../support/services/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { startOwnRedis } from './workers-place.ts';

const names = Object.keys(JOBS) as JobName[];
const redisServer = await startOwnRedis();
const proxy = await startTcpProxy(redisServer.url);
const direct = connectRedis(redisServer.url, createLog('workers', 'silent'), 'patient');
after(async () => {
  direct.disconnect();
  await proxy.stop();
  await redisServer.stop();
});

/** A runner whose queues are connected, and whose workers cannot connect. */
async function startRefused() {
  const done = new Set<JobName>();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const processors = Object.fromEntries(names.map((name) => [name, async () => void done.add(name)]));
  const redis = connectRedis(proxy.url, log, 'patient');
  await until('Redis is there', () => redis.status === 'ready');
  proxy.refuse(true);
  const runner = await startJobRunner({
    redis,
    prefix: `test-${Math.random()}`,
    clock: systemClock,
    scheduler: { ...systemScheduler, every: (_, task) => systemScheduler.every(50, task) },
    log,
    processors: processors as unknown as Processors,
  });
  const addAll = async () => {
    for (const name of names) await runner.add(name, [{ id: 'one', payload: PAYLOADS[name] ?? {} } as never]);
  };
  const said = (text: RegExp) => lines.filter((line) => text.test(line)).length;
  return {
    done,
    outages: () => said(/"taking jobs of the queue .* fails; retrying"/),
    refusals: () => said(/NOPERM.*a queue has trouble/),
    recoveries: () => said(/"taking jobs of the queue .* works again"/),
    addAll,
    async stop() {
      await runner.stop();
      redis.disconnect();
    },
  };
}

const PAYLOADS: Partial<Record<JobName, object>> = {
  activity: { organizationId: 7 },
  webhooks: { organizationId: 7, webhookId: 7 },
  'payment-steps': { organizationId: 7, paymentId: 7, step: PROVIDER_STEPS[0] },
};

test('queues whose workers could not connect at first say so once, and do their jobs when they can', {
  timeout: 40_000,
}, async () => {
  const { done, outages, recoveries, addAll, stop } = await startRefused();
  try {
    await addAll();
    await until('each has said so', () => outages() === names.length);
    await delay(300);
    assert.deepEqual([done.size, outages()], [0, names.length]);
    proxy.refuse(false);
    await until('all are done', () => done.size === names.length);
    await until('each has said so', () => recoveries() === names.length);
  } finally {
    proxy.refuse(false);
    await stop();
  }
});

test('a worker whose connection fails to start though Redis is there gives way to another one', {
  timeout: 40_000,
}, async () => {
  const { done, refusals, addAll, stop } = await startRefused();
  try {
    await addAll();
    await direct.acl('SETUSER', 'default', '-info');
    proxy.refuse(false);
    await until('each worker has failed', () => refusals() >= names.length);
    await direct.acl('SETUSER', 'default', '+info');
    await until('all are done', () => done.size === names.length);
  } finally {
    proxy.refuse(false);
    await direct.acl('SETUSER', 'default', '+info');
    await stop();
  }
});

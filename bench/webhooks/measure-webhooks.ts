import { findFreePort } from '../../engine/launcher/processes/free-port.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import { LIMITS } from '../../schema/limits.ts';
import { eventsOf, type PublishOrder, type PublishOutcome } from '../fanout/fanout-order.ts';
import { STAND_IN_NAME } from '../fanout/stamp.ts';
import { runGenerator } from '../load/run-generator.ts';
import { type CpuSeconds, type CpuWatch, watchCpu } from '../measure/process-cpu.ts';
import { taskNamed } from '../replay/task-event.ts';
import type { ServerProcess } from '../stand/server-process.ts';
import type { BareJobsOrder, BareJobsOutcome } from './bare-jobs.ts';
import { addWebhooks, seedLogs } from './seed-log.ts';
import type { SinkOrder, SinkOutcome } from './sink-order.ts';
import type { WebhookOptions } from './webhook-options.ts';

type Part = 'workers' | 'other' | 'postgres' | 'redis';

export interface WebhookBench {
  readonly options: WebhookOptions;
  readonly sql: Sql;
  readonly gateway: ServerProcess;
  readonly workersPid: number;
  readonly postmasterPid: number;
  readonly redis: { readonly pid: number; readonly url: string };
  /** The first event of a log. */
  readonly eventBody: string;
  readonly signal: AbortSignal;
}

/** Full logs, drained once. `cpu` in seconds inside the window; `other` is the sink. */
export interface DrainRun extends SinkOutcome {
  readonly round: number;
  readonly perSecond: number;
  readonly cpu: CpuSeconds<Part>;
}

/** Jobs that do nothing, once; `workers` is the process that adds and processes them. */
export interface JobsRun extends BareJobsOutcome {
  readonly round: number;
  readonly perSecond: number;
  readonly cpu: CpuSeconds<'workers' | 'redis'>;
}

/** Tasks created at a steady rate; all webhooks of one organization receive each. */
export interface SteadyRun extends SinkOutcome {
  readonly perSecond: number;
  readonly publishing: PublishOutcome;
  readonly cpu: CpuSeconds<Part>;
}

const SINK = new URL('./sink.ts', import.meta.url);
const JOBS = new URL('./bare-jobs.ts', import.meta.url);
const PUBLISHERS = new URL('../fanout/publishers.ts', import.meta.url);
/** The share of the deliveries at each end that does not count: not all endpoints are served then. */
const EDGE = 0.1;
/** A server that needs longer is far from any goal. */
const PATIENCE_SECONDS = 300;
const CLIENTS = 16;

export async function measureDrain(round: number, bench: WebhookBench): Promise<DrainRun> {
  const { options, sql, eventBody } = bench;
  const { organizations, webhooks, concurrency, deliveries } = options;
  const events = deliveries / webhooks;
  const organizationIds = await seedLogs(sql, organizations, events, eventBody);
  await sql`CHECKPOINT`;
  const port = await findFreePort();
  const order = { port, webhooks, events, from: EDGE, to: 1 - EDGE, patienceMs: PATIENCE_SECONDS * 1_000 };
  const seed = { baseUrl: `http://127.0.0.1:${port}`, perOrganization: webhooks / organizations, concurrency };
  const { outcome, cpu } = await runSink(order, bench, () => addWebhooks(sql, organizationIds, seed));
  return { ...outcome, round, perSecond: (outcome.deliveries * 1_000) / outcome.windowMs, cpu };
}

export async function measureJobs(round: number, bench: WebhookBench): Promise<JobsRun> {
  const { options, redis, signal } = bench;
  const order: BareJobsOrder = {
    redisUrl: redis.url,
    prefix: 'bare-jobs',
    jobs: options.deliveries,
    concurrency: LIMITS.webhooksAtOnce,
    jobsPerAdd: LIMITS.jobsPerAdd,
    edge: EDGE,
    ...{ warmUpSeconds: 0, seconds: PATIENCE_SECONDS },
  };
  const cpu = windowed((pid) => watchCpu({ workers: [pid], redis: [redis.pid] }));
  const outcome = await runGenerator<BareJobsOutcome>(JOBS, order, { signal, onWindow: cpu.onWindow });
  return { ...outcome, round, perSecond: (outcome.jobs * 1_000) / outcome.windowMs, cpu: cpu.read() };
}

/** All webhooks are of this organization. */
export async function measureSteady(
  organization: { readonly organizationId: number; readonly key: string },
  bench: WebhookBench,
): Promise<SteadyRun> {
  const { options, sql, gateway, signal } = bench;
  const { webhooks, concurrency, steadyRate, seconds, warmUpSeconds } = options;
  const port = await findFreePort();
  const seed = { baseUrl: `http://127.0.0.1:${port}`, perOrganization: webhooks, concurrency };
  await addWebhooks(sql, [organization.organizationId], seed);
  const publish: PublishOrder = {
    url: `${gateway.baseUrl}/api/v1/tasks`,
    headers: { 'x-api-key': organization.key },
    body: JSON.stringify(taskNamed(STAND_IN_NAME)),
    expectedStatus: 201,
    publishers: CLIENTS,
    eventsPerSecond: steadyRate / webhooks,
    ...{ warmUpSeconds, seconds },
  };
  const patienceMs = (warmUpSeconds + seconds + PATIENCE_SECONDS / 10) * 1_000;
  const from = warmUpSeconds / (warmUpSeconds + seconds);
  const order = { port, webhooks, events: eventsOf(publish), from, to: 1, patienceMs };
  let publishing: Promise<PublishOutcome> | undefined;
  const { outcome, cpu } = await runSink(order, bench, async () => {
    publishing = runGenerator<PublishOutcome>(PUBLISHERS, publish, { signal, onWindow: () => {} });
    publishing.catch(() => {});
  });
  const facts = { perSecond: (outcome.deliveries * 1_000) / outcome.windowMs, publishing: await publishing! };
  return { ...outcome, ...facts, cpu };
}

/** Opens the sink, starts the source of deliveries, and resolves when every delivery has come, or too late. */
async function runSink(
  order: Omit<SinkOrder, 'warmUpSeconds' | 'seconds'>,
  { workersPid, postmasterPid, redis, signal }: WebhookBench,
  begin: () => Promise<void>,
): Promise<{ readonly outcome: SinkOutcome; readonly cpu: CpuSeconds<Part> }> {
  const cpu = windowed((sinkPid) =>
    watchCpu<Part>({ workers: [workersPid], other: [sinkPid], postgres: { tree: postmasterPid }, redis: [redis.pid] }),
  );
  const timed = { ...order, warmUpSeconds: 0, seconds: Math.ceil(order.patienceMs / 1_000) };
  const outcome = await new Promise<SinkOutcome>((resolve, reject) => {
    const onReady = () => void begin().catch(reject);
    runGenerator<SinkOutcome>(SINK, timed, { signal, onWindow: cpu.onWindow, onReady }).then(resolve, reject);
  });
  if (outcome.missing > 0) throw new Error(`${outcome.missing} deliveries did not come within ${order.patienceMs} ms`);
  return { outcome, cpu: cpu.read() };
}

/** CPU between the two ends of a window. */
function windowed<P extends string>(watchFrom: (pid: number) => CpuWatch<P>) {
  let watch: CpuWatch<P> | undefined;
  let used: CpuSeconds<P> | undefined;
  return {
    onWindow(edge: 'start' | 'end', pid: number) {
      if (edge === 'start') watch = watchFrom(pid);
      else used = watch!.read();
    },
    read: () => used!,
  };
}

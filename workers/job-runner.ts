import { setMaxListeners } from 'node:events';
import { type Job, Queue, UnrecoverableError } from 'bullmq';
import type { Redis } from 'ioredis';
import * as v from 'valibot';
import type { Clock, Scheduler } from '../engine/runtime/clock.ts';
import { withDeadline } from '../engine/runtime/deadline.ts';
import type { Log } from '../engine/runtime/log.ts';
import { RedisAwayError } from '../engine/runtime/outage.ts';
import { JOBS, type JobName, type JobPayload } from '../schema/jobs.ts';
import { LIMITS } from '../schema/limits.ts';
import { type JobWorker, startJobWorker } from './job-worker.ts';
import { createTroubleLog } from './trouble-log.ts';

/** The operations of jobs on the queues. */
export interface JobQueues {
  /**
   * Takes back the job of this id, if one is named and unless it runs, and all that the queue notes of jobs by their
   * ids: nobody reads it. Rejects with RedisAwayError while Redis is away.
   */
  forget(name: JobName, id?: string): Promise<void>;
}

/** Does a job. May run twice, and twice at the same time; `signal` asks it to come to an end. */
type Processor<N extends JobName> = (payload: JobPayload<N>, signal: AbortSignal, queues: JobQueues) => Promise<void>;
export type Processors = { readonly [N in JobName]: Processor<N> };

export interface NewJob<N extends JobName> {
  /** While a job of this id waits or runs, adding it again does nothing. No `:`, and not a number. */
  readonly id: string;
  readonly payload: JobPayload<N>;
}

export interface JobRunnerOptions {
  /** A patient connection, shared by the queues; each worker opens one of its own like it. */
  readonly redis: Redis;
  /** Begins every key. */
  readonly prefix: string;
  readonly processors: Processors;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

export interface JobRunner {
  /** Rejects with RedisAwayError while Redis is away. At most LIMITS.jobsPerAdd jobs. */
  add<N extends JobName>(name: N, jobs: readonly NewJob<N>[]): Promise<void>;
  /** Puts the schedule of a job without a payload back unless it stands; a new schedule begins with a run at once. */
  ensureScheduled(name: JobName, everyMs: number): Promise<void>;
  /** Takes no more jobs and lets those that run finish; rejects when they need longer than LIMITS.jobDrainMs. */
  stop(): Promise<void>;
}

/**
 * Runs the jobs of schema/jobs.ts. BullMQ is a wake-up here and nothing more: a job is removed when it has completed
 * and when it has failed, since an id that is kept would turn the next wake-up into nothing.
 */
export async function startJobRunner(options: JobRunnerOptions): Promise<JobRunner> {
  const { redis, prefix, clock, log } = options;
  const names = Object.keys(JOBS) as JobName[];
  const stopping = new AbortController();
  // Each job that runs listens to it, and Node would warn of a leak from the eleventh on.
  setMaxListeners(0, stopping.signal);
  const streams = { events: { maxLen: LIMITS.jobNotes } };
  const queues = new Map(
    names.map((name) => [name, new Queue(queueName(name), { connection: redis, prefix, streams })]),
  );
  for (const queue of queues.values()) queue.on('error', createTroubleLog(redis, queue.name, clock, log));
  await Promise.all([...queues.values()].map((queue) => queue.waitUntilReady()));
  const running = new Set<Promise<void>>();
  const forget = async (name: JobName, id?: string) => {
    const queue = queueOf(name);
    if (id !== undefined) {
      await queue.remove(id);
      // BullMQ leaves it there until its next look for dead workers.
      await redis.srem(queue.toKey('stalled'), id);
    }
    await redis.unlink(queue.toKey('events'));
  };
  const workers = names.map((name) => startWorker(name, options, running, stopping.signal, { forget }));

  function queueOf(name: JobName): Queue {
    // Jobs that wait for Redis would pile up in the connection, and a sweep finds them again anyway.
    if (redis.status !== 'ready') throw new RedisAwayError('Redis is away');
    return queues.get(name)!;
  }

  return {
    async add(name, jobs) {
      const data = jobs.map(({ id, payload }) => ({ name, data: payload, opts: { ...jobOptions(name), jobId: id } }));
      await queueOf(name).addBulk(data);
    },
    async ensureScheduled(name, everyMs) {
      const queue = queueOf(name);
      const known = await queue.getJobScheduler(name);
      const isKnown = known?.every === everyMs && known.next !== undefined;
      // By a clock that was ahead and has been set back. BullMQ would keep the time of its next run.
      const isAhead = isKnown && known.next! > clock.now() + everyMs + Math.max(everyMs, LIMITS.workerClockSkewMs);
      // A schedule whose next run is long overdue has lost the job that carries it on.
      if (isKnown && !isAhead && known.next! > clock.now() - everyMs) return;
      if (isAhead) await queue.removeJobScheduler(name);
      await queue.upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts: jobOptions(name) });
    },
    async stop() {
      stopping.abort();
      const closed = Promise.all([...workers, ...queues.values()].map((each) => each.close()));
      closed.catch(() => {});
      // Without Redis nothing can be handed back, and closing would wait for it: what runs is all there is to wait for.
      const finished = redis.status === 'ready' ? closed : Promise.allSettled(running);
      await withDeadline<unknown>(finished, LIMITS.jobDrainMs, 'finishing the running jobs');
    },
  };
}

/** The braces are a hash tag: in a cluster all keys of a queue lie on one node, and the queues spread over the nodes. */
function queueName(name: JobName): string {
  return `{${name}}`;
}

function jobOptions(name: JobName) {
  const { attempts, firstPauseMs } = JOBS[name];
  return {
    attempts,
    backoff: { type: 'exponential', delay: firstPauseMs, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: true,
  };
}

function startWorker(
  name: JobName,
  options: JobRunnerOptions,
  running: Set<Promise<void>>,
  signal: AbortSignal,
  jobQueues: JobQueues,
): JobWorker {
  const { redis, prefix, processors, clock, scheduler, log } = options;
  const { payload: schema, concurrency } = JOBS[name];
  const process = processors[name] as Processor<JobName>;

  async function run(job: Job): Promise<void> {
    const payload = v.safeParse(schema, job.data);
    if (!payload.success)
      throw new UnrecoverableError(`a payload that no ${name} job has: ${v.summarize(payload.issues)}`);
    await process(payload.output, signal, jobQueues);
  }

  function track(job: Job): Promise<void> {
    const done = run(job).finally(() => running.delete(done));
    running.add(done);
    return done;
  }

  return startJobWorker({
    name: queueName(name),
    process: track,
    settings: {
      connection: redis,
      prefix,
      concurrency,
      lockDuration: LIMITS.jobLockMs,
      stalledInterval: LIMITS.stalledJobCheckMs,
      maxStalledCount: LIMITS.jobStalls,
      runRetryDelay: LIMITS.storeRetryMs,
    },
    stopping: signal,
    clock,
    scheduler,
    log,
  });
}

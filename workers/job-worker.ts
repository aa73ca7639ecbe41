import { type Job, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq';
import { type Clock, type Scheduler, sleep } from '../engine/runtime/clock.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createOutage } from '../engine/runtime/outage.ts';
import type { Redis } from '../engine/store/redis.ts';
import { LIMITS } from '../schema/limits.ts';
import { createTroubleLog } from './trouble-log.ts';

export interface JobWorkerOptions {
  /** The name of its queue. */
  readonly name: string;
  readonly process: (job: Job) => Promise<void>;
  /** `connection` is shared; the worker opens one more like it, on which it waits for jobs. */
  readonly settings: WorkerOptions & { readonly connection: Redis };
  /** Aborted before it is closed. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

export interface JobWorker {
  /** Takes no more jobs; resolves when those that run have finished. */
  close(): Promise<void>;
}

/**
 * Keeps a worker at the jobs of a queue. BullMQ keeps the first result of a connection: a worker whose connection failed
 * to start takes no job any more, and another one takes its place. Logs once when jobs wait although Redis is there.
 */
export function startJobWorker(options: JobWorkerOptions): JobWorker {
  const { settings, stopping, log } = options;
  const { connection: shared } = settings;
  const outage = createOutage(log, `taking jobs of the queue ${options.name}`);
  const troubled = createTroubleLog(shared, options.name, options.clock, log);
  let worker = createWorker(options, troubled);
  /** On which it waits; none until that is ready for the first time. */
  let waiting: { readonly status: string } | undefined;
  let wasAway = false;
  void keepRunning();

  async function keepRunning(): Promise<void> {
    while (!stopping.aborted) {
      try {
        await worker.waitUntilReady();
        waiting = await worker.getBackend().blockingClient;
        await worker.run();
      } catch (error) {
        // A loop is not expected to end by itself; should it, it begins again rather than leave its jobs undone.
        if (waiting) log.error({ err: error, job: options.name }, 'the loop of a worker ended');
        else if (!stopping.aborted) outage.failed(error);
      }
      if (!stopping.aborted) await sleep(LIMITS.storeRetryMs);
      if (!waiting && !stopping.aborted) replace();
    }
  }

  function replace(): void {
    worker.close(true).catch((error) => log.warn({ err: error }, 'a worker that did not start cannot be closed'));
    worker = createWorker(options, troubled);
  }

  const stopLooking = options.scheduler.every(LIMITS.queueLookMs, () => {
    if (shared.status !== 'ready') return;
    const isAway = waiting?.status !== 'ready';
    if (!isAway) outage.worked();
    else if (wasAway) outage.failed(new Error('its connection to Redis is away'));
    wasAway = isAway;
  });

  return {
    close() {
      stopLooking();
      // One that never started runs no job, and would wait for its connection.
      return worker.close(waiting === undefined);
    },
  };
}

/** BullMQ asks for the next job again at once after Redis has refused to give one, as a full Redis does. */
class PatientWorker extends Worker {
  protected override async moveToActive(token: string, name?: string): Promise<Job> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      if ((error as Error).name === 'ReplyError') await sleep(LIMITS.storeRetryMs);
      throw error;
    }
  }
}

function createWorker({ name, process, settings, log }: JobWorkerOptions, troubled: (error: Error) => void): Worker {
  const worker = new PatientWorker(name, process, { ...settings, autorun: false });
  worker.on('error', troubled);
  worker.on('failed', (job, error) => {
    const isLast = error instanceof UnrecoverableError || !job || job.attemptsMade >= (job.opts.attempts ?? 1);
    const context = { err: error, job: job?.name, id: job?.id, attempt: job?.attemptsMade };
    if (isLast) log.error(context, 'a job failed for good');
    else log.debug(context, 'a job failed and will run again');
  });
  worker.on('stalled', (id) => log.warn({ queue: name, id }, 'a job lost its worker and runs again'));
  return worker;
}

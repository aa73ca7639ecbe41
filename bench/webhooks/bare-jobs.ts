import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { serveOrder } from '../load/serve-order.ts';

export interface BareJobsOrder {
  readonly redisUrl: string;
  /** Begins every key. */
  readonly prefix: string;
  readonly jobs: number;
  readonly concurrency: number;
  readonly jobsPerAdd: number;
  /** As of the sink. */
  readonly edge: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface BareJobsOutcome {
  /** Inside the window. */
  readonly jobs: number;
  readonly windowMs: number;
}

/** BullMQ with nothing to do: one process adds jobs, in bulk, and processes them. */

/** Added beyond those processed, as a relay that runs ahead would. */
const MOST_AHEAD = 5_000;

serveOrder(async (order: BareJobsOrder, tellWindow, tellReady): Promise<BareJobsOutcome> => {
  const connect = () => new Redis(order.redisUrl, { maxRetriesPerRequest: null });
  const { prefix, jobs, concurrency, jobsPerAdd, edge } = order;
  const [from, to] = [Math.floor(jobs * edge), Math.ceil(jobs * (1 - edge))];
  let done = 0;
  let startedAt = 0;
  let endedAt = 0;
  let onDone = () => {};
  const queue = new Queue('bare', { connection: connect(), prefix });
  const worker = new Worker('bare', async () => {}, { connection: connect(), prefix, concurrency, autorun: false });
  worker.on('completed', () => {
    done += 1;
    if (done === from) {
      startedAt = performance.now();
      tellWindow('start');
    } else if (done === to) {
      endedAt = performance.now();
      tellWindow('end');
    }
    onDone();
  });
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  tellReady();
  const running = worker.run();
  for (let added = 0; added < jobs; ) {
    const count = Math.min(jobsPerAdd, jobs - added);
    const opts = { removeOnComplete: true, removeOnFail: true };
    await queue.addBulk(Array.from({ length: count }, () => ({ name: 'bare', data: {}, opts })));
    added += count;
    await until(() => added - done < MOST_AHEAD);
  }
  await until(() => done === jobs);
  await worker.close();
  await running;
  await queue.obliterate();
  return { jobs: to - from, windowMs: endedAt - startedAt };

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo())
      await new Promise<void>((resolve) => {
        onDone = resolve;
      });
  }
});

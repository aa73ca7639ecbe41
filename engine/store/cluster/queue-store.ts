import { Queue } from 'bullmq';
import { JOBS, type JobName } from '../../../schema/jobs.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { withDeadline } from '../../runtime/deadline.ts';
import type { Redis } from '../redis.ts';

/** The present state of a job queue. */
export interface QueueFacts {
  readonly queue: JobName;
  readonly waiting: number;
  readonly active: number;
  /** Scheduled, or between two runs. */
  readonly delayed: number;
  readonly failed: number;
  /** When the next run of a schedule is due; null without one. */
  readonly nextRunAt: string | null;
}

/** How many jobs wait in each queue. `prefix`: see RedisKeys. */
export function listQueues(redis: Redis, prefix: string): Promise<QueueFacts[]> {
  const names = Object.keys(JOBS) as JobName[];
  const facts = Promise.all(names.map((name) => readQueue(redis, prefix, name)));
  return withDeadline(facts, LIMITS.readDeadlineMs, 'listing the queues');
}

async function readQueue(redis: Redis, prefix: string, name: JobName): Promise<QueueFacts> {
  // In braces, as workers/job-runner.ts names them.
  const queue = new Queue(`{${name}}`, { connection: redis, prefix, skipMetasUpdate: true });
  // The deadline reports it.
  queue.on('error', () => {});
  try {
    const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'failed');
    const schedule = await queue.getJobScheduler(name);
    return {
      queue: name,
      waiting: counts['wait'] ?? 0,
      active: counts['active'] ?? 0,
      delayed: counts['delayed'] ?? 0,
      failed: counts['failed'] ?? 0,
      nextRunAt: schedule?.next === undefined ? null : new Date(schedule.next).toISOString(),
    };
  } finally {
    await queue.close();
  }
}

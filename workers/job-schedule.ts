import type { Scheduler } from '../engine/runtime/clock.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createOutage } from '../engine/runtime/outage.ts';
import type { JobName } from '../schema/jobs.ts';
import { LIMITS } from '../schema/limits.ts';
import type { JobRunner } from './job-runner.ts';

interface JobScheduleOptions {
  readonly runner: Pick<JobRunner, 'ensureScheduled'>;
  readonly name: JobName;
  readonly everyMs: number;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** Runs a job over and over, across all workers; the schedule stands in Redis and is put back when it was lost there. */
export function startJobSchedule({ runner, name, everyMs, scheduler, log }: JobScheduleOptions): { stop(): void } {
  const outage = createOutage(log, `scheduling ${name}`);
  let isBusy = false;
  let isStopped = false;

  async function ensure(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    try {
      await runner.ensureScheduled(name, everyMs);
      outage.worked();
    } catch (error) {
      if (!isStopped) outage.failed(error);
    } finally {
      isBusy = false;
    }
  }

  void ensure();
  const stopEnsuring = scheduler.every(LIMITS.scheduleCheckMs, () => void ensure());
  return {
    stop() {
      isStopped = true;
      stopEnsuring();
    },
  };
}

import type { TimeToServe } from '../../../schema/tasks/task.ts';

/** Minutes a task takes when nobody said (docs/contract.md §3 "Times"). */
export const DEFAULT_MINUTES: Readonly<Record<TimeToServe, number>> = { scheduled: 60, asap: 24 * 60 };

/** The moment after which an open task counts as delayed (docs/contract.md §3), in milliseconds since the epoch. */
export function delayedAfterMs(task: {
  readonly timeToServe: TimeToServe;
  readonly scheduledAt: string | null;
  readonly createdAt: string;
  readonly estimatedDuration: number | null;
}): number {
  const minutes = task.estimatedDuration ?? DEFAULT_MINUTES[task.timeToServe];
  return Date.parse(task.scheduledAt ?? task.createdAt) + minutes * 60_000;
}

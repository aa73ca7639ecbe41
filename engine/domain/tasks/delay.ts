import type { TaskRecord, TimeToServe } from '../../../schema/tasks/task.ts';
import { isoOf } from '../shown-time.ts';

/** Minutes a task takes when nobody said (docs/contract.md §3 "Times"). */
export const DEFAULT_MINUTES: Readonly<Record<TimeToServe, number>> = { scheduled: 60, asap: 24 * 60 };

type Planned = Pick<TaskRecord, 'timeToServe' | 'scheduledAt' | 'createdAt' | 'estimatedDuration' | 'windowEnd'>;
type Ending = Planned & Pick<TaskRecord, 'status' | 'completedAt' | 'cancelledAt' | 'delayedAt'>;

/**
 * The moment after which a task is late. The column `tasks.due_at` says the same. Source: docs/contract.md §3 "Times".
 */
export function dueAtOf(task: Planned): string {
  if (task.windowEnd !== null) return task.windowEnd;
  const minutes = task.estimatedDuration ?? DEFAULT_MINUTES[task.timeToServe];
  return isoOf(Date.parse(task.scheduledAt ?? task.createdAt) + minutes * 60_000);
}

/** Whether a task shows as delayed: open past its time, or completed after it. */
export function isDelayed({ status, delayedAt }: Pick<TaskRecord, 'status' | 'delayedAt'>): boolean {
  return delayedAt !== null && status !== 'cancelled';
}

/**
 * When a changed task became late. An open task is found late by its timer, and is in time again when it is due later.
 * At its end, the time of the end decides, which a driver who was offline may tell afterwards.
 */
export function delayedAtOf(task: Ending, now: string): string | null {
  const due = dueAtOf(task);
  const endedAt = task.completedAt ?? task.cancelledAt;
  if (endedAt !== null) return endedAt > due ? due : null;
  return task.delayedAt !== null && due <= now ? due : null;
}

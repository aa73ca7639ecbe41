import type { TaskSearch } from '../../../schema/assignment/assignment.ts';
import { isTerminal, type TaskRecord } from '../../../schema/tasks/task.ts';
import { delayedAtOf, dueAtOf } from './delay.ts';

type Timed = Pick<
  TaskRecord,
  'status' | 'timeToServe' | 'scheduledAt' | 'createdAt' | 'estimatedDuration' | 'windowEnd' | 'delayedAt' | 'search'
>;

/** A task after a change: the next version, late or in time, and due when its actor has to look at it again. */
export function changedTask(before: TaskRecord, fields: Partial<TaskRecord>, now: string): TaskRecord {
  const changes = { ...before, ...fields, version: before.version + 1, updatedAt: now };
  const task = { ...changes, delayedAt: delayedAtOf(changes, now) };
  return { ...task, deadlineAt: deadlineOf(task) };
}

/** When the actor of an open task has to look at it: the earliest of its delay and what its search waits for. */
export function deadlineOf(task: Timed): string | null {
  if (isTerminal(task.status)) return null;
  const delay = task.delayedAt === null ? dueAtOf(task) : null;
  if (!task.search) return delay;
  const search = searchDeadlineOf(task.search);
  return delay !== null && delay < search ? delay : search;
}

export function isLate(task: Timed, now: string): boolean {
  return task.delayedAt === null && !isTerminal(task.status) && dueAtOf(task) <= now;
}

function searchDeadlineOf(search: TaskSearch): string {
  if (search.startsAt !== null) return search.startsAt;
  const [firstToRunOut] = search.open.map(({ expiresAt }) => expiresAt).sort();
  return firstToRunOut ?? search.until;
}

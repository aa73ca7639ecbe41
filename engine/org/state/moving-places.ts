import { LIMITS } from '../../../schema/limits.ts';
import { isTerminal, type TaskRecord, type TaskStatus } from '../../../schema/tasks/task.ts';

/** How many of an organization's tasks are open, and how many of these are moving ones. */
export interface MovingPlaces {
  readonly openTasks: number;
  readonly movingTasks: number;
}

/** The statuses of tasks that nobody has. */
const UNTAKEN: ReadonlySet<TaskStatus> = new Set(['new', 'awaiting_assignment']);

/** Whether the steps of a task write no index entry (docs/internals/lists-and-search.md). */
export function isMoving({ movingWhileOpen, status }: Pick<TaskRecord, 'movingWhileOpen' | 'status'>): boolean {
  return movingWhileOpen && !isTerminal(status);
}

/**
 * Whether a task without a place among the moving ones gets one by a change; `before` is undefined for a new task. There
 * are few places, so they are for tasks that go on stepping: those that somebody takes. While few tasks are open, a new
 * one gets a place too, unless it is for later: it may wait for days.
 */
export function takesPlace(
  { status, scheduledAt }: Pick<TaskRecord, 'status' | 'scheduledAt'>,
  before: Pick<TaskRecord, 'status'> | undefined,
  { openTasks, movingTasks }: MovingPlaces,
): boolean {
  if (isTerminal(status) || status === before?.status || movingTasks >= LIMITS.movingTasks) return false;
  if (!UNTAKEN.has(status)) return true;
  return before === undefined && scheduledAt === null && openTasks < LIMITS.movingNewTasks;
}

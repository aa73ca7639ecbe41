import { type Refusal, refusal } from '../../../schema/errors.ts';
import { isCashType, isTerminal, TASK_STATUSES, type TaskRecord } from '../../../schema/tasks/task.ts';
import type { Actor } from './task-machine.ts';

/** The exceptions of a day are for dispatchers and administrators. Source: docs/contract.md §2. */
export function mayHandleExceptions({ role }: Pick<Actor, 'role'>): boolean {
  return role !== 'agent' && role !== 'integration';
}

/** POST /tasks/:id/amend: until the task ends. Refuses with TASK_NOT_EDITABLE. */
export function checkAmendment({ status }: Pick<TaskRecord, 'status'>): Refusal | undefined {
  if (!isTerminal(status)) return undefined;
  const editableIn = TASK_STATUSES.filter((one) => !isTerminal(one));
  return refusal('TASK_NOT_EDITABLE', `A task in ${status} can no longer be amended`, { status, editableIn });
}

/** Judges the window of a changed task. Undefined or a sentence. */
export function checkWindow({
  windowStart,
  windowEnd,
  readyAt,
}: Pick<TaskRecord, 'windowStart' | 'windowEnd' | 'readyAt'>): string | undefined {
  if (windowEnd === null) return undefined;
  if (windowStart !== null && windowEnd <= windowStart) return 'windowEnd must be after windowStart';
  return readyAt !== null && readyAt > windowEnd ? `windowEnd must not be before readyAt (${readyAt})` : undefined;
}

type Failed = Pick<TaskRecord, 'status' | 'outcome' | 'childIds' | 'nextTaskId' | 'taskType' | 'pickupLocationId'>;

/**
 * POST /tasks/:id/reattempt: of a task that was completed as failed, once.
 * Refuses with STATUS_DERIVED, TASK_NOT_FAILED, TASK_ALREADY_REATTEMPTED, TASK_NOT_RETURNABLE.
 */
export function checkReattempt(task: Failed, wanted: { readonly isReturn: boolean }): Refusal | undefined {
  const { status, outcome, nextTaskId } = task;
  if (task.childIds !== null) {
    return refusal('STATUS_DERIVED', 'A job is not reattempted, its failed children are', { status, outcome });
  }
  if (status !== 'completed' || outcome !== 'failed') return refusal('TASK_NOT_FAILED', undefined, { status, outcome });
  if (nextTaskId !== null) return refusal('TASK_ALREADY_REATTEMPTED', undefined, { nextTaskId });
  if (!wanted.isReturn) return undefined;
  if (isCashType(task.taskType)) {
    return refusal('TASK_NOT_RETURNABLE', 'A cash task has nothing to bring back', { reason: 'cash' });
  }
  return task.pickupLocationId === null
    ? refusal('TASK_NOT_RETURNABLE', undefined, { reason: 'no_pickup_location' })
    : undefined;
}

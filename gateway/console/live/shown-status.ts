import { TASK_STATUSES } from '../../../schema/tasks/task.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';

/** A status as people need to see it: whether anybody is looked for at all, and how a completed task went. */
export type ShownStatus = TaskView['status'] | 'unassigned' | 'nobody' | 'failed';

/** The order of a life, with the words for a task that nobody has before those for one that somebody has. */
export const SHOWN_STATUSES: readonly ShownStatus[] = ['nobody', 'unassigned', ...TASK_STATUSES, 'failed'];

/** `nobody` is the end of a search; `unassigned` is a task that was taken back and that nobody is looked for. */
export function shownStatusOf(
  task: Pick<TaskView, 'status' | 'outcome' | 'search' | 'autoAssignmentStatus'>,
): ShownStatus {
  const { status, outcome, search, autoAssignmentStatus } = task;
  if (status === 'completed') return outcome === 'failed' ? 'failed' : status;
  if (status !== 'new' && status !== 'awaiting_assignment') return status;
  if (search) return 'awaiting_assignment';
  if (autoAssignmentStatus === 'failed') return 'nobody';
  return status === 'new' ? 'new' : 'unassigned';
}

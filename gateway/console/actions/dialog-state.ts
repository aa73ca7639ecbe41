import { computed } from '@preact/signals';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { isDrafting } from '../page/draft.ts';
import { beginEdit } from '../page/edit.ts';
import { may } from '../page/link.ts';
import { ofUser } from '../page/of-user.ts';
import { openTask } from '../records/open-task.ts';
import { lookFor, reattempt, refusals, unassign } from './act.ts';
import { meansOpenTask, targets } from './selection.ts';

/** The one dialog that is open, with the tasks that it is about. */
export type Dialog =
  | { readonly kind: 'courier'; readonly ids: readonly number[] }
  | { readonly kind: 'cancel'; readonly ids: readonly number[] }
  | { readonly kind: 'keys' }
  | { readonly kind: 'import' }
  | { readonly kind: 'views' }
  | { readonly kind: 'palette' };

export const dialog = ofUser<Dialog | null>(null);

export function closeDialog(): void {
  dialog.value = null;
}

/** The refusals that are shown. They wait while another dialog is open: something may be typed there. */
export const shownRefusals = computed(() => (dialog.value === null ? refusals.value[0] : undefined));

export function closeRefusals(): void {
  refusals.value = refusals.peek().slice(1);
}

export function askForCourier(ids = targets()): void {
  if (ids.length > 0 && may('tasks:assign')) dialog.value = { kind: 'courier', ids };
}

export function askToCancel(ids = targets()): void {
  if (ids.length > 0 && may('tasks:change')) dialog.value = { kind: 'cancel', ids };
}

export function takeBack(ids = targets()): void {
  if (ids.length > 0 && may('tasks:assign')) void unassign(ids);
}

export function lookForCourier(ids = targets()): void {
  if (ids.length > 0 && may('tasks:assign')) void lookFor(ids);
}

export function beginTask(): void {
  if (may('tasks:create')) isDrafting.value = true;
}

export function beginImport(): void {
  if (may('tasks:create')) dialog.value = { kind: 'import' };
}

/** Whether the caller may change the fields of a task: it is open, and no job, which has the fields of its tasks. */
export function isEditable({ status, children }: TaskView): boolean {
  return status !== 'completed' && status !== 'cancelled' && children.length === 0 && may('tasks:exceptions');
}

/** Changes the open task. */
export function editTask(): void {
  const shown = openTask.peek();
  if (shown && meansOpenTask() && isEditable(shown)) beginEdit(shown);
}

/** Whether a failed task can be attempted again; a job is attempted again by its tasks. */
export function isReattemptable({ outcome, nextTaskId, children }: TaskView): boolean {
  return outcome === 'failed' && nextTaskId === null && children.length === 0 && may('tasks:exceptions');
}

/** Attempts the open task again. */
export function attemptAgain(): void {
  const shown = openTask.peek();
  if (shown && meansOpenTask() && isReattemptable(shown)) void reattempt(shown.id, false);
}

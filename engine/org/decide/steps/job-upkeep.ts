import { deriveJob } from '../../../domain/tasks/job.ts';
import { detailsOfStep } from '../../../domain/tasks/step-details.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import type { Draft } from '../../state/draft.ts';
import { withdrawRequests } from './request-steps.ts';
import { endPackages, withoutSearch } from './task-end.ts';
import { updatedTell } from './tell-updated.ts';

/**
 * Brings a job in line with its children after one of them was drafted: its status follows from theirs. Emits an event
 * only when the job itself changed; `newChildId` joins it.
 */
export function followChildren(draft: Draft, jobId: number, now: string, newChildId?: number): void {
  const { task: before, packages } = draft.findTask(jobId)!;
  const childIds = newChildId === undefined ? before.childIds! : [...(before.childIds ?? []), newChildId];
  const derived = deriveJob(childIds.map((id) => draft.findTask(id)!.task));
  const changed: string[] = (Object.keys(derived) as (keyof typeof derived)[]).filter(
    (key) => derived[key] !== before[key],
  );
  if (newChildId !== undefined) changed.push('children');
  if (changed.length === 0) return;
  // A job looks for nobody: its children do.
  const task = changedTask(before, { ...derived, ...withoutSearch(before), childIds }, now);
  withdrawRequests(draft, before.search?.open ?? [], now);
  draft.put({ kind: 'put-task', task, packages: endPackages(draft, packages, task, now) });
  if (task.status !== before.status) {
    draft.put({
      kind: 'tell',
      type: 'task.status_changed',
      taskId: jobId,
      extra: { previousStatus: before.status, status: task.status, reason: null },
      step: {
        kind: 'status_changed',
        fromStatus: before.status,
        toStatus: task.status,
        details: detailsOfStep(before, task),
      },
    });
    return;
  }
  draft.put({ ...updatedTell(jobId, changed), followed: changed });
}

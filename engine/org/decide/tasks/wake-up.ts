import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { isLate } from '../../../domain/tasks/task-deadline.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN } from '../decision.ts';
import { begun, changedTask, draftDecline, draftSearch, draftStatus, endSearchIfOver } from '../steps/task-search.ts';

/** What a look at the organization's timers found. */
export interface DueTimers {
  readonly taskIds: readonly number[];
  /** When the next timer after these is due: as Postgres knew it, or set in memory since. */
  readonly nextDeadlineAt: string | null;
}

/**
 * The organization's timers are due: tasks are late, searches begin or end, requests run out. What was due by the rows may
 * have changed since in memory, so each is judged again here.
 */
export function decideWakeUp(draft: Draft, due: DueTimers, { now }: DecideContext): Decision {
  // First, so that the timers which this sets are seen beside those that were there.
  draft.put({ kind: 'scan-timers', nextDeadlineAt: due.nextDeadlineAt });
  for (const id of due.taskIds) {
    const task = draft.findTask(id)?.task;
    if (!task?.deadlineAt || task.deadlineAt > now) continue;
    if (!task.search || isLate(task, now)) noteDelay(draft, task, now);
    if (task.search) followSearch(draft, id, now);
  }
  return NOTHING_SHOWN;
}

function noteDelay(draft: Draft, before: TaskRecord, now: string): void {
  draft.put({ kind: 'put-task', task: changedTask(before, { delayedAt: now }, now) });
  draft.put({ kind: 'tell', type: 'task.delayed', taskId: before.id, step: { kind: 'delayed' } });
}

function followSearch(draft: Draft, taskId: number, now: string): void {
  const { task } = draft.findTask(taskId)!;
  const { startsAt, open } = task.search!;
  if (startsAt !== null && startsAt <= now) {
    const fields = { search: begun(task.search!), autoAssignmentStatus: 'searching' } as const;
    if (task.status === 'new') draftStatus(draft, task, 'awaiting_assignment', fields, now);
    else draftSearch(draft, task, fields, now);
  }
  for (const request of open) if (request.expiresAt <= now) draftDecline(draft, taskId, request, 'expired', now);
  endSearchIfOver(draft, taskId, now);
}

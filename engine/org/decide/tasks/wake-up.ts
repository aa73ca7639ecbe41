import type { WakeUp } from '../../../../schema/commands.ts';
import { refusal } from '../../../../schema/errors.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { hasRunOut } from '../../../domain/assignment/assignment-machine.ts';
import { dueAtOf } from '../../../domain/tasks/delay.ts';
import { changedTask, deadlineOf, isLate } from '../../../domain/tasks/task-deadline.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, type DueTimers, NOTHING_SHOWN, refuse } from '../decision.ts';
import { followShifts } from '../records/follow-shifts.ts';
import { needsNothing, rule } from '../rule.ts';
import { begun, draftDecline, draftSearch, draftStatus, endSearchIfOver } from '../steps/task-search.ts';

export const wakeUpRule = rule<WakeUp>({
  needs: needsNothing,
  // A repeat after a failure has no due timers; the next scan of the timers wakes the organization again.
  decide: (draft, _, context) =>
    context.due ? decideWakeUp(draft, context.due, context) : refuse(refusal('NOT_APPLIED')),
});

/**
 * The organization's timers are due: tasks are late, searches begin or end, requests expire, shifts too. Rows may be older than
 * memory, so each is judged again here.
 */
function decideWakeUp(draft: Draft, due: DueTimers, { now }: DecideContext): Decision {
  // First, so that the timers which this sets are seen beside those that were there.
  draft.put({ kind: 'scan-timers', nextDeadlineAt: due.nextDeadlineAt });
  for (const id of due.taskIds) {
    const task = draft.findTask(id)?.task;
    if (!task?.deadlineAt || task.deadlineAt > now) continue;
    if (isLate(task, now)) noteDelay(draft, task, now);
    if (task.search) followSearch(draft, id, now);
    correctDeadline(draft, id, now);
  }
  for (const id of due.agentIds) followShifts(draft, id, now);
  return NOTHING_SHOWN;
}

function noteDelay(draft: Draft, before: TaskRecord, now: string): void {
  draft.put({ kind: 'put-task', task: changedTask(before, { delayedAt: dueAtOf(before) }, now) });
  draft.put({ kind: 'tell', type: 'task.delayed', taskId: before.id, step: { kind: 'delayed' } });
}

/**
 * A deadline of a release that judged otherwise must not be due forever. Nothing that shows has changed, so `updatedAt`
 * stays.
 */
function correctDeadline(draft: Draft, taskId: number, now: string): void {
  const { task } = draft.findTask(taskId)!;
  if (!task.deadlineAt || task.deadlineAt > now) return;
  draft.put({ kind: 'put-task', task: { ...task, version: task.version + 1, deadlineAt: deadlineOf(task) } });
}

function followSearch(draft: Draft, taskId: number, now: string): void {
  const { task } = draft.findTask(taskId)!;
  const { startsAt, open } = task.search!;
  if (startsAt !== null && startsAt <= now) {
    const fields = { search: begun(task.search!), autoAssignmentStatus: 'searching' } as const;
    if (task.status === 'new') draftStatus(draft, task, 'awaiting_assignment', fields, now);
    else draftSearch(draft, task, fields, now);
  }
  for (const request of open) if (hasRunOut(request, now)) draftDecline(draft, taskId, request, 'expired', now);
  endSearchIfOver(draft, taskId, now);
}

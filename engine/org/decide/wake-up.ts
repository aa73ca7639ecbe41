import type { TaskRecord } from '../../../schema/task.ts';
import type { Draft } from '../draft.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN } from './decision.ts';

/** What a look at the organization's timers found. */
export interface DueTimers {
  readonly taskIds: readonly number[];
  /** When the next timer after these is due: as Postgres knew it, or set in memory since. */
  readonly nextDeadlineAt: string | null;
}

/**
 * The organization's timers are due. A task past its time becomes delayed, once. What was due by the rows may have
 * changed since in memory, so each is judged again here.
 */
export function decideWakeUp(draft: Draft, due: DueTimers, context: DecideContext): Decision {
  for (const id of due.taskIds) {
    const before = draft.findTask(id)?.task;
    if (!before?.deadlineAt || before.deadlineAt > context.now) continue;
    const task: TaskRecord = {
      ...before,
      version: before.version + 1,
      delayedAt: context.now,
      deadlineAt: null,
      updatedAt: context.now,
    };
    draft.put({ kind: 'put-task', task });
    draft.put({ kind: 'tell', type: 'task.delayed', taskId: id, step: { kind: 'delayed' } });
  }
  draft.put({ kind: 'scan-timers', nextDeadlineAt: due.nextDeadlineAt });
  return NOTHING_SHOWN;
}

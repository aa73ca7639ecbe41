import type { Change } from '../changes.ts';
import type { OrgState } from '../org-state.ts';
import type { DecideContext, Decision } from './decision.ts';

/** What a look at the organization's timers found. */
export interface DueTimers {
  readonly taskIds: readonly number[];
  /** When the next timer after these is due, as Postgres knew it. */
  readonly nextDeadlineAt: string | null;
}

/**
 * The organization's timers are due. A task past its time becomes delayed, once. What was due by the rows may have
 * changed since in memory, so each is judged again here.
 */
export function decideWakeUp(state: OrgState, due: DueTimers, context: DecideContext): Decision {
  const changes: Change[] = [];
  for (const id of due.taskIds) {
    const task = state.findTask(id)?.task;
    if (!task?.deadlineAt || task.deadlineAt > context.now) continue;
    const delayed = {
      ...task,
      version: task.version + 1,
      delayedAt: context.now,
      deadlineAt: null,
      updatedAt: context.now,
    };
    changes.push({ kind: 'task-delayed', task: delayed });
  }
  changes.push({ kind: 'timers-scanned', nextDeadlineAt: earlier(due.nextDeadlineAt, state.deadlineSinceScan) });
  return { ok: true, changes, status: 200, taskId: null };
}

function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

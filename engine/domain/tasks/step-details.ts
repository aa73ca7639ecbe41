import type { TaskRecord } from '../../../schema/tasks/task.ts';

type Stepped = Pick<TaskRecord, 'status' | 'agentId' | 'courierId' | 'outcome' | 'failureReason'>;

/**
 * What the history says of a step beside its statuses: who got the task, who had it until then, how it ended. Null where
 * that is nothing. Whoever loses a task is named as events name it, so that nobody takes it for who has it now.
 */
export function detailsOfStep(before: Stepped, after: Stepped): Readonly<Record<string, unknown>> | null {
  switch (after.status) {
    case 'assigned':
      if (after.agentId !== null) return { agentId: after.agentId };
      return after.courierId === null ? null : { courierId: after.courierId };
    case 'awaiting_assignment':
      if (before.agentId !== null) return { previousAgentId: before.agentId };
      return before.courierId === null ? null : { previousCourierId: before.courierId };
    case 'completed': {
      const { outcome, failureReason } = after;
      return failureReason === null ? { outcome } : { outcome, failureReason };
    }
    default:
      return null;
  }
}

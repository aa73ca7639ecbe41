import type { TaskRecord } from '../../../schema/tasks/task.ts';

type Stepped = Pick<TaskRecord, 'status' | 'agentId' | 'courierId' | 'outcome' | 'failureReason'>;

/**
 * The history's details of a step beside its statuses: the agent that got the task, the one that had it until then, and
 * how it ended. Null where there is none. The losing agent is named as events name it, so that it never looks like the
 * present one.
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

import type { PickUpTask } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { checkPickup } from '../../../domain/tasks/pickup.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { checkOccurredAt, maySee } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';

export const pickUpTaskRule = rule<PickUpTask>({
  needs: needsTask,
  task: taskById,
  decide: decidePickUpTask,
});

/**
 * POST /tasks/:id/picked-up: once; told again, it changes nothing. Refuses, in this order: 400 for an `occurredAt` in the
 * future; 404, also for the task of another agent; 409 STATUS_DERIVED, NO_PICKUP_PLACE, PICKUP_NOT_EXPECTED; 400 for
 * an `occurredAt` before the previous step.
 */
export function decidePickUpTask(draft: Draft, command: PickUpTask, { now }: DecideContext): Decision {
  const { taskId, caller, input } = command;
  const occurredAt = input.occurredAt ?? now;
  if (occurredAt > now) return violate('occurredAt must not be in the future');
  const before = draft.findTask(taskId)?.task;
  if (!before || !maySee(before, caller)) return refuse(notFound('Task', taskId));
  if (before.pickedUpAt !== null) return done('task', taskId);
  const refused = checkPickup(before);
  if (refused) return refuse(refused);
  const late = checkOccurredAt(before, occurredAt, now);
  if (late) return violate(late);
  draft.put({ kind: 'put-task', task: changedTask(before, { pickedUpAt: occurredAt }, now) });
  tellPickedUp(draft, before, occurredAt);
  return done('task', taskId);
}

/** The courier has the goods since `at`. */
export function tellPickedUp(
  draft: Draft,
  { id: taskId, agentId }: Pick<TaskRecord, 'id' | 'agentId'>,
  at: string,
): void {
  const step = { kind: 'picked_up', at, details: { agentId } } as const;
  draft.put({ kind: 'tell', type: 'task.picked_up', taskId, extra: { agentId, at }, step });
}

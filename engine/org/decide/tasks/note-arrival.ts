import type { NoteArrival } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { isAwaited } from '../../../domain/travel/arrival.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN, refuse } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';

export const noteArrivalRule = rule<NoteArrival>({
  needs: needsTask,
  task: taskById,
  decide: decideNoteArrival,
});

/**
 * The agent of a task under way is at its place. Once for an assignment: what a watch that was killed has told before
 * stands in the record. Nothing when the task has another agent by now, is not under way, or has ended. Refuses: 404.
 */
export function decideNoteArrival(draft: Draft, command: NoteArrival, { now }: DecideContext): Decision {
  const { taskId, agentId, at, latitude, longitude } = command;
  const before = draft.findTask(taskId)?.task;
  if (!before) return refuse(notFound('Task', taskId));
  if (before.agentId !== agentId || !isAwaited(before)) return NOTHING_SHOWN;
  const arrivedAt = within(at, before.startedAt ?? now, now);
  const task: TaskRecord = { ...before, version: before.version + 1, arrivedAt, updatedAt: now };
  draft.put({ kind: 'put-task', task });
  const position = { latitude, longitude };
  draft.put({
    kind: 'tell',
    type: 'task.arrived',
    taskId,
    extra: { agentId, position, at: arrivedAt },
    step: { kind: 'arrived', at: arrivedAt, details: { agentId, position } },
  });
  return NOTHING_SHOWN;
}

/** Clocks of devices are off: nobody arrives before setting out, or later than now. ISO times sort as text. */
function within(at: string, earliest: string, latest: string): string {
  if (at > latest) return latest;
  return at < earliest ? earliest : at;
}

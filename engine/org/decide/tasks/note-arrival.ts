import type { NoteArrival } from '../../../../schema/commands.ts';
import type { LocationRecord } from '../../../../schema/customers/location.ts';
import { notFound } from '../../../../schema/errors.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { awaitedAt } from '../../../domain/travel/arrival.ts';
import { distanceM } from '../../../domain/travel/geo.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN, refuse } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';

export const noteArrivalRule = rule<NoteArrival>({
  needs: needsTask,
  task: taskById,
  decide: decideNoteArrival,
});

/**
 * The agent of a task is where the task leads it next. Once for an assignment and place: what a watch that was killed has
 * told before stands in the record. Nothing when the task has another agent by now, does not lead there yet or any more,
 * or has ended, or when its place has moved: the watch saw the agent at the old one. Refuses: 404.
 */
export function decideNoteArrival(draft: Draft, command: NoteArrival, { now }: DecideContext): Decision {
  const { taskId, agentId, place, at, latitude, longitude } = command;
  const facts = draft.findTask(taskId);
  if (!facts) return refuse(notFound('Task', taskId));
  const { task: before } = facts;
  if (before.agentId !== agentId || awaitedAt(before) !== place) return NOTHING_SHOWN;
  const isPickup = place === 'pickup';
  if (!isNear(isPickup ? facts.pickupLocation : facts.location, command)) return NOTHING_SHOWN;
  const arrivedAt = within(at, (isPickup ? before.acceptedAt : before.startedAt) ?? now, now);
  const fields = isPickup ? { pickupArrivedAt: arrivedAt } : { arrivedAt };
  draft.put({ kind: 'put-task', task: changedTask(before, fields, now) });
  const position = { latitude, longitude };
  draft.put({
    kind: 'tell',
    type: 'task.arrived',
    taskId,
    extra: { place, agentId, position, at: arrivedAt },
    step: { kind: 'arrived', at: arrivedAt, details: { place, agentId, position } },
  });
  return NOTHING_SHOWN;
}

function isNear(place: LocationRecord | null, { latitude, longitude }: NoteArrival): boolean {
  if (!place) return false;
  return distanceM(place.latitude, place.longitude, latitude, longitude) <= LIMITS.arrivalLeaveRadiusM;
}

/** Clocks of devices are off: nobody arrives before setting out, or later than now. ISO times sort as text. */
function within(at: string, earliest: string, latest: string): string {
  if (at > latest) return latest;
  return at < earliest ? earliest : at;
}

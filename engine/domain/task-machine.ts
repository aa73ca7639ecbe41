import type { TaskStatus } from '../../schema/task.ts';

/** Who or what makes a step; the steps themselves are in decisions.md §3. */
const TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  new: ['awaiting_assignment', 'assigned', 'cancelled'],
  awaiting_assignment: ['assigned', 'cancelled'],
  assigned: ['awaiting_assignment', 'accepted', 'cancelled'],
  accepted: ['awaiting_assignment', 'in_transit', 'cancelled'],
  in_transit: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

/** The statuses that may follow `from`, in lifecycle order. */
export function allowedNext(from: TaskStatus): readonly TaskStatus[] {
  return TRANSITIONS[from];
}

export function canBecome(from: TaskStatus, to: TaskStatus): boolean {
  return TRANSITIONS[from].includes(to);
}

import type { PackageRecord } from '../../../schema/tasks/package.ts';
import { isTerminal, type TaskRecord } from '../../../schema/tasks/task.ts';
import { loadOf, slotOf } from '../../domain/assignment/load.ts';
import type { Load, Slot } from '../../domain/assignment/round-view.ts';

/** The load of an open task on its agent. */
export interface HeldTask {
  readonly agentId: number;
  readonly taskId: number;
  readonly load: Load;
  /** The time it holds for itself; null for one that is wanted as soon as may be. */
  readonly slot: Slot | null;
}

/** A task with what it weighs. */
export interface Carried {
  readonly task: TaskRecord;
  readonly packages: readonly PackageRecord[];
}

/** The load of a task on its agent; undefined for one that has no agent, or has ended. */
export function heldTask({ task, packages }: Carried): HeldTask | undefined {
  if (task.agentId === null || isTerminal(task.status)) return undefined;
  return { agentId: task.agentId, taskId: task.id, load: loadOf(packages), slot: slotOf(task) };
}

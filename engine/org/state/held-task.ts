import type { PackageRecord } from '../../../schema/tasks/package.ts';
import { isTerminal, type TaskRecord } from '../../../schema/tasks/task.ts';
import { loadOf, slotOf } from '../../domain/assignment/load.ts';
import type { Load, Slot } from '../../domain/assignment/round-view.ts';

/** What an open task takes of its agent. */
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

/** What a task takes of its agent; undefined for one that has none, or has ended. */
export function heldTask({ task, packages }: Carried): HeldTask | undefined {
  if (task.agentId === null || isTerminal(task.status)) return undefined;
  return { agentId: task.agentId, taskId: task.id, load: loadOf(packages), slot: slotOf(task) };
}

import type { PackageRecord } from '../../../schema/tasks/package.ts';
import { isTerminal, type TaskRecord } from '../../../schema/tasks/task.ts';
import { loadOf, slotOf } from '../../domain/assignment/load.ts';
import type { Load, Slot } from '../../domain/assignment/round-view.ts';
import type { HeldTaskRow } from '../../store/records/agent-store.ts';

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

/** The tasks in memory. */
interface LiveTasks {
  has(taskId: number): boolean;
  values(): Iterable<Carried>;
}

/**
 * The open tasks of requested agents: every one, also those that are not in memory. They are read once, and every
 * change keeps them up to date, as no other process changes tasks.
 */
export class AgentLoads {
  readonly #held = new Map<number, Map<number, HeldTask>>();

  knows(agentId: number): boolean {
    return this.#held.has(agentId);
  }

  heldBy(agentId: number): readonly HeldTask[] {
    return [...(this.#held.get(agentId)?.values() ?? [])];
  }

  /** Adds the tasks of agents that were not known. For tasks in memory, memory is right. */
  learn(agentIds: readonly number[], read: readonly HeldTaskRow[], live: LiveTasks): void {
    const unknown = agentIds.filter((id) => !this.#held.has(id));
    if (unknown.length === 0) return;
    for (const id of unknown) this.#held.set(id, new Map());
    const isNew = new Set(unknown);
    const add = (held: HeldTask) => {
      if (isNew.has(held.agentId)) this.#held.get(held.agentId)!.set(held.taskId, held);
    };
    for (const { agentId, taskId, packages, ...timed } of read)
      if (!live.has(taskId)) add({ agentId, taskId, load: loadOf(packages), slot: slotOf(timed) });
    for (const facts of live.values()) {
      const held = heldTask(facts);
      if (held) add(held);
    }
  }

  /** A task has changed hands, or its packages. */
  move(before: Carried | undefined, after: Carried): void {
    if (before?.task.agentId != null) this.#held.get(before.task.agentId)?.delete(after.task.id);
    const held = heldTask(after);
    if (held) this.#held.get(held.agentId)?.set(held.taskId, held);
  }

  /** Forgets every agent when there are too many: a requested agent is read again. */
  evict(bound: number): void {
    if (this.#held.size > bound) this.#held.clear();
  }
}

import type { Change } from '../state/changes.ts';
import type { OrgState } from '../state/org-state.ts';
import type { TaskFacts } from '../state/state-view.ts';

/** Tasks of a draft in their state before the changes that have no event yet. */
export class UntoldTasks {
  readonly #state: OrgState;
  #before: Map<number, TaskFacts> | undefined;

  constructor(state: OrgState) {
    this.#state = state;
  }

  /** To be asked before a change is applied. Returns the task that a `put-task` replaces, as memory has it now. */
  note(change: Change): TaskFacts | undefined {
    if (change.kind === 'put-task') return this.#keep(change.task.id);
    // Emit the task's event after every package that leaves it has been removed.
    if (change.kind === 'put-package' && change.leaves !== null) this.#keep(change.leaves);
    return undefined;
  }

  /** The task in its state at its last step with an event; undefined when it did not exist. */
  take(taskId: number): TaskFacts | undefined {
    const before = this.#before?.get(taskId);
    this.#before?.delete(taskId);
    return before;
  }

  #keep(taskId: number): TaskFacts | undefined {
    const facts = this.#state.findTask(taskId);
    if (!facts) return undefined;
    this.#before ??= new Map();
    if (!this.#before.has(taskId)) this.#before.set(taskId, facts);
    return facts;
  }
}

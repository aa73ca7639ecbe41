import type { Change } from '../state/changes.ts';
import type { OrgState } from '../state/org-state.ts';
import type { TaskFacts } from '../state/state-view.ts';

/** Tasks of a draft as they were before the changes that are still to be told. */
export class UntoldTasks {
  readonly #state: OrgState;
  #before: Map<number, TaskFacts> | undefined;

  constructor(state: OrgState) {
    this.#state = state;
  }

  /** To be asked before a change is applied. Returns the task that a `put-task` replaces, as memory has it now. */
  note(change: Change): TaskFacts | undefined {
    if (change.kind === 'put-task') return this.#keep(change.task.id);
    // The task is told of once all that leave it have left.
    if (change.kind === 'put-package' && change.leaves !== null) this.#keep(change.leaves);
    return undefined;
  }

  /** The task as it was when its last step was told; undefined when it was not there. */
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

import { isTerminal } from '../../../../schema/tasks/task.ts';
import { evictOldest, type LiveTask, somewhatBelow } from '../live.ts';
import type { StateBounds } from '../memory-bounds.ts';
import { RecencyMap } from '../recency-map.ts';

/** The tasks in memory, found by id. A job and its parts are here together or not at all. */
export class TaskBook {
  readonly #tasks = new RecencyMap<number, LiveTask>();
  readonly #codes = new Set<string>();
  /** How many of those are passing. */
  #passing = 0;

  get size(): number {
    return this.#tasks.size;
  }

  has(id: number): boolean {
    return this.#tasks.has(id);
  }

  find(id: number): LiveTask | undefined {
    return this.#tasks.get(id);
  }

  hasCode(code: string): boolean {
    return this.#codes.has(code);
  }

  values(): Iterable<LiveTask> {
    return this.#tasks.values();
  }

  /** Notes that a task was read: others leave memory before it. A mark alone, as its neighbours in the order are seldom at hand. */
  noteRead(live: LiveTask): void {
    live.wasRead = true;
    if (live.uses === USES_OF_ENDED) return;
    const wasPassing = isPassing(live);
    live.uses += 1;
    if (wasPassing && !isPassing(live)) this.#passing -= 1;
  }

  /** Returns what was there before. A change is a use. */
  put(facts: Omit<LiveTask, 'uses' | 'wasRead' | 'shown'>): LiveTask | undefined {
    const { id, code, status } = facts.task;
    const before = this.#tasks.get(id);
    const uses = before && !isTerminal(status) ? USES_OF_OPEN : 0;
    const live = { ...facts, uses, wasRead: false, shown: undefined };
    this.#tasks.set(id, live);
    if (!before) this.#codes.add(code);
    this.#passing += Number(isPassing(live)) - Number(before !== undefined && isPassing(before));
    return before;
  }

  /** Evicts the longest unused, never one that is not durable; calls `onGone` with each. */
  evict({ tasks, passingTasks }: StateBounds, durableTicket: number, onGone: (gone: LiveTask) => void): void {
    const isKept = ({ task }: LiveTask) =>
      task.parentId !== null || this.#partsOf(task).some(({ ticket }) => ticket > durableTicket);
    const forget = (live: LiveTask) => {
      for (const part of this.#partsOf(live.task)) {
        forget(part);
        this.#tasks.delete(part.task.id);
      }
      this.#codes.delete(live.task.code);
      if (isPassing(live)) this.#passing -= 1;
      onGone(live);
    };
    if (this.#passing > passingTasks) {
      const target = somewhatBelow(passingTasks);
      for (const [id, live] of this.#tasks.entries()) {
        if (this.#passing <= target) break;
        if (!isPassing(live) || live.ticket > durableTicket || isKept(live) || this.#hasAnotherTurn(live)) continue;
        this.#tasks.delete(id);
        forget(live);
      }
    }
    evictOldest(this.#tasks, tasks, durableTicket, forget, (_id, live) => isKept(live) || this.#hasAnotherTurn(live));
  }

  /** Whether a task was read since its last turn to leave. */
  #hasAnotherTurn(live: LiveTask): boolean {
    if (!live.wasRead) return false;
    live.wasRead = false;
    this.#tasks.touch(live.task.id);
    return true;
  }

  #partsOf({ childIds }: LiveTask['task']): readonly LiveTask[] {
    return childIds === null ? NONE : childIds.map((id) => this.#tasks.get(id)!);
  }
}

const NONE: readonly never[] = [];
/** So many uses show that a task will be asked for again. */
const [USES_OF_OPEN, USES_OF_ENDED] = [1, 2];

/** A task that nobody has asked for again since it was made, or since it ended. A part goes with its job. */
export function isPassing({ task, uses }: LiveTask): boolean {
  return task.parentId === null && uses < (isTerminal(task.status) ? USES_OF_ENDED : USES_OF_OPEN);
}

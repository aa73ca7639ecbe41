import { updatedTell } from '../decide/steps/tell-updated.ts';
import type { News, Tell } from '../state/changes.ts';
import type { OrgState } from '../state/org-state.ts';
import { UntoldTasks } from './untold-tasks.ts';

/**
 * The news that the parts of one commit have still to tell. An event of a job has all its children: one for the step of
 * each would fill the commit with a hundred times their text. So there is one after them all, and one for each new status.
 */
export class JointNews {
  readonly untold: UntoldTasks;
  /** The changed fields of jobs. */
  #putOff: Map<number, Set<string>> | undefined;

  constructor(state: OrgState) {
    this.untold = new UntoldTasks(state);
  }

  /** Keeps news for the end, if they may wait for it. */
  putOff(news: News): boolean {
    if (news.kind !== 'tell') return false;
    const { taskId, followed } = news;
    if (followed) {
      this.#putOff ??= new Map();
      this.#putOff.set(taskId, new Set([...(this.#putOff.get(taskId) ?? []), ...followed]));
      return true;
    }
    // As in a single step: the event of a new status has the other changes, too.
    if (news.type === 'task.status_changed') this.#putOff?.delete(taskId);
    return false;
  }

  /** The news that were put off: now is the time for them. */
  take(): readonly Tell[] {
    if (!this.#putOff) return NONE;
    const news = [...this.#putOff].map(([taskId, changed]) => updatedTell(taskId, [...changed]));
    this.#putOff = undefined;
    return news;
  }
}

const NONE: readonly Tell[] = [];

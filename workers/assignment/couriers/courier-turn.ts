import { LIMITS } from '../../../schema/limits.ts';
import type { CourierJob } from './courier-provider.ts';

/** The tasks that a round looks at: with ids above `after`, up to `last`; Infinity when there are no more behind them. */
export interface RoundPage {
  readonly after: number;
  readonly last: number;
}

/**
 * Whose turn it is to be asked for, in one organization: a round asks for some jobs at most, and the next one goes on
 * behind them, through all pages and then from the beginning. Without that the first jobs, which no vehicle has room
 * for, would shut out all others.
 */
export class CourierTurn {
  /** The last job of the turn before. */
  #hand = 0;

  /** Whether all jobs had their turn, so that the next one begins with the first job again. */
  get isOver(): boolean {
    return this.#hand === 0;
  }

  /** The jobs of this page whose turn it is. To be asked for every page, also for one without jobs. */
  next(jobs: readonly CourierJob[], { after, last }: RoundPage): readonly CourierJob[] {
    const isHere = after <= this.#hand && this.#hand < last;
    if (jobs.length <= LIMITS.courierJobs) {
      if (isHere) this.#move(last);
      return jobs;
    }
    if (!isHere) return [];
    const behind = jobs.filter(({ taskId }) => taskId > this.#hand).sort((a, b) => a.taskId - b.taskId);
    const turn = behind.slice(0, LIMITS.courierJobs);
    this.#move(turn.length < behind.length ? turn.at(-1)!.taskId : last);
    return turn;
  }

  #move(to: number): void {
    this.#hand = to === Number.POSITIVE_INFINITY ? 0 : to;
  }
}

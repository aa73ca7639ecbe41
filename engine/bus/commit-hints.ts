import { LIMITS } from '../../schema/limits.ts';
import type { Scheduler } from '../runtime/clock.ts';

/**
 * The kinds of news of a commit. Each has a channel of its own (`RedisKeys`), so that no process wakes for another's.
 */
export type HintKind = 'committed' | 'searches' | 'payments';

/**
 * Announces organizations with new commits to other processes, of each kind at most once per gathering time.
 * Correctness never needs a hint: a process that acts on it also looks without one, later.
 */
export class CommitHints {
  readonly #scheduler: Scheduler;
  readonly #send: (kind: HintKind, organizationIds: readonly number[]) => void;
  readonly #pending = new Map<HintKind, Set<number>>();

  constructor(scheduler: Scheduler, send: (kind: HintKind, organizationIds: readonly number[]) => void) {
    this.#scheduler = scheduler;
    this.#send = send;
  }

  announce(organizationId: number, kinds: readonly HintKind[]): void {
    for (const kind of kinds) {
      const gathered = this.#pending.get(kind);
      if (gathered) gathered.add(organizationId);
      else this.#gather(kind, new Set([organizationId]));
    }
  }

  #gather(kind: HintKind, organizationIds: Set<number>): void {
    this.#pending.set(kind, organizationIds);
    this.#scheduler.after(LIMITS.hintGatherMs, () => {
      this.#pending.delete(kind);
      this.#send(kind, [...organizationIds]);
    });
  }
}

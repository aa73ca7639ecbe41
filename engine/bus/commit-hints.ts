import type { Scheduler } from '../runtime/clock.ts';

/** Hints gather for this long before they leave: a burst of commits becomes one message. */
const GATHER_MS = 20;

/**
 * Tells other processes which organizations have committed something, at most once per gathering time. A hint is never
 * needed for correctness: whoever follows the logs also compares positions with Postgres.
 */
export class CommitHints {
  readonly #scheduler: Scheduler;
  readonly #send: (organizationIds: readonly number[]) => void;
  #pending = new Set<number>();

  constructor(scheduler: Scheduler, send: (organizationIds: readonly number[]) => void) {
    this.#scheduler = scheduler;
    this.#send = send;
  }

  announce(organizationId: number): void {
    const isGathering = this.#pending.size > 0;
    this.#pending.add(organizationId);
    if (isGathering) return;
    this.#scheduler.after(GATHER_MS, () => {
      const organizationIds = [...this.#pending];
      this.#pending = new Set();
      this.#send(organizationIds);
    });
  }
}

import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { createOutage, type Outage } from '../../engine/runtime/outage.ts';
import type { AccessStore } from '../../engine/store/access/access-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { HeardChanges } from './changed-subjects.ts';

export interface AccessFeedOptions {
  readonly store: AccessStore;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** Tells other processes to poll at once. Losing that costs them a quarter of a second. */
  readonly announce: () => void;
}

/**
 * Reads every change of the records that access rests on, by polling.
 * Invariant: the listeners have every change that committed before the last good poll began. Until `freshUntil`, which
 * is `credentialValidMs` after that, their caches may be used. So `settled` needs no answer from other processes: after
 * that time no process can hold the state before the change.
 */
export class AccessFeed {
  readonly #options: AccessFeedOptions;
  readonly #listeners = new Set<(changes: HeardChanges) => void>();
  #cursor: string | undefined;
  #cursorReadAt = Number.NEGATIVE_INFINITY;
  /** The run of Postgres that the cursor belongs to. */
  #run: string | undefined;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #isHinted = false;
  readonly #outage: Outage;
  /** Polls in a row that failed. */
  #failures = 0;
  #cancelTimer = () => {};
  #freshUntil = Number.NEGATIVE_INFINITY;
  #generation = 0;

  constructor(options: AccessFeedOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, 'reading changes of access');
  }

  /** On the monotonic clock: until when remembered credentials may be used. */
  get freshUntil(): number {
    return this.#freshUntil;
  }

  /** Changes cannot be heard now: not one poll has failed, which may have been chance, but several. */
  get isAway(): boolean {
    return this.#failures > 1;
  }

  /** Another one after each change heard: what was read from Postgres under an earlier one may be from before it. */
  get generation(): number {
    return this.#generation;
  }

  /** Polls once, and then regularly. Never rejects. */
  async start(): Promise<void> {
    this.#cancelTimer = this.#options.scheduler.every(LIMITS.accessPollMs, () => void this.#tryPoll());
    await this.#tryPoll();
  }

  stop(): void {
    this.#cancelTimer();
  }

  onChanges(listener: (changes: HeardChanges) => void): void {
    this.#listeners.add(listener);
  }

  /** Somebody has changed something: poll soon. */
  hint(): void {
    if (this.#isHinted) return;
    this.#isHinted = true;
    this.#options.scheduler.after(LIMITS.accessHintMs, () => {
      this.#isHinted = false;
      void this.#tryPoll();
    });
  }

  /**
   * To be awaited between the commit of a revocation and its answer: resolves when no process serves any more what was
   * revoked, at once when there is no other process, and never rejects.
   */
  async settled(): Promise<void> {
    const { store, clock, scheduler, announce } = this.#options;
    const committedAt = clock.monotonic();
    announce();
    const [hasHeard, isAlone] = await Promise.all([
      this.#tryPoll(),
      store.hasOthers().then(
        (hasOthers) => !hasOthers,
        () => false,
      ),
    ]);
    if (hasHeard && isAlone) return;
    // This process knows its own revocation without reading it.
    if (!hasHeard) this.#tell('all');
    const validMs = LIMITS.credentialValidMs + LIMITS.accessSettleMarginMs;
    await new Promise<void>((resolve) => scheduler.after(committedAt + validMs - clock.monotonic(), resolve));
  }

  /** Whether a poll that began after this call succeeded. Never rejects. */
  async #tryPoll(): Promise<boolean> {
    try {
      await this.#poll();
      this.#outage.worked();
      this.#failures = 0;
      return true;
    } catch (error) {
      this.#outage.failed(error);
      this.#failures += 1;
      return false;
    }
  }

  /** Polls run one after another; all callers who wait for the next one share it. */
  #poll(): Promise<void> {
    if (!this.#queued) {
      const before = this.#running.catch(() => {});
      const queued = before.then(() => {
        this.#running = queued;
        this.#queued = undefined;
        return this.#read();
      });
      this.#queued = queued;
    }
    return this.#queued;
  }

  async #read(): Promise<void> {
    const { store, clock } = this.#options;
    const startedAt = clock.monotonic();
    const isOld = startedAt - this.#cursorReadAt > LIMITS.accessCursorMs;
    const { changes, next, run, isAnnounced } = await store.poll(isOld ? undefined : this.#cursor);
    if (isOld || run !== this.#run || changes.length > LIMITS.accessChangesSeen) this.#tell('all');
    else if (changes.length > 0) this.#tell(changes);
    this.#cursor = next;
    this.#run = run;
    this.#cursorReadAt = startedAt;
    if (isAnnounced) this.#freshUntil = startedAt + LIMITS.credentialValidMs;
  }

  #tell(changes: HeardChanges): void {
    this.#generation += 1;
    for (const listener of this.#listeners) listener(changes);
  }
}

import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import type { AccessSubjects } from '../../engine/store/access/access-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import { ChangedSubjects } from '../guards/changed-subjects.ts';
import type { Access } from '../guards/open-access.ts';
import type { Identity } from '../route.ts';

export interface LastingRepliesOptions {
  readonly access: Pick<Access, 'onChanges'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

interface Held {
  readonly subjects: AccessSubjects;
  readonly end: () => void;
}

/** Answers that outlive the question whether their caller may have them: each ends when its access does, or changes. */
export class LastingReplies {
  readonly #options: LastingRepliesOptions;
  readonly #held = new Set<Held>();

  constructor(options: LastingRepliesOptions) {
    this.#options = options;
    options.access.onChanges((changes) => this.#endThoseOf(new ChangedSubjects(changes)));
  }

  /**
   * Calls `end` when what the caller's access rests on has changed since it was looked up, and when the caller's session
   * ends as it was known then, until the returned function is called. To be called in the turn in which the caller was let
   * in: earlier changes are not seen here.
   */
  hold({ organizationId, caller, sessionId, sessionEndsAtMs, snapshot }: Identity, end: () => void): () => void {
    const { channelId, userId } = caller;
    const held: Held = { subjects: { organizationId, channelId, userId: userId!, sessionId, snapshot }, end };
    this.#held.add(held);
    const cancel = this.#endAt(sessionEndsAtMs, end);
    return () => {
      cancel();
      this.#held.delete(held);
    };
  }

  /** In steps: no timer is as long as a session, and the clock may be set meanwhile. */
  #endAt(endsAtMs: number, end: () => void): () => void {
    if (endsAtMs === Number.POSITIVE_INFINITY) return () => {};
    const { clock, scheduler } = this.#options;
    let cancel = () => {};
    const wait = () => {
      const pauseMs = Math.min(Math.max(endsAtMs - clock.now(), 0), LIMITS.sessionEndCheckMs);
      cancel = scheduler.after(pauseMs, () => (clock.now() < endsAtMs ? wait() : end()));
    };
    wait();
    return () => cancel();
  }

  #endThoseOf(changed: ChangedSubjects): void {
    for (const { subjects, end } of [...this.#held]) if (changed.touch(subjects)) end();
  }
}

import type { AccessSubjects } from '../../engine/store/access-store.ts';
import { ChangedSubjects } from '../guards/changed-subjects.ts';
import type { Access } from '../guards/open-access.ts';
import type { Identity } from '../route.ts';

interface Held {
  readonly subjects: AccessSubjects;
  readonly end: () => void;
}

/** Answers that outlive the question whether their caller may have them: each ends when its access changes. */
export class LastingReplies {
  readonly #held = new Set<Held>();

  constructor(access: Pick<Access, 'onChanges'>) {
    access.onChanges((changes) => this.#endThoseOf(new ChangedSubjects(changes)));
  }

  /**
   * Calls `end` when what the caller's access rests on changes, until the returned function is called. To be called in
   * the turn in which the caller was let in: earlier changes are not seen here.
   */
  hold({ organizationId, caller, sessionId }: Identity, end: () => void): () => void {
    const { channelId, userId } = caller;
    const held: Held = { subjects: { organizationId, channelId, userId: userId!, sessionId }, end };
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }

  #endThoseOf(changed: ChangedSubjects): void {
    for (const { subjects, end } of [...this.#held]) if (changed.touch(subjects)) end();
  }
}

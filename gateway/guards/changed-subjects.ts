import type { AccessChange, AccessSubject, AccessSubjects } from '../../engine/store/access/access-store.ts';
import { isVisible } from '../../engine/store/access/snapshot.ts';

/** The changes that a process has read, or that it may have missed some, so that everything may have changed. */
export type HeardChanges = 'all' | readonly AccessChange[];

/** A set of heard changes, to be asked whose access they touch: not that of who was looked up after they committed. */
export class ChangedSubjects {
  readonly #isAll: boolean;
  /** By subject and id: the transactions that changed it. */
  readonly #xids: Readonly<Record<AccessSubject, Map<number | null, string[]>>> = {
    organization: new Map(),
    channel: new Map(),
    user: new Map(),
    session: new Map(),
    token: new Map(),
  };

  constructor(changes: HeardChanges) {
    this.#isAll = changes === 'all';
    if (changes === 'all') return;
    for (const { subject, subjectId, xid } of changes) {
      const xids = this.#xids[subject].get(subjectId);
      if (xids) xids.push(xid);
      else this.#xids[subject].set(subjectId, [xid]);
    }
  }

  /** Whether they touch what an open stream rests on. */
  touch({ organizationId, channelId, userId, sessionId, snapshot }: AccessSubjects): boolean {
    return (
      this.#isAll ||
      this.#isNews('organization', organizationId, snapshot) ||
      this.#isNews('channel', channelId, snapshot) ||
      this.#isNews('user', userId, snapshot) ||
      this.#isNews('session', sessionId, snapshot)
    );
  }

  /** The same for a key or an access token, which a refresh of its session makes void, too. */
  touchCredential(subjects: AccessSubjects): boolean {
    return this.touch(subjects) || this.#isNews('token', subjects.sessionId, subjects.snapshot);
  }

  #isNews(subject: AccessSubject, id: number | null, snapshot: string): boolean {
    const xids = this.#xids[subject].get(id);
    return xids !== undefined && !xids.every((xid) => isVisible(xid, snapshot));
  }
}

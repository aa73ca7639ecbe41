import type { AccessChange, AccessSubject, AccessSubjects } from '../../engine/store/access-store.ts';

/** What a process has heard: changes, or that it may have missed some, so that everything may have changed. */
export type HeardChanges = 'all' | readonly AccessChange[];

/** A set of heard changes, to be asked whose access they touch. */
export class ChangedSubjects {
  readonly #isAll: boolean;
  readonly #ids: Readonly<Record<AccessSubject, Set<number>>> = {
    organization: new Set(),
    channel: new Set(),
    user: new Set(),
    session: new Set(),
    token: new Set(),
  };

  constructor(changes: HeardChanges) {
    this.#isAll = changes === 'all';
    if (changes !== 'all') for (const { subject, subjectId } of changes) this.#ids[subject].add(subjectId);
  }

  /** Whether they touch what an open stream rests on. */
  touch({ organizationId, channelId, userId, sessionId }: AccessSubjects): boolean {
    const { organization, channel, user, session } = this.#ids;
    return (
      this.#isAll ||
      organization.has(organizationId) ||
      channel.has(channelId) ||
      user.has(userId) ||
      (sessionId !== null && session.has(sessionId))
    );
  }

  /** The same for a key or an access token, which a refresh of its session makes void, too. */
  touchCredential(subjects: AccessSubjects): boolean {
    return this.touch(subjects) || (subjects.sessionId !== null && this.#ids.token.has(subjects.sessionId));
  }
}

import type { AccessChange, AccessPage, AccessStore } from '../../../../engine/store/access-store.ts';

/** What Postgres would say. */
export class StandInAccessStore implements AccessStore {
  isAnnounced = true;
  others = false;
  isAway = false;
  polls = 0;
  /** Holds the answers of polls back until it resolves. */
  hold: Promise<void> | undefined;
  readonly #committed: AccessChange[] = [];

  commit(...changes: AccessChange[]): void {
    this.#committed.push(...changes);
  }

  async poll(cursor: string | undefined): Promise<AccessPage> {
    this.polls += 1;
    if (this.isAway) throw new Error('away');
    // The cursor is how many had committed.
    const changes = this.#committed.slice(cursor === undefined ? this.#committed.length : Number(cursor));
    const page = { next: String(this.#committed.length), isAnnounced: this.isAnnounced, changes };
    await this.hold;
    return page;
  }

  async hasOthers(): Promise<boolean> {
    if (this.isAway) throw new Error('away');
    return this.others;
  }

  async stop(): Promise<void> {}
}

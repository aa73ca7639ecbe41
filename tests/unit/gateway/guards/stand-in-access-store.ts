import type { AccessChange, AccessPage, AccessStore } from '../../../../engine/store/access/access-store.ts';

export type MadeChange = Omit<AccessChange, 'xid'>;

/** The answers of Postgres, in a database that only changes access. */
export class StandInAccessStore implements AccessStore {
  isAnnounced = true;
  others = false;
  isAway = false;
  polls = 0;
  run = 'first';
  /** Holds the answers of polls back until it resolves. */
  hold: Promise<void> | undefined;
  readonly #committed: AccessChange[] = [];

  /** The snapshot of a query that runs now. */
  get snapshot(): string {
    const next = this.#committed.length + 1;
    return `${next}:${next}:`;
  }

  /** Each in a transaction of its own. */
  commit(...changes: MadeChange[]): void {
    for (const change of changes) this.#committed.push({ ...change, xid: `${this.#committed.length + 1}` });
  }

  async poll(cursor: string | undefined): Promise<AccessPage> {
    this.polls += 1;
    if (this.isAway) throw new Error('away');
    // The cursor is how many had committed.
    const changes = this.#committed.slice(cursor === undefined ? this.#committed.length : Number(cursor));
    const page = { next: String(this.#committed.length), run: this.run, isAnnounced: this.isAnnounced, changes };
    await this.hold;
    return page;
  }

  async hasOthers(): Promise<boolean> {
    if (this.isAway) throw new Error('away');
    return this.others;
  }

  async stop(): Promise<void> {}
}

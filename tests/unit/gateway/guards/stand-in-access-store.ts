import type { AccessChange, AccessPage, AccessStore } from '../../../../engine/store/access-store.ts';

/** What Postgres would say: transactions with numbers, some of them still running. */
export class StandInAccessStore implements AccessStore {
  isAnnounced = true;
  others = false;
  isAway = false;
  polls = 0;
  /** Holds the answers of polls back until it resolves. */
  hold: Promise<void> | undefined;
  readonly #committed: { readonly xid: bigint; readonly change: AccessChange }[] = [];
  readonly #running = new Map<bigint, AccessChange>();
  #nextXid = 100n;

  /** Starts a transaction that writes a change; the returned function commits it. */
  begin(change: AccessChange): () => void {
    const xid = this.#nextXid++;
    this.#running.set(xid, change);
    return () => {
      this.#running.delete(xid);
      this.#committed.push({ xid, change });
    };
  }

  commit(...changes: AccessChange[]): void {
    for (const change of changes) this.begin(change)();
  }

  async poll(cursor: bigint | undefined): Promise<AccessPage> {
    this.polls += 1;
    if (this.isAway) throw new Error('away');
    const [next = this.#nextXid] = this.#running.keys();
    const changes = this.#committed
      .filter(({ xid }) => cursor !== undefined && xid >= cursor)
      .map(({ xid, change }) => ({ ...change, xid }));
    const page = { next, isAnnounced: this.isAnnounced, changes };
    await this.hold;
    return page;
  }

  async hasOthers(): Promise<boolean> {
    if (this.isAway) throw new Error('away');
    return this.others;
  }

  async stop(): Promise<void> {}
}

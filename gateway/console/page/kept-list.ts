import type { ListDiff } from '../live/protocol.ts';

/** A list of the worker, kept up to date by what it tells. An item that did not change stays the same object. */
export class KeptList<Item extends { readonly id: number }> {
  readonly #items = new Map<number, Item>();

  take({ isWhole, put, gone }: ListDiff<Item>): Item[] {
    if (isWhole) this.#items.clear();
    for (const id of gone) this.#items.delete(id);
    for (const item of put) this.#items.set(item.id, item);
    return [...this.#items.values()];
  }

  clear(): void {
    this.#items.clear();
  }
}

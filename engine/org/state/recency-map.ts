interface Link<K, V> {
  readonly key: K;
  value: V;
  older: Link<K, V> | undefined;
  newer: Link<K, V> | undefined;
}

/**
 * A map that keeps its entries in the order of use. Links through the entries hold the order, so that a use costs four
 * assignments: a Map that deletes and sets an entry again rehashes every entry now and then.
 */
export class RecencyMap<K, V> {
  readonly #links = new Map<K, Link<K, V>>();
  #oldest: Link<K, V> | undefined;
  #newest: Link<K, V> | undefined;

  get size(): number {
    return this.#links.size;
  }

  has(key: K): boolean {
    return this.#links.has(key);
  }

  /** Reads an entry; this is no use of it. */
  get(key: K): V | undefined {
    return this.#links.get(key)?.value;
  }

  /** Puts an entry; it is the newest now. */
  set(key: K, value: V): void {
    const link = this.#links.get(key);
    if (link) {
      link.value = value;
      this.#moveToNewest(link);
      return;
    }
    const added: Link<K, V> = { key, value, older: this.#newest, newer: undefined };
    if (this.#newest) this.#newest.newer = added;
    else this.#oldest = added;
    this.#newest = added;
    this.#links.set(key, added);
  }

  /** Uses an entry, if there is one: it is the newest now. */
  touch(key: K): void {
    const link = this.#links.get(key);
    if (link) this.#moveToNewest(link);
  }

  delete(key: K): void {
    const link = this.#links.get(key);
    if (!link) return;
    this.#links.delete(key);
    this.#unlink(link);
  }

  /** The entries, oldest first. During the walk entries may be deleted, and the one at hand used: then it comes once more, at the end. */
  *entries(): Generator<readonly [K, V], void> {
    for (let link = this.#oldest; link; ) {
      // A deleted link still leads on; it is passed over.
      const next = link.newer;
      if (this.#links.get(link.key) === link) yield [link.key, link.value];
      link = next;
    }
  }

  /** The values, in no order. */
  *values(): Generator<V, void> {
    for (const link of this.#links.values()) yield link.value;
  }

  #moveToNewest(link: Link<K, V>): void {
    if (link === this.#newest) return;
    this.#unlink(link);
    link.older = this.#newest;
    link.newer = undefined;
    this.#newest!.newer = link;
    this.#newest = link;
  }

  #unlink(link: Link<K, V>): void {
    if (link.older) link.older.newer = link.newer;
    else this.#oldest = link.newer;
    if (link.newer) link.newer.older = link.older;
    else this.#newest = link.older;
  }
}

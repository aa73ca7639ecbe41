import { RecencyMap } from './recency-map.ts';

/** A map in the order of use. Its values have sizes that stay below a bound together: the longest unused ones leave. */
export class BoundedMap<K, V> {
  readonly #kept = new RecencyMap<K, V>();
  readonly #most: number;
  readonly #sizeOf: (value: V) => number;
  #taken = 0;

  constructor(most: number, sizeOf: (value: V) => number) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  /** The sizes of all values together. */
  get taken(): number {
    return this.#taken;
  }

  /** Reads an entry; this is no use of it. */
  get(key: K): V | undefined {
    return this.#kept.get(key);
  }

  touch(key: K): void {
    this.#kept.touch(key);
  }

  hasRoomFor(value: V): boolean {
    return this.#taken + this.#sizeOf(value) <= this.#most;
  }

  set(key: K, value: V): void {
    const before = this.#kept.get(key);
    this.#taken += this.#sizeOf(value) - (before === undefined ? 0 : this.#sizeOf(before));
    this.#kept.set(key, value);
    if (this.#taken <= this.#most) return;
    for (const [oldest, left] of this.#kept.entries()) {
      this.#kept.delete(oldest);
      this.#taken -= this.#sizeOf(left);
      if (this.#taken <= this.#most) return;
    }
  }
}

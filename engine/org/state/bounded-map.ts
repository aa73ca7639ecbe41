import { RecencyMap } from './recency-map.ts';

/** Stands in the order of use at the moment of the last sweep. */
const SWEPT = Symbol('swept');

/**
 * A map in the order of use. Its values have sizes that stay below a bound together: the longest unused ones leave. With
 * regular sweeps, values that nobody uses leave below the bound too: memory follows the use, not the bound.
 */
export class BoundedMap<K, V extends object> {
  readonly #kept = new RecencyMap<K | typeof SWEPT, V | undefined>();
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

  set(key: K, value: V): void {
    const before = this.#kept.get(key);
    this.#taken += this.#sizeOf(value) - (before === undefined ? 0 : this.#sizeOf(before));
    this.#kept.set(key, value);
    if (this.#taken <= this.#most) return;
    for (const [oldest, left] of this.#kept.entries()) {
      this.#leave(oldest, left);
      if (this.#taken <= this.#most) return;
    }
  }

  /** Drops the values that were not used since the sweep before. */
  sweep(): void {
    if (this.#kept.has(SWEPT)) {
      for (const [key, value] of this.#kept.entries()) {
        if (key === SWEPT) break;
        this.#leave(key, value);
      }
    }
    this.#kept.set(SWEPT, undefined);
  }

  #leave(key: K | typeof SWEPT, value: V | undefined): void {
    this.#kept.delete(key);
    if (value !== undefined) this.#taken -= this.#sizeOf(value);
  }
}

import { LIMITS } from '../../schema/limits.ts';
import { DigestSet, digestOf } from './digest-set.ts';

/** How often an actor asks Postgres for keys before the whole book is worth its reading. */
const FETCHES_BEFORE = 4;

/**
 * The idempotency keys that an organization has used within their retention, as digests, so that a key that was never
 * used is known to be new without asking. A digest may stand for two keys, and outlive its record: then Postgres is
 * asked. What was used is never missing.
 */
export class KeyBook {
  readonly #used = new DigestSet();
  #isComplete = false;
  #isTooLarge = false;
  #fetches = 0;

  /** Whether the key may have been used. */
  mayKnow(scopedKey: string): boolean {
    return !this.#isComplete || this.#used.has(digestOf(scopedKey));
  }

  /** To be asked at each fetch of keys: whether to read the book along with them. */
  isWanted(): boolean {
    this.#fetches += 1;
    return this.#fetches > FETCHES_BEFORE && !this.#isComplete && !this.#isTooLarge;
  }

  /** Takes the book in, read while no key left memory; undefined when there was too much to read. */
  absorb(scopedKeys: readonly string[] | undefined): void {
    this.#isComplete = scopedKeys !== undefined;
    this.#isTooLarge = scopedKeys === undefined;
    for (const scopedKey of scopedKeys ?? []) this.#used.add(digestOf(scopedKey));
  }

  note(scopedKey: string): void {
    if (this.#isTooLarge) return;
    this.#used.add(digestOf(scopedKey));
    if (this.#used.size <= LIMITS.keyBookKeys) return;
    this.#used.clear();
    this.#isComplete = false;
    this.#isTooLarge = true;
  }
}

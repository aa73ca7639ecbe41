import { LIMITS } from '../../schema/limits.ts';
import { DigestSet } from './digest-set.ts';

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

const PRIMES = [0x9e3779b1, 0x85ebca77] as const;

/** 53 bits, which a number holds exactly: two FNV-like sums over the text, mixed. */
function digestOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, PRIMES[0]);
    low = Math.imul(low ^ code, PRIMES[1]);
  }
  high = Math.imul(high ^ (high >>> 16), PRIMES[1]) ^ (low >>> 13);
  low = Math.imul(low ^ (low >>> 16), PRIMES[0]) ^ (high >>> 13);
  return (high >>> 11) * 0x100000000 + (low >>> 0);
}

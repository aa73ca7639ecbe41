import { getRandomValues } from 'node:crypto';

const FIRST_SLOTS = 64;

/**
 * Digests of 53 bits, side by side: a million take 16 MB, a third of their size in a Set, and the garbage collector has
 * nothing to walk through. A digest of 0 counts as 1.
 */
export class DigestSet {
  /** 0 where nothing is; at most half of them are taken. */
  #slots = new Float64Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(digest: number): boolean {
    return this.#slots[this.#slotOf(digest || 1)] !== 0;
  }

  add(given: number): void {
    const digest = given || 1;
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = digest;
    this.#size += 1;
    if (2 * this.#size > this.#slots.length) this.#grow();
  }

  /** Where the digest, not 0, is, or would be put. */
  #slotOf(digest: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    // The low 32 bits are as good as any: slots are a power of two.
    let slot = (digest >>> 0) & last;
    while (slots[slot] !== 0 && slots[slot] !== digest) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(2 * before.length);
    for (const digest of before) if (digest !== 0) this.#slots[this.#slotOf(digest)] = digest;
  }
}

/**
 * Drawn by each process and kept secret: names come from outside, and 60,000 names that were chosen to want the same
 * slots would hold up every tenant for seconds.
 */
const [HIGH_START, LOW_START, FIRST_FACTOR, SECOND_FACTOR] = getRandomValues(new Int32Array(4)).map(
  (one) => one | 1,
) as unknown as [number, number, number, number];

/** 53 bits, which a number holds exactly: two sums over the text, mixed. Another one in each process. */
export function digestOf(text: string): number {
  let high = HIGH_START;
  let low = LOW_START;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, FIRST_FACTOR);
    low = Math.imul(low ^ code, SECOND_FACTOR);
  }
  high = Math.imul(high ^ (high >>> 16), SECOND_FACTOR) ^ (low >>> 13);
  low = Math.imul(low ^ (low >>> 16), FIRST_FACTOR) ^ (high >>> 13);
  return (high >>> 11) * 0x100000000 + (low >>> 0);
}

const FIRST_SLOTS = 64;

/**
 * Digests of 53 bits, side by side: a million take 16 MB, a third of what they take in a Set, and nothing for the garbage
 * collector to walk through. A digest of 0 counts as 1.
 */
export class DigestSet {
  /** 0 where nothing is; at most half of them are taken. */
  #slots = new Float64Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(digest: number): boolean {
    return this.#slots[this.#slotOf(digest)] !== 0;
  }

  add(digest: number): void {
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = digest || 1;
    this.#size += 1;
    if (2 * this.#size > this.#slots.length) this.#grow();
  }

  /** Where the digest is, or would be put. */
  #slotOf(digest: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    // The low 32 bits are as good as any: slots are a power of two.
    let slot = (digest >>> 0) & last;
    while (slots[slot] !== 0 && slots[slot] !== (digest || 1)) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(2 * before.length);
    for (const digest of before) if (digest !== 0) this.#slots[this.#slotOf(digest)] = digest;
  }
}

const PRIMES = [0x9e3779b1, 0x85ebca77] as const;

/** 53 bits, which a number holds exactly: two FNV-like sums over the text, mixed. */
export function digestOf(text: string): number {
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

const FIRST_SLOTS = 1_024;

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

  clear(): void {
    this.#slots = new Float64Array(FIRST_SLOTS);
    this.#size = 0;
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

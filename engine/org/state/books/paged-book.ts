import { LIMITS } from '../../../../schema/limits.ts';
import { DigestSet, digestOf } from '../digest-set.ts';

interface BookBounds {
  /** How many names are held at most. */
  readonly names: number;
  /** How long a name has to be known after its record left memory; for ever if there is none. */
  readonly keptMs?: number;
  /** How many names a page has; the last one has fewer. */
  readonly page?: number;
}

/**
 * The names of records beyond memory, as digests, so that a new name is known to be new without a question to Postgres.
 * They are read page by page, in the order of names. A digest may stand for two names, and outlive its record: then
 * Postgres is asked. The name of an existing record is never missing.
 */
export class PagedBook {
  readonly #bounds: BookBounds;
  #names = new DigestSet();
  /** The names held before the last turn: in use until the next one, when they are no longer needed. */
  #fading = new DigestSet();
  #turnedAtMs: number | undefined;
  /** The last name of the page read last. */
  #readTo: string | undefined;
  #isComplete = false;
  #isTooLarge = false;
  #fetches = 0;

  constructor(bounds: BookBounds) {
    this.#bounds = bounds;
  }

  /** Whether a record that memory does not hold may have the name. */
  mayKnow(name: string): boolean {
    if (!this.#isComplete) return true;
    const digest = digestOf(name);
    return this.#names.has(digest) || this.#fading.has(digest);
  }

  /** To be asked at each fetch of names: behind which one a page is to be read along; undefined when none is. */
  nextPage(): string | undefined {
    this.#fetches += 1;
    if (this.#fetches <= LIMITS.fetchesBeforeBook || this.#isComplete || this.#isTooLarge) return undefined;
    return this.#readTo ?? '';
  }

  /** Takes a page in, read while nothing left memory. */
  absorb(page: readonly string[], nowMs: number): void {
    this.#turn(nowMs);
    for (const name of page) this.#names.add(digestOf(name));
    this.#isComplete = page.length < (this.#bounds.page ?? LIMITS.bookPage);
    this.#readTo = page.at(-1) ?? '';
    this.#keepBound();
  }

  /** Notes the name of a record that leaves memory. A page that is still to be read has it anyway. */
  note(name: string, nowMs: number): void {
    if (this.#readTo === undefined || this.#isTooLarge) return;
    this.#turn(nowMs);
    this.#names.add(digestOf(name));
    this.#keepBound();
  }

  #turn(nowMs: number): void {
    const { keptMs } = this.#bounds;
    this.#turnedAtMs ??= nowMs;
    if (keptMs === undefined || nowMs - this.#turnedAtMs < keptMs) return;
    this.#turnedAtMs = nowMs;
    this.#fading = this.#names;
    this.#names = new DigestSet();
  }

  #keepBound(): void {
    if (this.#names.size + this.#fading.size <= this.#bounds.names) return;
    this.#names = new DigestSet();
    this.#fading = new DigestSet();
    this.#isComplete = false;
    this.#isTooLarge = true;
  }
}

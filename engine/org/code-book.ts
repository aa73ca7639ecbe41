import { LIMITS } from '../../schema/limits.ts';
import { DigestSet, digestOf } from './digest-set.ts';

/** How often an actor asks Postgres for given codes before the book is worth its reading. */
const FETCHES_BEFORE = 4;

interface Bounds {
  /** How many codes a page has; the last one has fewer. */
  readonly page: number;
  /** How many are held at most. */
  readonly codes: number;
}

/**
 * The codes of an organization's tasks that are not in memory, as digests, so that a given code is known to be new
 * without asking. It is read page by page, in the order of codes. A digest may stand for two codes: then Postgres is
 * asked. What a task has is never missing.
 */
export class CodeBook {
  readonly #bounds: Bounds;
  readonly #codes = new DigestSet();
  /** The last code of the page read last. */
  #readTo: string | undefined;
  #isComplete = false;
  #isTooLarge = false;
  #fetches = 0;

  constructor(bounds: Bounds = { page: LIMITS.codeBookPage, codes: LIMITS.codeBookCodes }) {
    this.#bounds = bounds;
  }

  /** Whether a task that memory does not hold may have the code. */
  mayKnow(code: string): boolean {
    return !this.#isComplete || this.#codes.has(digestOf(code));
  }

  /** To be asked at each fetch of codes: behind which code a page is to be read along; undefined when none is. */
  nextPage(): string | undefined {
    this.#fetches += 1;
    if (this.#fetches <= FETCHES_BEFORE || this.#isComplete || this.#isTooLarge) return undefined;
    return this.#readTo ?? '';
  }

  /** Takes a page in, read while nothing left memory. */
  absorb(page: readonly string[]): void {
    for (const code of page) this.#codes.add(digestOf(code));
    this.#isComplete = page.length < this.#bounds.page;
    this.#readTo = page.at(-1) ?? this.#readTo ?? '';
    this.#keepBound();
  }

  /** Notes the code of a task that leaves memory. A page that is still to be read has it anyway. */
  note(code: string): void {
    if (this.#readTo === undefined || this.#isTooLarge) return;
    this.#codes.add(digestOf(code));
    this.#keepBound();
  }

  #keepBound(): void {
    if (this.#codes.size <= this.#bounds.codes) return;
    this.#codes.clear();
    this.#isComplete = false;
    this.#isTooLarge = true;
  }
}

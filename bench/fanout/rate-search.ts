/** How far apart the rate that was passed and the one that was not may be in the end. */
const PRECISION = 1.08;
/** Nothing passes below this. */
const LEAST = 1;
/** How often a rate is tried that others disturb each time. */
const MOST_TRIES = 5;

/** `disturbed`: it failed while others took so much of the machine that this says nothing. */
export type Trial = 'passed' | 'failed' | 'disturbed';

/**
 * The highest rate that passes, found by trying: up or down in wide steps until one has passed and one has not, then
 * between them. A rate has failed when it failed twice, or was disturbed too often: a hiccup of the machine is no limit.
 */
export class RateSearch {
  #passed = 0;
  #failed = Number.POSITIVE_INFINITY;
  #next: number;
  readonly #stride: number;
  #failures = 0;
  #tries = 0;

  /** `stride`: by what factor the first steps are apart; wide where nothing is known. */
  constructor(start: number, stride: number) {
    this.#next = start;
    this.#stride = stride;
  }

  /** The rate to be tried next; undefined when the search is over. */
  get next(): number | undefined {
    return this.#failed / this.#passed <= PRECISION || this.#next < LEAST ? undefined : this.#next;
  }

  /** The highest rate that has passed so far; 0 when none has. */
  get found(): number {
    return this.#passed;
  }

  /** Notes the outcome of the rate that was `next`. */
  take(trial: Trial): void {
    this.#tries += 1;
    if (trial === 'failed') this.#failures += 1;
    const hasPassed = trial === 'passed';
    if (!hasPassed && this.#failures < 2 && this.#tries < MOST_TRIES) return;
    this.#failures = 0;
    this.#tries = 0;
    if (hasPassed) this.#passed = this.#next;
    else this.#failed = this.#next;
    if (this.#failed === Number.POSITIVE_INFINITY) this.#next = this.#passed * this.#stride;
    else if (this.#passed === 0) this.#next = this.#failed / this.#stride;
    else this.#next = Math.sqrt(this.#passed * this.#failed);
  }
}

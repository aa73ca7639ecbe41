/** After this long without an event the resume has brought everything that was missed. */
const CATCH_UP_MS = 700;

/** Counts what a resume brings: the events of before it, up to the first later one or a pause. */
export class Resume {
  readonly #sinceMs: number;
  readonly #report: (missed: number) => void;
  #missed = 0;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout>;

  /** `sinceMs`: when the connection was there again, by the server's clock. */
  constructor(sinceMs: number, report: (missed: number) => void) {
    this.#sinceMs = sinceMs;
    this.#report = report;
    this.#timer = setTimeout(() => this.#end(), CATCH_UP_MS);
  }

  /** An event that was committed at `atMs`. A busy organization makes no pause, so a new one ends the resume, too. */
  count(atMs: number): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    if (atMs > this.#sinceMs) return this.#end();
    this.#missed += 1;
    this.#timer = setTimeout(() => this.#end(), CATCH_UP_MS);
  }

  #end(): void {
    this.#isOver = true;
    this.#report(this.#missed);
  }
}

/** After this long without an event the resume has brought everything that was missed. */
const CATCH_UP_MS = 700;

/** Counts what a resume brings, until there is a pause. */
export class Resume {
  readonly #report: (missed: number) => void;
  #missed = 0;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout>;

  constructor(report: (missed: number) => void) {
    this.#report = report;
    this.#timer = setTimeout(() => this.#end(), CATCH_UP_MS);
  }

  count(): void {
    if (this.#isOver) return;
    this.#missed += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), CATCH_UP_MS);
  }

  #end(): void {
    this.#isOver = true;
    this.#report(this.#missed);
  }
}

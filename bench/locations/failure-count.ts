const EXAMPLE_CHARS = 500;

/** Failures that should never happen in a run, by kind, with the first of all. */
export class FailureCount {
  readonly failures: Record<string, number> = {};
  firstFailure: string | undefined;

  add(kind: string, example: string): void {
    this.failures[kind] = (this.failures[kind] ?? 0) + 1;
    this.firstFailure ??= example.slice(0, EXAMPLE_CHARS);
  }
}

import type { Verdict } from '../report/summarize.ts';

/** The verdicts of a part of the bench, and why its figures prove nothing, if they do not. */
export interface PartResult {
  readonly verdicts: readonly Verdict[];
  readonly voidReasons: readonly string[];
}

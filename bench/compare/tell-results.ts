import { writeFileSync } from 'node:fs';
import type { RunResult } from '../measure/measure-run.ts';
import {
  type Conditions,
  conditionLines,
  disturbanceLines,
  shareLines,
  summaryTable,
  verdictLines,
} from '../report/print-report.ts';
import { say } from '../report/say.ts';
import type { Summary, Verdict } from '../report/summarize.ts';

interface Told {
  readonly scenario: string;
  readonly conditions: Conditions;
  readonly results: readonly RunResult[];
  readonly summaries: readonly Summary[];
  /** The ratios that the verdicts rest on. */
  readonly comparisons: unknown;
  readonly comparisonLines: readonly string[];
  readonly verdicts: readonly Verdict[];
  readonly voidReasons: readonly string[];
}

/** Prints the measurements and compares them with the targets; with `jsonFile`, writes every single result there. */
export function tellResults({ comparisonLines, ...told }: Told, jsonFile: string | undefined): void {
  const { conditions, results, summaries, verdicts, voidReasons } = told;
  say('', 'Medians over the rounds (lowest–highest)', ...conditionLines(conditions), '', summaryTable(summaries));
  say('', 'Where the time of all cores went', ...shareLines(summaries));
  say('', 'Ratios of medians', ...comparisonLines);
  say('', ...verdictLines(verdicts), ...disturbanceLines(results));
  if (voidReasons.length > 0)
    say('', 'VOID, these numbers prove nothing:', ...voidReasons.map((reason) => `  ${reason}`));
  if (jsonFile === undefined) return;
  const charts = [{ title: told.scenario, summaries }];
  writeFileSync(jsonFile, `${JSON.stringify({ ...told, charts }, undefined, 2)}\n`);
  say('', `every result: ${jsonFile}`);
}

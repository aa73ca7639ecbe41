/** A verdict that a scenario printed. */
export interface Figure {
  readonly scenario: string;
  readonly claim: string;
  readonly measured: string;
  readonly met: boolean;
  /** Rounds of the scenario that other processes disturbed, ours or those of a peer. */
  readonly disturbed: number;
}

const VERDICT = /^(PASS|FAIL) {2}(.+): ([^:]+)$/;
const DISTURBED = /^DISTURBED {2}(.+)$/gm;

/** The verdicts in what a scenario printed. */
export function figuresOf(scenario: string, printed: string): Figure[] {
  const disturbed = disturbancesOf(scenario, printed).length;
  return printed.split('\n').flatMap((line) => {
    const [, word, claim, measured] = VERDICT.exec(line) ?? [];
    if (word === undefined) return [];
    return [{ scenario, claim: claim!, measured: measured!, met: word === 'PASS', disturbed }];
  });
}

/** The disturbed rounds in what a scenario printed. */
export function disturbancesOf(scenario: string, printed: string): string[] {
  return [...printed.matchAll(DISTURBED)].map(([, text]) => `${scenario}: ${text}`);
}

/** Rows that are accepted say that they were disturbed: later runs are compared with them. */
export function shownOf({ measured, met, disturbed }: Figure): string {
  const rounds = disturbed === 1 ? '1 round' : `${disturbed} rounds`;
  return `${met ? '' : '**missed:** '}${measured}${disturbed === 0 ? '' : ` (${rounds} disturbed)`}`;
}

/** A verdict that a scenario printed. */
export interface Figure {
  readonly scenario: string;
  readonly claim: string;
  readonly measured: string;
  readonly met: boolean;
}

const VERDICT = /^(PASS|FAIL) {2}(.+): ([^:]+)$/;

/** The verdicts in what a scenario printed. */
export function figuresOf(scenario: string, printed: string): Figure[] {
  return printed.split('\n').flatMap((line) => {
    const [, word, claim, measured] = VERDICT.exec(line) ?? [];
    return word === undefined ? [] : [{ scenario, claim: claim!, measured: measured!, met: word === 'PASS' }];
  });
}

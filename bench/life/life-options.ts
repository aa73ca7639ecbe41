import { readOptions, wholeNumber } from '../command-line.ts';

export interface LifeOptions {
  readonly rounds: number;
  /** Open tasks of the organization. */
  readonly tasks: number;
  /** Organizations that nobody uses. */
  readonly organizations: number;
}

const USAGE = `Usage: npm run bench -- <start|memory|activation> [options]

start       how long a gateway takes until /readyz on migrated stores, and npm start on data of an earlier run
memory      bytes of heap, its garbage collected, for an open task and for an organization that nobody uses
activation  how long the first change of an organization takes, its tasks open, after a restart

  --rounds 5             how often start and activation are measured
  --tasks 10000          open tasks
  --organizations 5000   unused organizations, for memory`;

/** Throws UsageError for anything that it does not understand. */
export function parseLifeOptions(args: readonly string[]): LifeOptions {
  const { values } = readOptions(args, USAGE, {
    rounds: wholeNumber(5, 100),
    tasks: wholeNumber(10_000, 1_000_000),
    organizations: wholeNumber(5_000, 1_000_000),
  });
  return values;
}

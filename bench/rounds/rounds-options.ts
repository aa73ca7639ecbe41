import { optionalText, readOptions, wholeNumber } from '../command-line.ts';

export interface RoundsOptions {
  readonly rounds: number;
  readonly warmUpRounds: number;
  readonly seed: number;
  /** The file for every single time as JSON, beside the printed report. */
  readonly jsonFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- rounds [options]

How long the planner takes for a round, candidates included, in made-up cities of several shapes: 500 agents by 500
tasks, and 2,000 by 5,000. Every round is of another city.

  --rounds 100     measured, of each size and shape
  --warm-up 10     rounds before them
  --seed 1         the same seed makes the same cities
  --json <file>    also write every single time there`;

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseRoundsOptions(args: readonly string[]): RoundsOptions {
  const { values } = readOptions(args, USAGE, {
    rounds: wholeNumber(100, 10_000),
    'warm-up': wholeNumber(10, 1_000),
    seed: wholeNumber(1, 2 ** 31, 0),
    json: optionalText(),
  });
  return { rounds: values.rounds, warmUpRounds: values['warm-up'], seed: values.seed, jsonFile: values.json };
}

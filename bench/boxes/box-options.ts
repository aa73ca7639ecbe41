import { readOptions, wholeNumber } from '../command-line.ts';

export interface BoxOptions {
  readonly streams: number;
  readonly agents: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

const USAGE = `Usage: npm run bench -- boxes [options]

Maps of many dispatchers: each agent moves once a second, and each stream shows a box of its own. In turn: no stream, streams
that keep their boxes, and streams that each come back with another box every second.

  --streams 200
  --agents 5000       in batches of 50: rounded down to a multiple of that
  --rounds 3          how often each is measured, in turn; fewer than 3 are void
  --seconds 20        length of a measured window; less than 10 is void
  --warm-up 5         seconds of the same before it`;

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseBoxOptions(args: readonly string[]): BoxOptions {
  const { values } = readOptions(args, USAGE, {
    streams: wholeNumber(200, 5_000),
    agents: wholeNumber(5_000, 50_000, 50),
    rounds: wholeNumber(3, 100),
    seconds: wholeNumber(20, 3_600),
    'warm-up': wholeNumber(5, 600),
  });
  const { 'warm-up': warmUpSeconds, agents, ...others } = values;
  return { ...others, agents: agents - (agents % 50), warmUpSeconds };
}
